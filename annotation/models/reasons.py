"""Rows that say why a grade holds no judgment, and where its reviewer had seen the solution."""

from django.db import models
from django.db.models import Q

from annotation.grading.unjudged import UnjudgedReason


class Unjudged(models.Model):
    """The grade says that the item cannot be judged; its answers carry the label state that follows."""

    grade = models.OneToOneField("annotation.Grade", on_delete=models.PROTECT, related_name="unjudged")
    reason = models.CharField(max_length=20, choices=UnjudgedReason.choices)
    note = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(reason__in=UnjudgedReason.values), name="unjudged_reason_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(reason=UnjudgedReason.OTHER) | ~Q(note=""), name="unjudged_otherwise_says_why"
            ),
        ]

    def __str__(self) -> str:
        return f"grade {self.grade_id}: {self.reason}"


class SeenBefore(models.Model):
    """Where the reviewer had seen the solution of the graded item: an address or words."""

    grade = models.OneToOneField("annotation.Grade", on_delete=models.PROTECT, related_name="seen_where")
    place = models.CharField(max_length=500)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(place=""), name="seen_before_says_where")]

    def __str__(self) -> str:
        return self.place
