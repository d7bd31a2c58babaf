"""Immutable grades with their answers, comments and flags, and why a grade holds no judgment."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.grading.unjudged import UnjudgedReason
from annotation.models.places import Assignment
from benchmark.leakage_kinds import FLAG_KINDS, INSTANCE_KINDS, OUTPUT_KINDS
from benchmark.models import Output


class Grade(models.Model):
    """A submitted, immutable set of answers. A correction is a new grade that supersedes the earlier one.

    `verdict_seen`: whether a judge's verdict on the item was in sight; None where the campaign shows none.
    `searches`: how often the reviewer searched while grading; None where the campaign has no search.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="grades")
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    rubric_sha256 = models.CharField(max_length=64)
    shown_sha256 = models.CharField(max_length=64, blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    seen_before = models.BooleanField(default=False)
    statement_wrong = models.BooleanField(default=False)
    verdict_seen = models.BooleanField(null=True, blank=True)
    searches = models.SmallIntegerField(null=True, blank=True)
    note = models.TextField(blank=True)
    idempotency_key = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(supersedes__isnull=True),
                name="grade_one_first_per_assignment",
            ),
            models.UniqueConstraint(
                fields=["assignment", "idempotency_key"], name="grade_once_per_idempotency_key"
            ),
            models.CheckConstraint(condition=~Q(idempotency_key=""), name="grade_has_an_idempotency_key"),
            models.CheckConstraint(
                condition=Q(searches=None) | Q(searches__range=(0, 1000)), name="grade_searches_0_to_1000"
            ),
        ]

    def __str__(self) -> str:
        return f"grade {self.pk}"


class LabelState(models.TextChoices):
    ANSWERED = "answered", "Answered"
    ABSTAIN = "abstain", "Abstain"
    UNAVAILABLE = "unavailable", "Unavailable"


class Answer(models.Model):
    """One question's answer in a grade, in long form: the value is the canonical text of its scale."""

    grade = models.ForeignKey(Grade, on_delete=models.PROTECT, related_name="answers")
    question = models.CharField(max_length=100)
    step = models.CharField(max_length=50, blank=True)
    value = models.TextField(blank=True)
    state = models.CharField(max_length=20, choices=LabelState.choices, default=LabelState.ANSWERED)
    confidence = models.FloatField(null=True, blank=True)
    comment = models.TextField(blank=True)
    preferred = models.ForeignKey(
        Output,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The output that a preference names, whichever side it stood on.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(preferred__isnull=True) | Q(value__in=["first", "second"]),
                name="answer_prefers_one_of_two",
            ),
            models.UniqueConstraint(
                fields=["grade", "question", "step"], name="answer_once_per_question_and_step"
            ),
            models.CheckConstraint(
                condition=(Q(state=LabelState.ANSWERED) & ~Q(value=""))
                | (Q(state__in=[LabelState.ABSTAIN, LabelState.UNAVAILABLE]) & Q(value="")),
                name="answer_has_a_value_iff_answered",
            ),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__range=(0, 1)),
                name="answer_confidence_0_to_1",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question}: {self.value or self.state}"


class Severity(models.TextChoices):
    FATAL = "fatal", "Fatal"
    MAJOR = "major", "Major"
    MINOR = "minor", "Minor"
    TYPO = "typo", "Typo"
    HIGHLIGHT = "highlight", "Highlight"  # marked, without a word about it


class CommentKind(models.TextChoices):
    GAP = "gap", "Gap"
    WRONG_STEP = "wrong_step", "Wrong step"
    MISSING_HYPOTHESIS = "missing_hypothesis", "Missing hypothesis"
    CITATION = "citation", "Citation"
    ATTRIBUTION = "attribution", "Attribution"
    PRESENTATION = "presentation", "Presentation"


_IN_TEXT = ~Q(block__contains="-page") & ~Q(block="")
_TYPED = Q(
    anchor__isnull=False, anchor__has_key="type"
)  # else a comparison with a type is NULL, which passes


class Comment(models.Model):
    """A remark anchored to a block of the shown text by source offsets, or by `anchor` to a page of a PDF: the id of
    the page is its block, and its offsets are those of the quoted words in the page's text, 0 where unknown. A comment
    from elsewhere may be about no block: annotation/grading/word_anchors.py."""

    grade = models.ForeignKey(Grade, on_delete=models.PROTECT, related_name="comments")
    block = models.CharField(max_length=50, blank=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    severity = models.CharField(max_length=20, choices=Severity.choices)
    kind = models.CharField(max_length=20, choices=CommentKind.choices, blank=True)
    text = models.TextField()
    anchor = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(end__gte=F("start")), name="comment_offsets_in_order"),
            models.CheckConstraint(
                condition=(Q(anchor__isnull=True) & _IN_TEXT)
                | (_TYPED & Q(anchor__type="pdf", block__contains="-page"))
                | (_TYPED & Q(anchor__type="words") & _IN_TEXT)
                | (_TYPED & Q(anchor__type__in=["lost", "whole"], block="")),
                name="comment_anchor_fits_its_block",
            ),
            models.CheckConstraint(
                condition=Q(severity__in=Severity.values), name="comment_severity_is_known"
            ),
            models.CheckConstraint(
                condition=Q(kind="") | Q(kind__in=CommentKind.values), name="comment_kind_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(text="") | Q(severity=Severity.HIGHLIGHT), name="comment_says_something"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.severity} at {self.block}"


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
