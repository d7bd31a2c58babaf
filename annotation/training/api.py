"""REST: training items for reviewers, the training of a campaign for those who run it."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import TokenScope
from accounts.profile.api import caller, understood
from accounts.rest.errors import REFUSED
from accounts.rest.filters import StaffView, StrictView
from annotation.campaigns.api import campaign_or_404
from annotation.core import serializers as shape
from annotation.grading.api import side_draft_reply
from annotation.models import TrainingItem
from annotation.training import actions
from annotation.training.reading import compared, own_training_or_404, training_results, unfinished
from annotation.training.sheets import training_sheet


class TrainingIn(serializers.Serializer[Any]):
    file = serializers.CharField(
        trim_whitespace=False, help_text="The text of the training file: JSON lines, or a CSV table."
    )
    form = serializers.ChoiceField(choices=["jsonl", "csv"], default="jsonl")
    may_skip = serializers.BooleanField(default=False)


class ReviewerTrainingOut(serializers.Serializer[Any]):
    reviewer = serializers.CharField()
    rater = serializers.CharField()
    done = serializers.IntegerField()
    skipped = serializers.BooleanField()
    questions = serializers.DictField(
        help_text="Question to {same, answered}, over items that have its gold."
    )


class TrainingResultsOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    items = serializers.IntegerField()
    may_skip = serializers.BooleanField()
    sha256 = serializers.CharField()
    questions = serializers.ListField(child=serializers.CharField())
    reviewers = ReviewerTrainingOut(many=True)


class OwnTrainingOut(serializers.Serializer[Any]):
    items = serializers.IntegerField()
    left = serializers.ListField(child=serializers.IntegerField(), help_text="Numbers, in their order.")
    may_skip = serializers.BooleanField()


class TrainingContentIn(serializers.Serializer[Any]):
    content = serializers.JSONField(help_text="The content object, as for an item of real work.")


class TrainingPartOut(serializers.Serializer[Any]):
    title = serializers.CharField()
    text = serializers.CharField()
    text_format = serializers.CharField()


class ComparedOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    text = serializers.CharField()
    own = serializers.JSONField(help_text="[step, answer in words, comment] for each step.")
    gold = serializers.JSONField(help_text="[step, value in words] for each step.")
    rationale = serializers.CharField()
    same = serializers.BooleanField()


class TrainingItemOut(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    title = serializers.CharField()
    parts = TrainingPartOut(many=True)
    questions = serializers.JSONField(help_text="The questions of the rubric.")
    compared = ComparedOut(many=True, help_text="Empty before the item is answered.")
    note = serializers.CharField(help_text="Empty before the item is answered.")


class OwnTrainingView(StrictView):
    @extend_schema(operation_id="training_show", responses=OwnTrainingOut)
    def get(self, request: Request, slug: str) -> Response:
        """What the caller still has to answer before real items of this campaign."""
        campaign = own_training_or_404(caller(request), slug)
        left = unfinished(caller(request), campaign).values_list("number", flat=True)
        body = {
            "items": campaign.training.items.count(),
            "left": list(left),
            "may_skip": campaign.training.may_skip,
        }
        return Response(OwnTrainingOut(body).data)


class TrainingItemView(StrictView):
    token_scope = TokenScope.GRADE

    def _item(self, request: Request, slug: str, number: int) -> TrainingItem:
        rows = TrainingItem.objects.select_related(
            "training__campaign__rubric", "training__campaign__release__benchmark"
        )
        campaign = own_training_or_404(caller(request), slug)
        return get_object_or_404(rows, training__campaign=campaign, number=number)

    @extend_schema(operation_id="training_item_show", responses=TrainingItemOut)
    def get(self, request: Request, slug: str, number: int) -> Response:
        """What is shown and asked; once answered, also the gold and its rationale."""
        item = self._item(request, slug, number)
        return Response(TrainingItemOut(_item_values(item, caller(request).pk)).data)

    @extend_schema(
        operation_id="training_item_save_draft",
        request=shape.DraftIn,
        responses={200: shape.DraftOut, 409: shape.PlaceRefusalOut, 422: shape.PlaceRefusalOut},
    )
    def put(self, request: Request, slug: str, number: int) -> Response:
        """Save what is typed of the item over `version`; a newer draft answers 409 with its text."""
        return side_draft_reply(request, actions.save_training_draft, item=self._item(request, slug, number))

    @extend_schema(
        operation_id="training_item_answer",
        request=TrainingContentIn,
        responses={201: TrainingItemOut, 409: shape.PlaceRefusalOut, 422: shape.PlaceRefusalOut},
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Answer, once; the reply shows the gold."""
        item = self._item(request, slug, number)
        sent = understood(TrainingContentIn, request)
        actions.answer_training(reviewer=caller(request), item=item, **sent)
        return Response(TrainingItemOut(_item_values(item, caller(request).pk)).data, status=201)


class TrainingSkipView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(operation_id="training_skip", request=None, responses={204: None, **REFUSED})
    def post(self, request: Request, slug: str) -> Response:
        """Skip the training; 409 may_not_skip where the training must be done."""
        actions.skip_training(reviewer=caller(request), campaign=own_training_or_404(caller(request), slug))
        return Response(status=204)


class CampaignTrainingView(StaffView):
    @extend_schema(operation_id="campaign_training_show", responses=TrainingResultsOut)
    def get(self, request: Request, slug: str) -> Response:
        """The results of the training, with reviewers listed by name; not a ranking."""
        return Response(TrainingResultsOut(training_results(campaign_or_404(slug))).data)

    @extend_schema(
        operation_id="campaign_training_attach",
        request=TrainingIn,
        responses={201: TrainingResultsOut, **REFUSED},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Attach the training of a campaign in draft, or replace it; all or nothing."""
        campaign = campaign_or_404(slug)
        sent = understood(TrainingIn, request)
        file = sent.pop("file").encode()
        actions.attach_training(actor=caller(request), campaign=campaign, file=file, **sent)
        return Response(TrainingResultsOut(training_results(campaign)).data, status=201)


def _item_values(item: TrainingItem, reviewer: int) -> dict[str, object]:
    shown = training_sheet(item).shown
    attempt = item.attempts.filter(reviewer=reviewer).first()
    return {
        "number": item.number,
        "title": shown.title,
        "parts": [*shown.instance_parts, *shown.proofs[0].parts],
        "questions": item.training.campaign.rubric.content["questions"],
        "compared": compared(item, attempt) if attempt else [],
        "note": item.note if attempt else "",
    }
