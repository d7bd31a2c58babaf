"""Expert labels: campaigns, drawn items, assignments, drafts and immutable grades."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.bank_rows import SharedComment  # noqa: F401 - a model of this app
from annotation.calibration_rows import (  # noqa: F401 - models of this app
    CalibrationItem,
    CalibrationRemark,
    CalibrationRound,
)
from annotation.conflict_rows import (  # noqa: F401 - models of this app
    ConflictsFixed,
    ConflictTarget,
    Exclusion,
    LeastAuthors,
)
from annotation.flag_rows import Flag, FlagSpan  # noqa: F401 - a model of this app
from annotation.guess_rows import GuessQuestion, SystemGuess  # noqa: F401 - models of this app
from annotation.handles import LOTS
from annotation.later_rows import LaterAnswer, LaterGrade, Occasion  # noqa: F401 - models of this app
from annotation.phases import Phase
from annotation.reason_rows import SeenBefore, Unjudged  # noqa: F401 - models of this app
from annotation.reveal_rows import (  # noqa: F401 - models of this app
    ClaimMark,
    Reveal,
    RevealArm,
    ShownClaim,
    ShownVerdict,
)
from annotation.setup_rows import CampaignSetup  # noqa: F401 - a model of this app
from annotation.side_draft_rows import SideDraft  # noqa: F401 - a model of this app
from annotation.training_rows import (  # noqa: F401 - models of this app
    TrainingAnswer,
    TrainingAttempt,
    TrainingGold,
    TrainingItem,
    TrainingSet,
    TrainingSkip,
)
from benchmark.models import Instance, Output, Release


class Rubric(models.Model):
    """A rubric version as it stood when a campaign took it: immutable and content-hashed."""

    protocol = models.CharField(max_length=50)
    name = models.CharField(max_length=100)
    version = models.PositiveSmallIntegerField()
    content = models.JSONField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["protocol", "name", "version"], name="rubric_version_once")
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return f"{self.name}-v{self.version}"


class CampaignKind(models.TextChoices):
    GRADE = "grade", "Whole-answer grading"
    AUDIT = "audit", "Audit of judge labels"
    COMPARE = "compare", "Blind comparison of two answers"
    CONSTRUCTION = "construction", "Construction audit of instances"


class ProblemRule(models.TextChoices):
    """Who may see several outputs of one problem."""

    FREE = "free", "Any reviewer may see any outputs of a problem"
    TOGETHER = "together", "The same reviewers see all outputs of a problem"
    APART = "apart", "No reviewer sees two outputs of the same problem"


class Campaign(models.Model):
    """One round of expert work on one release with one rubric version.

    `most_per_reviewer` bounds the items that one reviewer holds in all of the campaign, finished ones included.
    A construction audit looks at instances and has no track.
    """

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="campaigns")
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="campaigns")
    kind = models.CharField(max_length=20, choices=CampaignKind.choices)
    track = models.CharField(max_length=50, default="raw", blank=True)
    reviewers_per_item = models.PositiveSmallIntegerField(default=3)
    problem_rule = models.CharField(max_length=10, choices=ProblemRule.choices, default=ProblemRule.FREE)
    most_per_reviewer = models.PositiveSmallIntegerField(null=True, blank=True)
    instructions = models.TextField(blank=True)
    seed = models.PositiveBigIntegerField()
    due_on = models.DateField(null=True, blank=True)
    phase = models.CharField(max_length=20, choices=Phase.choices, default=Phase.DRAFT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=CampaignKind.values), name="campaign_kind_is_known"),
            models.CheckConstraint(
                condition=Q(kind=CampaignKind.CONSTRUCTION, track="")
                | (~Q(kind=CampaignKind.CONSTRUCTION) & ~Q(track="")),
                name="campaign_of_instances_alone_has_no_track",
            ),
            models.CheckConstraint(
                condition=Q(problem_rule__in=ProblemRule.values), name="campaign_problem_rule_is_known"
            ),
            models.CheckConstraint(
                condition=Q(most_per_reviewer__isnull=True) | Q(most_per_reviewer__gte=1),
                name="campaign_most_per_reviewer_from_one",
            ),
            models.CheckConstraint(
                condition=Q(reviewers_per_item__range=(1, 25)), name="campaign_reviewers_per_item_1_to_25"
            ),
            models.CheckConstraint(
                condition=Q(phase=Phase.DRAFT, opened_at__isnull=True, closed_at__isnull=True)
                | Q(phase=Phase.OPEN, opened_at__isnull=False, closed_at__isnull=True)
                | Q(phase=Phase.CLOSED, opened_at__isnull=False, closed_at__isnull=False),
                name="campaign_phase_has_its_times",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Item(models.Model):
    """What was drawn into a campaign, with the terms of its draw: an output, a pair of outputs of one instance,
    or in a construction audit the instance itself, without an output.

    A pair has a `second` output, the one with the larger number, so that it exists once whatever the order;
    which of the two a reviewer sees first stands on their assignment. A `mirrored` pair comes to each of its
    reviewers a second time, with the sides exchanged.

    Stratum, sizes, probability and places are frozen at the draw.

    `places_taken` counts the assignments that were not released. It is only ever changed by a conditional
    update whose count is checked, and the database refuses to let it pass `places`.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="items")
    output = models.ForeignKey(Output, on_delete=models.PROTECT, null=True, blank=True, related_name="items")
    second = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="second_items"
    )
    mirrored = models.BooleanField(default=False)
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="items")
    stratum = models.CharField(max_length=200, blank=True)
    stratum_size = models.PositiveIntegerField()
    sample_size = models.PositiveIntegerField()
    inclusion_probability = models.FloatField()
    places = models.PositiveSmallIntegerField(default=3)
    places_taken = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "output"], condition=Q(second__isnull=True), name="item_once_per_campaign"
            ),
            models.UniqueConstraint(
                fields=["campaign", "output", "second"],
                condition=Q(second__isnull=False),
                name="item_pair_once_per_campaign",
            ),
            models.UniqueConstraint(
                fields=["campaign", "instance"],
                condition=Q(output__isnull=True),
                name="item_instance_once_per_campaign",
            ),
            models.CheckConstraint(
                condition=Q(second__isnull=True, mirrored=False)
                | Q(output__isnull=False, second__isnull=False, second__gt=F("output")),
                name="item_pair_has_an_order_and_only_pairs_are_mirrored",
            ),
            models.CheckConstraint(
                condition=Q(sample_size__gte=1) & Q(stratum_size__gte=F("sample_size")),
                name="item_sample_within_its_stratum",
            ),
            models.CheckConstraint(
                condition=Q(inclusion_probability__gt=0) & Q(inclusion_probability__lte=1),
                name="item_inclusion_probability_in_0_1",
            ),
            models.CheckConstraint(
                condition=Q(places_taken__lte=F("places")), name="item_never_over_its_places"
            ),
        ]
        indexes = [
            models.Index(
                "campaign",
                F("instance_id") % LOTS,
                condition=Q(places_taken__lt=F("places")),
                name="item_free_by_lot",
            )
        ]

    def __str__(self) -> str:
        return f"item {self.pk}"


class AssignmentState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    SUBMITTED = "submitted", "Submitted"
    RELEASED = "released", "Released"


class ReleaseReason(models.TextChoices):
    OUT_OF_FIELD = "out_of_field", "Out of the reviewer's field"
    LATE = "late", "Late"
    WITHDRAWN = "withdrawn", "Withdrawn by the coordinator"


class Assignment(models.Model):
    """One reviewer's place on one item, known to them by an opaque handle and a seeded position only.

    `pulled` tells a place that the reviewer asked for from one that the coordinator's plan gave them.
    `swapped` says for a pair whether its second output stands first; `repeat` marks the mirrored one.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assignments")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments"
    )
    handle = models.CharField(max_length=40, unique=True)
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=20, choices=AssignmentState.choices, default=AssignmentState.WAITING)
    release_reason = models.CharField(max_length=20, choices=ReleaseReason.choices, blank=True)
    pulled = models.BooleanField(default=False)
    swapped = models.BooleanField(null=True, blank=True)
    repeat = models.BooleanField(default=False)
    assigned_at = models.DateTimeField(default=timezone.now)
    first_opened_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    shown_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "reviewer", "repeat"], name="assignment_never_twice_to_one_reviewer"
            ),
            models.CheckConstraint(
                condition=Q(repeat=False) | Q(swapped__isnull=False), name="assignment_repeats_only_pairs"
            ),
            models.CheckConstraint(
                condition=Q(state=AssignmentState.SUBMITTED, submitted_at__isnull=False)
                | (~Q(state=AssignmentState.SUBMITTED) & Q(submitted_at__isnull=True)),
                name="assignment_submitted_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(state=AssignmentState.RELEASED, release_reason__in=ReleaseReason.values)
                | (~Q(state=AssignmentState.RELEASED) & Q(release_reason="")),
                name="assignment_released_has_its_reason",
            ),
            models.CheckConstraint(
                condition=Q(state__in=AssignmentState.values), name="assignment_state_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["reviewer", "state", "position"], name="assignment_queue"),
            models.Index(
                fields=["reviewer", "position"], condition=Q(repeat=False), name="assignment_last_position"
            ),
        ]

    def __str__(self) -> str:
        return self.handle


class Draft(models.Model):
    """What a reviewer has typed so far; `version` counts saves and decides conflicts between tabs.

    A draft is locked when its grade is submitted and unlocked when the reviewer reopens the item.
    """

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    version = models.PositiveIntegerField(default=1)
    content = models.JSONField()
    active_seconds = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField(default=timezone.now)
    locked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"draft of {self.assignment_id}, version {self.version}"


class Grade(models.Model):
    """A submitted, immutable set of answers. A correction is a new grade that supersedes the earlier one.

    `verdict_seen`: whether a judge's verdict on the item was in sight; None where the campaign shows none.
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
    value = models.CharField(max_length=200, blank=True)
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


class CommentKind(models.TextChoices):
    GAP = "gap", "Gap"
    WRONG_STEP = "wrong_step", "Wrong step"
    MISSING_HYPOTHESIS = "missing_hypothesis", "Missing hypothesis"
    CITATION = "citation", "Citation"
    ATTRIBUTION = "attribution", "Attribution"
    PRESENTATION = "presentation", "Presentation"


class Comment(models.Model):
    """A remark anchored to a block of the shown text by source offsets."""

    grade = models.ForeignKey(Grade, on_delete=models.PROTECT, related_name="comments")
    block = models.CharField(max_length=50)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    severity = models.CharField(max_length=20, choices=Severity.choices)
    kind = models.CharField(max_length=20, choices=CommentKind.choices, blank=True)
    text = models.TextField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(end__gte=F("start")), name="comment_offsets_in_order"),
            models.CheckConstraint(
                condition=Q(severity__in=Severity.values), name="comment_severity_is_known"
            ),
            models.CheckConstraint(
                condition=Q(kind="") | Q(kind__in=CommentKind.values), name="comment_kind_is_known"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
        ]

    def __str__(self) -> str:
        return f"{self.severity} at {self.block}"


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
    to see systems when deciding. An `amendment` was decided after the unblinding and is no part of the primary
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


class Unblinding(models.Model):
    """The request of one person to show the systems of a closed campaign, and the confirmation of another."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="unblindings")
    reason = models.CharField(max_length=1000)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now)
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    confirmed_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"],
                condition=Q(withdrawn_at__isnull=True),
                name="unblinding_asked_once_per_campaign",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="unblinding_has_a_reason"),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True, confirmed_at__isnull=True)
                | Q(confirmed_by__isnull=False, confirmed_at__isnull=False, withdrawn_at__isnull=True),
                name="unblinding_is_confirmed_or_withdrawn",
            ),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True) | ~Q(confirmed_by=F("requested_by")),
                name="unblinding_takes_two_people",
            ),
        ]

    def __str__(self) -> str:
        return f"unblinding of {self.campaign_id}"


class Reminder(models.Model):
    """A mail about waiting work that was sent to a reviewer; at most one on a day."""

    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    sent_on = models.DateField()
    waiting = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reviewer", "sent_on"], name="reminder_once_a_day"),
            models.CheckConstraint(condition=Q(waiting__gte=1), name="reminder_of_something"),
        ]

    def __str__(self) -> str:
        return f"reminder of {self.sent_on}"
