"""Rows of verdicts that are shown to reviewers: copies of what a judge said, frozen when they are attached.

They are plain text here: annotation does not know judges, and only staff of the campaign see the name `judge`.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Reveal(models.Model):
    """The verdicts of one judge on one question, shown after the grade is locked; to a seeded share before it."""

    campaign = models.OneToOneField("annotation.Campaign", on_delete=models.PROTECT, related_name="reveal")
    question = models.CharField(max_length=100)
    judge = models.CharField(max_length=200)
    predicate = models.CharField(max_length=100)
    before_share = models.FloatField(default=0, help_text="Share of places that see the verdict before.")
    seed = models.PositiveBigIntegerField()
    withheld = models.PositiveIntegerField(
        help_text="Reasons left out because they name a system or a model."
    )
    sha256 = models.CharField(max_length=64)
    attached_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    attached_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(before_share__range=(0, 1)), name="reveal_share_0_to_1"),
        ]

    def __str__(self) -> str:
        return f"verdicts in {self.campaign_id}"


class ShownVerdict(models.Model):
    """What the judge said about one item; its reason is stored in `claims`, one by one."""

    reveal = models.ForeignKey(Reveal, on_delete=models.PROTECT, related_name="verdicts")
    item = models.OneToOneField("annotation.Item", on_delete=models.PROTECT, related_name="shown_verdict")
    value = models.CharField(max_length=50)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(value=""), name="shown_verdict_has_a_value")]

    def __str__(self) -> str:
        return self.value


class ShownClaim(models.Model):
    """One claim of a verdict's reason, Markdown with LaTeX."""

    verdict = models.ForeignKey(ShownVerdict, on_delete=models.PROTECT, related_name="claims")
    number = models.PositiveSmallIntegerField()
    text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["verdict", "number"], name="shown_claim_number_once"),
            models.CheckConstraint(condition=~Q(text=""), name="shown_claim_says_something"),
        ]

    def __str__(self) -> str:
        return f"claim {self.number}"


class RevealArm(models.Model):
    """Whether the holder of a place sees the verdict before grading: drawn once, when the place is given."""

    assignment = models.OneToOneField(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="reveal_arm"
    )
    before = models.BooleanField()
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"verdict {'before' if self.before else 'after'} at {self.assignment_id}"


class Mark(models.TextChoices):
    RIGHT = "right", "Right"
    WRONG = "wrong", "Wrong"
    IRRELEVANT = "irrelevant", "Irrelevant"


class ClaimMark(models.Model):
    """What a reviewer says about a claim after locking their own answer."""

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="claim_marks"
    )
    claim = models.ForeignKey(ShownClaim, on_delete=models.PROTECT, related_name="marks")
    mark = models.CharField(max_length=20, choices=Mark.choices)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "claim"], name="claim_marked_once"),
            models.CheckConstraint(condition=Q(mark__in=Mark.values), name="claim_mark_is_known"),
        ]

    def __str__(self) -> str:
        return f"claim {self.claim_id}: {self.mark}"
