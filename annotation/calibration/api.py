"""REST: discussions of revealed items for those who answered them, and the rounds of a campaign."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import TokenScope
from accounts.profile.api import caller, understood
from accounts.rest.errors import REFUSED
from accounts.rest.filters import StaffView, StrictView
from annotation.calibration import actions
from annotation.calibration.reading import discussed_or_404, discussion, round_values
from annotation.campaigns.api import campaign_or_404
from annotation.core import serializers as shape
from annotation.core.places import place_or_404
from annotation.grading.api import side_draft_reply


class RemarkIn(serializers.Serializer[Any]):
    text = serializers.CharField(trim_whitespace=False, help_text="Markdown with LaTeX.")


class AgainIn(serializers.Serializer[Any]):
    content = serializers.JSONField(help_text="The content object, as for a submission.")
    reason = serializers.CharField(help_text="Why, in a sentence.")


class RemarkOut(serializers.Serializer[Any]):
    letter = serializers.CharField(help_text="The grader, by this item's letter, or coordinator.")
    own = serializers.BooleanField()
    at = serializers.DateTimeField()
    text = serializers.CharField()


class GradersAnswersOut(serializers.Serializer[Any]):
    letter = serializers.CharField()
    own = serializers.BooleanField()
    blind = serializers.JSONField(help_text="[step, answer in words, comment] for each step.")
    after = serializers.JSONField(help_text="The same after the discussion; empty without second answers.")


class DiscussedQuestionOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    text = serializers.CharField()
    graders = GradersAnswersOut(many=True)


class DiscussionOut(serializers.Serializer[Any]):
    questions = DiscussedQuestionOut(many=True)
    remarks = RemarkOut(many=True)
    open = serializers.BooleanField()
    answered_again = serializers.BooleanField()
    exchanged = serializers.ListField(
        child=serializers.CharField(),
        help_text="Letters of those who saw the sides of the pair the other way round; answers are told as you saw it.",
    )


class RoundIn(serializers.Serializer[Any]):
    verb = serializers.ChoiceField(choices=["make", "reveal", "end"])
    items = serializers.IntegerField(min_value=1, required=False, help_text="For make: how many.")


class RoundRemarkOut(serializers.Serializer[Any]):
    letter = serializers.CharField()
    at = serializers.DateTimeField()
    text = serializers.CharField()


class RoundItemOut(serializers.Serializer[Any]):
    problem = serializers.CharField()
    answered = serializers.IntegerField()
    waiting = serializers.IntegerField()
    remarks = RoundRemarkOut(many=True)
    answered_again = serializers.IntegerField()


class RoundOut(serializers.Serializer[Any]):
    made_at = serializers.DateTimeField()
    revealed_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    items = RoundItemOut(many=True)


class DiscussionView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(operation_id="discussion_show", responses=DiscussionOut)
    def get(self, request: Request, handle: str) -> Response:
        """Everyone's answers to one of the caller's items whose round was revealed, and the remarks."""
        place, subject = discussed_or_404(caller(request), handle)
        return Response(DiscussionOut(discussion(subject, place)).data)

    @extend_schema(
        operation_id="discussion_remark", request=RemarkIn, responses={201: DiscussionOut, **REFUSED}
    )
    def post(self, request: Request, handle: str) -> Response:
        """Add a remark."""
        place, subject = discussed_or_404(caller(request), handle)
        actions.discuss(author=caller(request), item=place.item, **understood(RemarkIn, request))
        return Response(DiscussionOut(discussion(subject, place)).data, status=201)


class AgainView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(
        operation_id="discussion_save_second_answers",
        request=shape.DraftIn,
        responses={200: shape.DraftOut, 409: shape.PlaceRefusalOut, 422: shape.PlaceRefusalOut},
    )
    def put(self, request: Request, handle: str) -> Response:
        """Save what is typed of second answers over `version`; a newer draft answers 409 with its text."""
        return side_draft_reply(
            request, actions.save_second_answers, assignment=place_or_404(caller(request), handle)
        )

    @extend_schema(
        operation_id="discussion_answer_again",
        request=AgainIn,
        responses={201: DiscussionOut, 409: shape.PlaceRefusalOut, 422: shape.PlaceRefusalOut},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Second answers, once; the blind ones stay, and only they enter scores."""
        place, subject = discussed_or_404(caller(request), handle)
        sent = understood(AgainIn, request)
        actions.answer_again(reviewer=caller(request), assignment=place, **sent)
        return Response(DiscussionOut(discussion(subject, place)).data, status=201)


class CalibrationView(StaffView):
    @extend_schema(operation_id="campaign_calibration_show", responses=RoundOut(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The rounds, newest first."""
        return Response(RoundOut(round_values(campaign_or_404(slug)), many=True).data)

    @extend_schema(
        operation_id="campaign_calibration_act",
        request=RoundIn,
        responses={200: RoundOut(many=True), **REFUSED},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a round, reveal it, or end its discussion."""
        campaign = campaign_or_404(slug)
        sent = understood(RoundIn, request)
        actor = caller(request)
        if sent["verb"] == "make":
            actions.make_calibration(actor=actor, campaign=campaign, items=sent.get("items", 0))
        elif sent["verb"] == "reveal":
            actions.reveal_calibration(actor=actor, campaign=campaign)
        else:
            actions.end_calibration(actor=actor, campaign=campaign)
        return Response(RoundOut(round_values(campaign), many=True).data)
