"""Rows of what a reviewer has typed into a form other than the grading form, before it is stored."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.later import Occasion


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
