"""Rows of leakage flags. Like comments they belong to a grade, and are as immutable as it is."""

from django.db import models
from django.db.models import F, Q

from benchmark.leakage_kinds import FLAG_KINDS, INSTANCE_KINDS, OUTPUT_KINDS
from benchmark.models import Output


class Flag(models.Model):
    """Something in a problem or an output that gives away what was to be found.

    `output` is set where an output is to blame, and names it whichever side it was shown on.
    """

    grade = models.ForeignKey("annotation.Grade", on_delete=models.PROTECT, related_name="flags")
    kind = models.CharField(max_length=30, choices=[(kind.key, kind.words) for kind in FLAG_KINDS.values()])
    output = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="leakage_flags"
    )
    link = models.CharField(max_length=500, blank=True)
    note = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=INSTANCE_KINDS, output__isnull=True)
                | Q(kind__in=OUTPUT_KINDS, output__isnull=False),
                name="flag_kind_is_known_and_has_its_subject",
            ),
            models.CheckConstraint(
                condition=Q(link="") | Q(link__startswith="http://") | Q(link__startswith="https://"),
                name="flag_link_is_http",
            ),
            models.CheckConstraint(
                condition=~Q(kind="public_solution") | ~Q(link=""),
                name="flag_of_a_public_solution_says_where",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} in grade {self.grade_id}"


class FlagSpan(models.Model):
    """The offending text: source offsets [start, end) of a block, and the text found there."""

    flag = models.ForeignKey(Flag, on_delete=models.PROTECT, related_name="spans")
    block = models.CharField(max_length=50)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="flag_span_marks_something"),
        ]

    def __str__(self) -> str:
        return f"{self.block} {self.start}-{self.end}"
