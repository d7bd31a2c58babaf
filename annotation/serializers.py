"""What REST shows and takes. Fields are listed one by one; what is not listed does not leave the server."""

from typing import Any

from rest_framework import serializers

from accounts.api_errors import RefusalOut
from annotation.models import Campaign


class DraftIn(serializers.Serializer[Any]):
    version = serializers.IntegerField(
        min_value=0, help_text="The version this text was typed over; 0 before the first save."
    )
    content = serializers.JSONField(help_text="The content object, however incomplete.")
    active_seconds = serializers.IntegerField(min_value=0, default=0)


class DraftOut(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    content = serializers.JSONField()
    active_seconds = serializers.IntegerField()
    saved_at = serializers.DateTimeField()


class SubmissionIn(serializers.Serializer[Any]):
    content = serializers.JSONField(help_text="The content object; every required question answered.")
    rubric_sha256 = serializers.CharField(max_length=64, help_text="Of the rubric that was read.")
    active_seconds = serializers.IntegerField(min_value=0, default=0)
    draft_version = serializers.IntegerField(min_value=0, required=False, allow_null=True)


class AnswerOut(serializers.Serializer[Any]):
    question = serializers.CharField()
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


class GradeOut(serializers.Serializer[Any]):
    answers = AnswerOut(many=True)
    comments = CommentOut(many=True)
    note = serializers.CharField(allow_blank=True)
    seen_before = serializers.BooleanField()
    statement_wrong = serializers.BooleanField()
    active_seconds = serializers.IntegerField()
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


class RubricOut(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]
    sha256 = serializers.CharField()
    questions = serializers.JSONField()


class AssignmentOut(serializers.Serializer[Any]):
    """An item as its reviewer may see it."""

    handle = serializers.CharField()
    campaign = serializers.CharField()
    title = serializers.CharField()
    domain = serializers.CharField()
    state = serializers.CharField()
    parts = PartOut(many=True)
    blocks = BlockOut(many=True, help_text="Of the text that comments are anchored to.")
    rubric = RubricOut()
    draft = DraftOut(allow_null=True)
    grade = GradeOut(allow_null=True)


class QueueItemOut(serializers.Serializer[Any]):
    handle = serializers.CharField()
    campaign = serializers.CharField()
    title = serializers.CharField()
    domain = serializers.CharField()
    state = serializers.CharField()


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

    class Meta:
        model = Campaign
        fields = [
            "slug",
            "name",
            "release",
            "rubric",
            "kind",
            "track",
            "phase",
            "reviewers_per_item",
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
