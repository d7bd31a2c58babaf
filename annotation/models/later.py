"""Rows of answers given after the blind ones: after a discussion, or after a judge's verdict was shown.

They are stored apart from grades and never replace them: primary scores read grades only.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Occasion(models.TextChoices):
    DISCUSSION = "discussion", "After the discussion of a calibration round"
    VERDICT = "verdict", "After the verdict of a judge was shown"


class LaterGrade(models.Model):
    """The answers of a place on a later occasion: once each, immutable, with the reason for them."""

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="later_grades"
    )
    occasion = models.CharField(max_length=20, choices=Occasion.choices)
    reason = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "occasion"], name="later_grade_once_per_occasion"),
            models.CheckConstraint(
                condition=Q(occasion__in=Occasion.values), name="later_grade_occasion_is_known"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="later_grade_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.occasion} answers of {self.assignment_id}"


class LaterAnswer(models.Model):
    """One question's later answer; "" where it could not be judged."""

    later = models.ForeignKey(LaterGrade, on_delete=models.PROTECT, related_name="answers")
    question = models.CharField(max_length=100)
    step = models.CharField(max_length=50, blank=True)
    value = models.TextField(blank=True)
    comment = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["later", "question", "step"], name="later_answer_once"),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.value}"


class SideDraft(models.Model):
    """The draft of a training item's answers, of second answers or of an amendment; it is deleted when they are stored.

    `version` counts saves and decides conflicts between tabs. The reason of later answers is the content's note.
    """

    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="side_drafts"
    )
    training_item = models.ForeignKey(
        "annotation.TrainingItem", on_delete=models.CASCADE, null=True, blank=True, related_name="drafts"
    )
    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.CASCADE, null=True, blank=True, related_name="side_drafts"
    )
    occasion = models.CharField(max_length=20, choices=Occasion.choices, blank=True)
    version = models.PositiveIntegerField(default=1)
    content = models.JSONField()
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["reviewer", "training_item"], name="side_draft_once_per_training_item"
            ),
            models.UniqueConstraint(fields=["assignment", "occasion"], name="side_draft_once_per_occasion"),
            models.CheckConstraint(
                condition=Q(training_item__isnull=False, assignment__isnull=True, occasion="")
                | Q(training_item__isnull=True, assignment__isnull=False, occasion__in=Occasion.values),
                name="side_draft_is_of_one_form",
            ),
        ]

    def __str__(self) -> str:
        return f"side draft {self.pk}, version {self.version}"
