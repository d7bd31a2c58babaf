"""REST: the verdict on one of the caller's items, marks of its claims, and an amendment to the locked answers."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import TokenScope
from accounts.profile.api import caller, understood
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StrictView
from annotation.calibration.api import AgainIn
from annotation.core import serializers as shape
from annotation.core.places import place_or_404
from annotation.grading.api import side_draft_reply
from annotation.models import Assignment, Mark
from annotation.reveal import actions
from annotation.reveal.rules import read_verdict


class ReadClaimOut(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField()
    mark = serializers.CharField(help_text="Own mark; empty before the claims are marked.")


class VerdictOut(serializers.Serializer[Any]):
    question = serializers.CharField()
    value = serializers.CharField()
    claims = ReadClaimOut(many=True)
    amended = serializers.BooleanField()


class MarksIn(serializers.Serializer[Any]):
    marks = serializers.DictField(
        child=serializers.ChoiceField(choices=Mark.choices), help_text="Number of every claim to its mark."
    )


def _reply(place: Assignment, status: int = 200) -> Response:
    verdict = read_verdict(place)
    if verdict is None:
        raise Http404
    return Response(VerdictOut(verdict).data, status=status)


class VerdictView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(operation_id="assignment_verdict_show", responses=VerdictOut)
    def get(self, request: Request, handle: str) -> Response:
        """What a judge said about the item, once it may be seen; 404 before."""
        return _reply(place_or_404(caller(request), handle))

    @extend_schema(
        operation_id="assignment_verdict_mark",
        request=MarksIn,
        responses={201: VerdictOut, 409: RefusalOut, 422: RefusalOut},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Mark every claim, once, after the grade."""
        place = place_or_404(caller(request), handle)
        sent = understood(MarksIn, request)
        actions.mark_claims(reviewer=caller(request), assignment=place, **sent)
        return _reply(place, status=201)


class AmendView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(
        operation_id="assignment_verdict_save_amendment",
        request=shape.DraftIn,
        responses={200: shape.DraftOut, 409: shape.PlaceRefusalOut, 422: shape.PlaceRefusalOut},
    )
    def put(self, request: Request, handle: str) -> Response:
        """Save what is typed of an amendment over `version`; a newer draft answers 409 with its text."""
        return side_draft_reply(
            request, actions.save_amendment, assignment=place_or_404(caller(request), handle)
        )

    @extend_schema(
        operation_id="assignment_verdict_amend",
        request=AgainIn,
        responses={201: VerdictOut, 409: shape.PlaceRefusalOut, 422: shape.PlaceRefusalOut},
    )
    def post(self, request: Request, handle: str) -> Response:
        """Record an amendment; only the locked answers enter scores."""
        place = place_or_404(caller(request), handle)
        sent = understood(AgainIn, request)
        actions.amend_after_verdict(reviewer=caller(request), assignment=place, **sent)
        return _reply(place, status=201)
