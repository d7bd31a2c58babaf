"""What REST returns and accepts. Fields are listed one by one; what is not listed never leaves the server."""

from typing import Any

from rest_framework import serializers

from accounts.rest.errors import RefusalOut
from annotation.conflicts.resolving import least_authors
from annotation.grading.unjudged import UnjudgedReason
from annotation.models import DEFAULT_LEAST, Assignment, Campaign, ProblemRule


class DraftIn(serializers.Serializer[Any]):
    version = serializers.IntegerField(
        min_value=0, help_text="The version that this content replaces; 0 before the first save."
    )
    content = serializers.JSONField(help_text="The content object, however incomplete.")
    active_seconds = serializers.IntegerField(min_value=0, default=0)


class DraftOut(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    content = serializers.JSONField()
    active_seconds = serializers.IntegerField(
        required=False, help_text="Of items; other forms have no clock."
    )
    saved_at = serializers.DateTimeField()


class SubmissionIn(serializers.Serializer[Any]):
    content = serializers.JSONField(help_text="The content object; every required question answered.")
    rubric_sha256 = serializers.CharField(max_length=64, help_text="Of the rubric that was read.")
    shown_sha256 = serializers.CharField(
        max_length=64, default="", help_text="Of the text that was read; without it, of the first opening's."
    )
    active_seconds = serializers.IntegerField(min_value=0, default=0)
    draft_version = serializers.IntegerField(min_value=0, required=False, allow_null=True)


class AnswerOut(serializers.Serializer[Any]):
    question = serializers.CharField()
    step = serializers.CharField(allow_blank=True, help_text="Empty for an answer about the whole.")
    value = serializers.CharField(allow_blank=True)
    state = serializers.CharField()
    comment = serializers.CharField(allow_blank=True)


class CommentOut(serializers.Serializer[Any]):
    block = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    severity = serializers.CharField()
    kind = serializers.CharField(allow_blank=True)
    text = serializers.CharField()
    anchor = serializers.JSONField(
        allow_null=True, help_text="On a page of a PDF: selectors of the W3C's Web Annotation model."
    )


class FlagSpanOut(serializers.Serializer[Any]):
    block = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField()


class FlagOut(serializers.Serializer[Any]):
    kind = serializers.CharField()
    spans = FlagSpanOut(many=True)
    link = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)


class UnjudgedOut(serializers.Serializer[Any]):
    reason = serializers.ChoiceField(choices=UnjudgedReason.choices)
    note = serializers.CharField(allow_blank=True)


class GradeOut(serializers.Serializer[Any]):
    answers = AnswerOut(many=True)
    comments = CommentOut(many=True)
    flags = FlagOut(many=True)
    note = serializers.CharField(allow_blank=True)
    seen_before = serializers.BooleanField()
    seen_where = serializers.CharField(allow_blank=True, help_text="An address or words.")
    statement_wrong = serializers.BooleanField()
    unjudged = UnjudgedOut(allow_null=True, help_text="Why the item could not be judged.")
    active_seconds = serializers.IntegerField()
    searches = serializers.IntegerField(
        allow_null=True, help_text="How often the reviewer searched; null where there is no search."
    )
    rubric_sha256 = serializers.CharField()
    shown_sha256 = serializers.CharField()
    created_at = serializers.DateTimeField()


class PartOut(serializers.Serializer[Any]):
    title = serializers.CharField()
    text = serializers.CharField()
    text_format = serializers.CharField()


class BlockOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]


class FileOut(serializers.Serializer[Any]):
    title = serializers.CharField()
    kind = serializers.CharField(help_text="pdf or image.")
    address = serializers.CharField(help_text="Of the copy that readers get.")
    block = serializers.CharField(
        help_text="Comments on page 3 of file1 have the block file1-page3 and an anchor."
    )
    pages = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="Width, height, and the edges of the box of each page.",
    )


class StepOut(serializers.Serializer[Any]):
    key = serializers.CharField(help_text="Names the step in answers: the id of its first block.")
    name = serializers.CharField()
    blocks = serializers.ListField(child=serializers.CharField())


class RubricOut(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    sha256 = serializers.CharField()
    questions = serializers.JSONField()


class QueueItemOut(serializers.Serializer[Any]):
    handle = serializers.CharField()
    campaign = serializers.CharField()
    title = serializers.CharField()
    domain = serializers.CharField()
    state = serializers.CharField()


class AssignmentOut(QueueItemOut):
    """An item as its reviewer may see it."""

    parts = PartOut(many=True)
    blocks = BlockOut(many=True, help_text="Of the text that comments are anchored to.")
    steps = StepOut(many=True, help_text="Of a single proof; what stepwise questions are about.")
    files = FileOut(many=True, help_text="PDFs and pictures of the problem and of what is judged.")
    shown_sha256 = serializers.CharField(help_text="Of the text, to be sent back with the answers.")
    rubric = RubricOut()
    draft = DraftOut(allow_null=True)
    grade = GradeOut(allow_null=True)


class TakeIn(serializers.Serializer[Any]):
    campaign = serializers.SlugField()


class OutOfFieldIn(serializers.Serializer[Any]):
    note = serializers.CharField(max_length=1000, required=False, default="", allow_blank=True)


class PlaceRefusalOut(RefusalOut):
    """Why nothing was written, with the draft that another window saved."""

    stored = DraftOut(required=False)


class CampaignOut(serializers.ModelSerializer[Campaign]):
    release = serializers.CharField(source="release.name")
    rubric = serializers.CharField(source="rubric.label")
    least_authors = serializers.SerializerMethodField()

    def get_least_authors(self, campaign: Campaign) -> int:
        return least_authors(campaign)

    class Meta:
        model = Campaign
        fields = [
            "slug",
            "name",
            "release",
            "rubric",
            "kind",
            "track",
            "condition",
            "phase",
            "reviewers_per_item",
            "problem_rule",
            "most_per_reviewer",
            "with_search",
            "least_authors",
            "seed",
            "due_on",
            "created_at",
            "opened_at",
            "closed_at",
        ]


class DomainProgressOut(serializers.Serializer[Any]):
    domain = serializers.CharField()
    items = serializers.IntegerField()
    wanted = serializers.IntegerField()
    taken = serializers.IntegerField()
    submitted = serializers.IntegerField()


class ReviewerProgressOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    email = serializers.EmailField()
    held = serializers.IntegerField()
    submitted = serializers.IntegerField()
    last_submitted = serializers.DateTimeField(allow_null=True)
    hindrance = serializers.CharField(
        allow_blank=True,
        help_text="Why nobody can expect them to grade what waits, such as account closed; else empty.",
    )


class StratumOut(serializers.Serializer[Any]):
    stratum = serializers.CharField()
    stratum_size = serializers.IntegerField()
    sample_size = serializers.IntegerField()
    inclusion_probability = serializers.FloatField()


class ProgressOut(serializers.Serializer[Any]):
    """How far a campaign is; for those who run it."""

    campaign = serializers.CharField()
    phase = serializers.CharField()
    strata = StratumOut(many=True)
    domains = DomainProgressOut(many=True)
    reviewers = ReviewerProgressOut(many=True)


class CampaignIn(serializers.Serializer[Any]):
    """The terms of a new campaign."""

    release = serializers.CharField(max_length=100, help_text="The release's name.")
    rubric = serializers.CharField(max_length=200, help_text="A label such as proofs-v1.")
    name = serializers.CharField(max_length=200, help_text="Reviewers see it, so it must not name a system.")
    slug = serializers.SlugField(max_length=100, required=False, help_text="Left out: made from the name.")
    reviewers_per_item = serializers.IntegerField(min_value=1, max_value=25, default=3)
    track = serializers.CharField(max_length=50, default="raw")
    condition = serializers.SlugField(
        max_length=50,
        required=False,
        allow_null=True,
        default=None,
        help_text="Of the runs to draw from, usual for the usual one; left out: all (of pairs, the usual one).",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**53, default=1)
    instructions = serializers.CharField(default="", allow_blank=True)
    due_on = serializers.DateField(required=False, allow_null=True)
    problem_rule = serializers.ChoiceField(choices=ProblemRule.choices, default=ProblemRule.FREE)
    most_per_reviewer = serializers.IntegerField(
        min_value=1, max_value=32767, required=False, allow_null=True, default=None
    )
    least_authors = serializers.IntegerField(
        min_value=1,
        max_value=100,
        default=DEFAULT_LEAST,
        help_text="How many systems must be possible authors of any item that a reviewer gets.",
    )
    with_search = serializers.BooleanField(
        default=False, help_text="Whether reviewers can search for statements on the grading page."
    )


class RevisedIn(serializers.Serializer[Any]):
    """Terms to change; those left out stay."""

    release = serializers.CharField(max_length=100, required=False, help_text="The release's name.")
    rubric = serializers.CharField(max_length=200, required=False, help_text="A label such as proofs-v1.")
    name = serializers.CharField(max_length=200, required=False)
    reviewers_per_item = serializers.IntegerField(min_value=1, max_value=25, required=False)
    track = serializers.CharField(max_length=50, required=False)
    condition = serializers.SlugField(max_length=50, required=False, allow_null=True)
    seed = serializers.IntegerField(min_value=0, max_value=2**53, required=False)
    with_search = serializers.BooleanField(required=False)
    instructions = serializers.CharField(allow_blank=True, required=False)
    due_on = serializers.DateField(required=False, allow_null=True)
    problem_rule = serializers.ChoiceField(choices=ProblemRule.choices, required=False)
    most_per_reviewer = serializers.IntegerField(
        min_value=1, max_value=32767, required=False, allow_null=True
    )
    least_authors = serializers.IntegerField(min_value=1, max_value=100, required=False)


class DrawPairsIn(serializers.Serializer[Any]):
    systems = serializers.ListField(
        child=serializers.SlugField(), default=list, help_text="Slugs; left out: every system of the track."
    )
    per_stratum = serializers.IntegerField(
        min_value=1,
        required=False,
        allow_null=True,
        default=None,
        help_text="Problems for each pair of systems; left out: every problem that both answered.",
    )
    mirrored_share = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="Share of pairs that come twice, sides exchanged."
    )
    leave_out_undecided = serializers.BooleanField(default=False)


class DrawIn(serializers.Serializer[Any]):
    per_stratum = serializers.IntegerField(
        min_value=1,
        required=False,
        allow_null=True,
        default=None,
        help_text="Items of each stratum, here the domain; left out: every answered output.",
    )
    sizes = serializers.DictField(
        child=serializers.IntegerField(min_value=1),
        required=False,
        allow_null=True,
        default=None,
        help_text="A size for every stratum, by its name, in place of per_stratum.",
    )
    leave_out_undecided = serializers.BooleanField(
        default=False, help_text="Draw without the outputs that are waiting in quarantine for a decision."
    )


class DrawOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    items = serializers.IntegerField()
    strata = StratumOut(many=True)


class PlannedReviewerOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    new = serializers.IntegerField(help_text="Places that the plan gives.")
    load = serializers.IntegerField(help_text="Places held afterwards.")
    domains = serializers.ListField(child=serializers.CharField())


class UnmetOut(serializers.Serializer[Any]):
    domain = serializers.CharField()
    reason = serializers.CharField()
    items = serializers.IntegerField()


class PlanOut(serializers.Serializer[Any]):
    """A plan of assignment, before it is applied."""

    sha256 = serializers.CharField(help_text="Identifies this plan when it is applied.")
    wanted = serializers.IntegerField(help_text="Free places.")
    missing = serializers.IntegerField(help_text="Places that nobody can take.")
    again = serializers.IntegerField(
        help_text="Places with a text that another campaign gave the same person, too."
    )
    hours = serializers.FloatField(
        allow_null=True,
        help_text="New places times the coordinator's minutes, or the mean time of grades so far; null "
        "without either.",
    )
    reviewers = PlannedReviewerOut(many=True)
    unmet = UnmetOut(many=True)


class AssignIn(serializers.Serializer[Any]):
    sha256 = serializers.CharField(max_length=64, help_text="Of the plan that was looked at.")


class AssignedOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    placed = serializers.IntegerField()


class OpenIn(serializers.Serializer[Any]):
    answers_are_public = serializers.BooleanField(
        default=False, help_text="That anybody can read the answers with their systems is known."
    )


class CloseIn(serializers.Serializer[Any]):
    reason = serializers.CharField(
        max_length=1000, default="", allow_blank=True, help_text="Required while places are unfinished."
    )


class ReleaseAssignmentIn(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=1000, default="", allow_blank=True)


class WaitingPlaceOut(serializers.ModelSerializer[Assignment]):
    reviewer = serializers.EmailField(source="reviewer.email")
    instance = serializers.CharField(source="item.instance.key")  # type: ignore[assignment]
    domain = serializers.CharField(source="item.instance.domain")

    class Meta:
        model = Assignment
        fields = ["id", "reviewer", "instance", "domain", "assigned_at"]


class RemindedOut(serializers.Serializer[Any]):
    sent = serializers.IntegerField()
    held_back = serializers.IntegerField(
        help_text="Away, no reminders wanted, reminded today, or may no longer grade."
    )
    not_sent = serializers.IntegerField(help_text="The mail server did not take the email.")


class ReleasedLateOut(serializers.Serializer[Any]):
    released = serializers.IntegerField()
    reassigned = serializers.IntegerField()
