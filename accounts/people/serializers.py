"""What REST shows and takes of people. Fields are listed one by one."""

from typing import Any

from rest_framework import serializers

from accounts.access import role_names
from accounts.models import (
    AccessToken,
    AuditEvent,
    Confidence,
    Conflict,
    ConflictKind,
    Credit,
    Expertise,
    Invitation,
    RoleName,
    User,
)
from accounts.profile.tokens import DAYS, MOST_DAYS


class ExpertiseOut(serializers.ModelSerializer[Expertise]):
    class Meta:
        model = Expertise
        fields = ("domain", "confidence")
        read_only_fields = fields


class ConflictOut(serializers.ModelSerializer[Conflict]):
    class Meta:
        model = Conflict
        fields = ("kind", "key", "reason")
        read_only_fields = fields


class MeOut(serializers.ModelSerializer[User]):
    roles = serializers.SerializerMethodField()
    expertise = ExpertiseOut(many=True)
    conflicts = ConflictOut(many=True)

    class Meta:
        model = User
        fields: tuple[str, ...] = (
            "email",
            "name",
            "roles",
            "expertise",
            "conflicts",
            "capacity",
            "away_until",
            "credit",
            "pseudonym",
            "reminders",
        )
        read_only_fields = fields

    def get_roles(self, user: User) -> list[str]:
        return sorted(role_names(user))


class MeIn(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200)


class PreferencesIn(serializers.Serializer[Any]):
    capacity = serializers.IntegerField(
        min_value=1, max_value=1000, allow_null=True, help_text="Unfinished items at a time; null: no limit."
    )
    away_until = serializers.DateField(
        allow_null=True, help_text="Plans assign the person nothing up to and including this day."
    )
    credit = serializers.ChoiceField(choices=Credit.choices)
    pseudonym = serializers.CharField(max_length=100, allow_blank=True, default="")
    reminders = serializers.BooleanField(default=True)


class ExpertiseIn(serializers.Serializer[Any]):
    domain = serializers.CharField(max_length=100)
    confidence = serializers.ChoiceField(choices=Confidence.choices)


class ConflictIn(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=ConflictKind.choices)
    key = serializers.CharField(
        max_length=200, help_text="A name or an identifier, in the person's own words."
    )
    reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class TokenOut(serializers.ModelSerializer[AccessToken]):
    class Meta:
        model = AccessToken
        fields: tuple[str, ...] = ("id", "label", "scope", "created_at", "expires_at", "last_used_at")
        read_only_fields = fields


class TokenIn(serializers.ModelSerializer[AccessToken]):
    days = serializers.IntegerField(
        min_value=1, max_value=MOST_DAYS, default=DAYS, help_text="Until it expires."
    )
    password = serializers.CharField(
        trim_whitespace=False,
        write_only=True,
        help_text="Your own password: neither a session nor a token is enough.",
    )

    class Meta:
        model = AccessToken
        fields = ("label", "scope", "days", "password")


class NewTokenOut(TokenOut):
    """A token as it is shown once."""

    secret = serializers.CharField(read_only=True, help_text="Cannot be shown again.")

    class Meta(TokenOut.Meta):
        fields = (*TokenOut.Meta.fields, "secret")
        read_only_fields = fields


class PersonOut(MeOut):
    """A member, as those who run the study see them."""

    class Meta(MeOut.Meta):
        fields = ("id", *MeOut.Meta.fields, "is_active", "last_login")
        read_only_fields = fields

    def get_roles(self, user: User) -> list[str]:
        return sorted(role.name for role in user.roles.all())


class ReasonIn(serializers.Serializer[Any]):
    reason = serializers.CharField(
        max_length=1000, required=False, allow_blank=True, default="", help_text="For the audit trail."
    )


class RoleIn(ReasonIn):
    role = serializers.ChoiceField(choices=RoleName.choices)


class InvitationIn(serializers.Serializer[Any]):
    email = serializers.EmailField()
    role = serializers.ChoiceField(choices=RoleName.choices)


class InvitationOut(serializers.ModelSerializer[Invitation]):
    class Meta:
        model = Invitation
        fields: tuple[str, ...] = ("id", "email", "role", "created_at", "expires_at")
        read_only_fields = fields


class NewInvitationOut(InvitationOut):
    mailed = serializers.BooleanField(read_only=True, help_text="false: the mail server refused the email")

    class Meta(InvitationOut.Meta):
        fields = (*InvitationOut.Meta.fields, "mailed")
        read_only_fields = fields


class AuditEventOut(serializers.ModelSerializer[AuditEvent]):
    actor = serializers.EmailField(source="actor.email", default=None, allow_null=True)

    class Meta:
        model = AuditEvent
        fields = ("id", "at", "actor", "verb", "target_kind", "target_key", "reason", "details")
        read_only_fields = fields
