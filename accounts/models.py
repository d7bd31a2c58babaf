"""Users, roles, invitations, expertise, conflicts of interest, access tokens and the audit trail."""

import secrets
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

_RATER_LETTERS = "23456789abcdefghjkmnpqrstvwxyz"  # without those that look like others


def new_rater() -> str:
    """A unique name under which labels are published; it says nothing about the person."""
    return "r-" + "".join(secrets.choice(_RATER_LETTERS) for _ in range(10))


class UserManager(BaseUserManager["User"]):
    """Creates users by email address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_superuser=True, is_staff=True, **fields)


class Credit(models.TextChoices):
    NAMED = "named", "By name"
    PSEUDONYM = "pseudonym", "Under a pseudonym"
    ANONYMOUS = "anonymous", "Not at all"


class User(AbstractBaseUser, PermissionsMixin):
    """A person who signs in with an email address, or the inactive stand-in for an imported rater.

    `capacity` is how many unfinished items they want at most in one campaign (empty: no limit). `credit` says
    how reports thank them. An erased person keeps the row, so that labels keep their rater, and nothing else.
    """

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    rater = models.CharField(
        max_length=500,
        unique=True,
        default=new_rater,
        editable=False,
        help_text="The name of this person in label tables; that of an imported rater is as in their file.",
    )
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(default=timezone.now)
    capacity = models.PositiveSmallIntegerField(null=True, blank=True)
    away_until = models.DateField(null=True, blank=True)
    credit = models.CharField(max_length=20, choices=Credit.choices, default=Credit.ANONYMOUS)
    pseudonym = models.CharField(max_length=100, blank=True)
    reminders = models.BooleanField(default=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    known_roles: frozenset[str] | None = None  # once somebody has asked: see accounts.access.role_names

    objects = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_unique_whatever_case"),
            models.CheckConstraint(condition=Q(credit__in=Credit.values), name="user_credit_is_known"),
            models.CheckConstraint(
                condition=~Q(credit=Credit.PSEUDONYM) | ~Q(pseudonym=""), name="user_pseudonym_is_given"
            ),
            models.CheckConstraint(
                condition=Q(capacity__isnull=True) | Q(capacity__gte=1), name="user_capacity_from_one"
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True) | Q(is_active=False, name="", pseudonym=""),
                name="user_erased_has_nothing_left",
            ),
        ]

    def __str__(self) -> str:
        return self.name or self.email


class RoleName(models.TextChoices):
    REVIEWER = "reviewer", "Reviewer"
    COORDINATOR = "coordinator", "Coordinator"
    OWNER = "owner", "Owner"


class Role(models.Model):
    """One of the three roles held by a user; a user may hold several."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="roles")
    name = models.CharField(max_length=20, choices=RoleName.choices)
    granted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="role_held_once"),
            models.CheckConstraint(condition=Q(name__in=RoleName.values), name="role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.name}"


class Invitation(models.Model):
    """The only way to get an account: a single-use token sent by email; only its SHA-256 is kept."""

    email = models.EmailField()
    role = models.CharField(max_length=20, choices=RoleName.choices)
    token_sha256 = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="invitations",
        help_text="Empty for an invitation made at the console.",
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)
    mail_error = models.CharField(
        max_length=300, blank=True, db_default="", help_text="Why the mail server did not take the message."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(role__in=RoleName.values), name="invitation_role_is_known"),
            models.CheckConstraint(
                condition=Q(mailed_at__isnull=True) | Q(mail_error=""), name="invitation_mailed_or_not"
            ),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(withdrawn_at__isnull=True),
                name="invitation_not_both_accepted_and_withdrawn",
            ),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True, accepted_by__isnull=True)
                | Q(accepted_at__isnull=False, accepted_by__isnull=False),
                name="invitation_accepted_by_someone_at_some_time",
            ),
            models.UniqueConstraint(
                Lower("email"),
                condition=Q(accepted_at__isnull=True, withdrawn_at__isnull=True),
                name="invitation_open_once_per_address",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role}"


class Confidence(models.IntegerChoices):
    FAMILIAR = 1, "familiar"
    WORKING = 2, "working knowledge"
    EXPERT = 3, "expert"


class Expertise(models.Model):
    """A domain in which a user may review, with the confidence they claim."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="expertise")
    domain = models.CharField(max_length=100)
    confidence = models.PositiveSmallIntegerField(choices=Confidence.choices, default=Confidence.WORKING)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "domain"], name="expertise_once_per_domain"),
            models.CheckConstraint(condition=Q(confidence__range=(1, 3)), name="expertise_confidence_1_to_3"),
            models.CheckConstraint(condition=~Q(domain=""), name="expertise_names_a_domain"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.domain} ({self.get_confidence_display()})"


class ConflictKind(models.TextChoices):
    SYSTEM = "system", "AI system or its maker"
    INSTITUTION = "institution", "Institution"
    PERSON = "person", "Person"
    PAPER = "paper", "Paper"
    PROBLEM = "problem", "Problem"


class Conflict(models.Model):
    """A conflict of interest in the user's own words; a coordinator decides what it excludes.

    What it excludes on this platform is stored in annotation.ConflictTarget. Nothing that the user sees may depend on
    whether it means anything here (docs/adr/0025).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conflicts")
    kind = models.CharField(max_length=20, choices=ConflictKind.choices)
    key = models.CharField(max_length=200, help_text="Whom or what it is with, in the user's words.")
    reason = models.CharField(max_length=500, blank=True)
    declared_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "key"], name="conflict_named_once"),
            models.CheckConstraint(condition=Q(kind__in=ConflictKind.values), name="conflict_kind_is_known"),
            models.CheckConstraint(condition=~Q(key=""), name="conflict_names_something"),
            models.CheckConstraint(
                condition=Q(decided_at__isnull=True, decided_by__isnull=True)
                | Q(decided_at__isnull=False, decided_by__isnull=False),
                name="conflict_decided_by_someone_at_some_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.kind} {self.key}"


class TokenScope(models.TextChoices):
    READ = "read", "Read"
    GRADE = "grade", "Read and grade"
    MANAGE = "manage", "Everything you may do"


class AccessToken(models.Model):
    """A bearer token for the REST interface; only its SHA-256 is kept.

    `password_mark` is the owner's session hash when the token was made: with another password, however it was
    set, the token no longer works.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    label = models.CharField(max_length=100)
    token_sha256 = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=TokenScope.choices, default=TokenScope.READ)
    password_mark = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(label=""), name="access_token_has_a_label"),
            models.CheckConstraint(
                condition=Q(scope__in=TokenScope.values), name="access_token_scope_is_known"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("created_at")),
                name="access_token_expires_after_it_was_made",
            ),
        ]

    def __str__(self) -> str:
        return self.label


class SavedComment(models.Model):
    """Words, LaTeX included, that a person keeps to use again in comments. Nobody else sees them."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_comments"
    )
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="saved_comment_says_something")]

    def __str__(self) -> str:
        return self.text[:80]


class IdempotencyRecord(models.Model):
    """The stored answer to a write with an Idempotency-Key, replayed when the same request returns."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_once_per_user")]

    def __str__(self) -> str:
        return self.key


class AuditEvent(models.Model):
    """Who did what, to what, when and why. Append-only, enforced by a guard in the database."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    verb = models.CharField(max_length=60)
    target_kind = models.CharField(max_length=60)
    target_key = models.CharField(max_length=200)
    reason = models.CharField(max_length=1000, blank=True)
    details = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["target_kind", "target_key"], name="audit_by_target")]
        constraints = [models.CheckConstraint(condition=~Q(verb=""), name="audit_event_has_a_verb")]

    def __str__(self) -> str:
        return f"{self.verb} {self.target_kind} {self.target_key}"
