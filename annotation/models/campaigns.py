"""Rubrics, the campaigns that use them from setting up to their end, and the items drawn for these."""

from django.conf import settings
from django.core.validators import validate_slug
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.core.handles import LOTS
from annotation.core.phases import Phase
from benchmark.models import Instance, Output, Release, Run
from benchmark.subjects import USUAL


class Rubric(models.Model):
    """A rubric version as it was when a campaign adopted it: immutable and content-hashed."""

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


class RubricDraft(models.Model):
    """A form that is being written in the editor, however incomplete; it is deleted when a version is made of it.

    `saves` counts and decides conflicts between windows and people.
    """

    protocol = models.CharField(max_length=50)
    content = models.JSONField()
    saves = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(saves__gte=1), name="rubric_draft_was_saved")]

    def __str__(self) -> str:
        return f"draft {self.pk} of a form"


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


class SplitBy(models.TextChoices):
    """What makes an item a split, wherever splits are counted."""

    LEVEL = "level", "Graders give different answers"
    VERDICT = "verdict", "Graders differ on whether it is solved"


class Campaign(models.Model):
    """One round of expert work on one release with one rubric version.

    `most_per_reviewer` bounds the items that one reviewer holds in all of the campaign, finished ones included.
    A construction audit looks at instances and has no track. With a `condition` only runs under it are drawn from:
    "usual" is that of plain runs, and without one all conditions of the track are meant. `split_by` concerns
    questions whose scale says what counts as solved; about the others graders differ as soon as their answers do.
    `with_search`: reviewers can search corpora on the grading page. `frame` is what an audit was drawn from: slugs of
    the `systems` and of the campaigns that it `leaves_out`; the database keeps it while there are items.
    """

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="campaigns")
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="campaigns")
    kind = models.CharField(max_length=20, choices=CampaignKind.choices)
    track = models.CharField(max_length=50, default="raw", blank=True)
    condition = models.CharField(max_length=50, null=True, blank=True, validators=[validate_slug])
    reviewers_per_item = models.PositiveSmallIntegerField(default=3)
    problem_rule = models.CharField(max_length=10, choices=ProblemRule.choices, default=ProblemRule.FREE)
    split_by = models.CharField(
        max_length=10, choices=SplitBy.choices, default=SplitBy.LEVEL, db_default=SplitBy.LEVEL
    )
    with_search = models.BooleanField(default=False, db_default=False)
    most_per_reviewer = models.PositiveSmallIntegerField(null=True, blank=True)
    instructions = models.TextField(blank=True)
    seed = models.PositiveBigIntegerField()
    frame = models.JSONField(null=True, blank=True, editable=False)
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
                condition=Q(condition=None) | ~Q(kind=CampaignKind.CONSTRUCTION) & ~Q(condition=""),
                name="campaign_condition_is_of_runs",
            ),
            models.CheckConstraint(
                condition=Q(problem_rule__in=ProblemRule.values), name="campaign_problem_rule_is_known"
            ),
            models.CheckConstraint(
                condition=Q(split_by__in=SplitBy.values), name="campaign_split_by_is_known"
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

    def runs(self) -> models.QuerySet[Run]:
        """The runs of the release that the campaign is about: on its track, and under its condition if it has one."""
        found = Run.objects.filter(release=self.release_id, track=self.track)
        if self.condition is None:
            return found
        return found.filter(condition="" if self.condition == USUAL else self.condition)


class Item(models.Model):
    """What was drawn into a campaign, with the terms of its draw: an output, a pair of outputs of one instance,
    or in a construction audit the instance itself, without an output.

    A pair has a `second` output, the one with the larger number, so that it exists once whatever the order;
    which of the two a reviewer sees first is stored on their assignment. A `mirrored` pair comes to each of its
    reviewers a second time, with the sides exchanged.

    Stratum, sizes, probability and places are frozen at the draw.

    `domain` is the instance's, and `revealed` says whether a calibration round has shown its blind answers. They are
    kept here because every request for the next item looks at the free items alone.

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
    domain = models.CharField(max_length=100, db_default="")
    revealed = models.BooleanField(db_default=False)
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
    """An email about waiting items that was sent to a reviewer; at most one per day."""

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


class SetupStep(models.TextChoices):
    """The steps from a release to an open campaign, in order; the values appear in URLs."""

    TERMS = "terms", "What is graded"
    ITEMS = "items", "Items"
    PEOPLE = "people", "Reviewers"
    OPTIONS = "options", "Options"
    PLAN = "plan", "Assignment"
    OPENING = "opening", "Opening"


class CampaignSetup(models.Model):
    """What a draft has settled so far. `reached` is the furthest step that was saved.

    `draw` holds the choices of the draw until it takes place, as the campaign kind's form takes them;
    `minutes_per_item` is the coordinator's estimate, empty where they keep what was measured.
    """

    campaign = models.OneToOneField("annotation.Campaign", on_delete=models.PROTECT, related_name="setup")
    reached = models.CharField(max_length=20, choices=SetupStep.choices, default=SetupStep.TERMS)
    draw = models.JSONField(default=dict)
    minutes_per_item = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(reached__in=SetupStep.values), name="setup_step_is_known"),
            models.CheckConstraint(
                condition=Q(minutes_per_item__isnull=True) | Q(minutes_per_item__range=(1, 600)),
                name="setup_minutes_1_to_600",
            ),
        ]

    def __str__(self) -> str:
        return f"setup of {self.campaign_id}"
