"""Decisions of adjudicators."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.campaigns import Item


class Cause(models.TextChoices):
    """Why graders of one answer differed, as the adjudicator sees it."""

    GAP_OVERLOOKED = "gap_overlooked", "A gap or error was overlooked"
    GAP_SEEN_WRONGLY = "gap_seen_wrongly", "A sound step was taken for a gap"
    READING_OF_RUBRIC = "reading_of_rubric", "Different readings of the rubric"
    SEVERITY = "severity", "Same finding, weighed differently"
    REFERENCE_WRONG = "reference_wrong", "Error in the reference solution"
    STATEMENT_WRONG = "statement_wrong", "The statement is wrong or ambiguous"
    OUTSIDE_FIELD = "outside_field", "A grader was outside their field"
    SLIP = "slip", "Slip in entering the answer"
    OTHER = "other", "Something else"


class Adjudication(models.Model):
    """The final value of one question about one item. Immutable: a later decision supersedes it.

    For a pair, "first" and "second" mean the order of the item. `informed` says that the adjudicator was able
    to see systems when deciding. An `amendment` was decided after the unblinding and is not part of the primary
    scores.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="adjudications")
    question = models.CharField(max_length=100)
    step = models.CharField(max_length=50, blank=True)
    value = models.CharField(max_length=200)
    overrules = models.BooleanField(default=False, help_text="No grader gave this value.")
    cause = models.CharField(max_length=30, choices=Cause.choices, blank=True)
    note = models.TextField(blank=True)
    informed = models.BooleanField(default=False)
    amendment = models.BooleanField(default=False)
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "question", "step"],
                condition=Q(supersedes__isnull=True),
                name="adjudication_one_first_per_question",
            ),
            models.CheckConstraint(condition=~Q(value=""), name="adjudication_has_a_value"),
            models.CheckConstraint(
                condition=Q(cause="") | Q(cause__in=Cause.values), name="adjudication_cause_is_known"
            ),
            models.CheckConstraint(
                condition=Q(overrules=False) | (~Q(cause="") & ~Q(note="")),
                name="adjudication_overruling_has_cause_and_note",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} of item {self.item_id}: {self.value}"
