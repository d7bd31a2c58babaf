"""REST: asking which system wrote an answer, and the switch for that."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import TokenScope
from accounts.profile.api import caller, understood
from accounts.rest.errors import REFUSED
from accounts.rest.filters import StaffView, StrictView
from annotation.campaigns.api import campaign_or_404
from annotation.core.places import place_or_404
from annotation.guessing import actions
from annotation.guessing.guesses import is_asked, own_names


class GuessOut(serializers.Serializer[Any]):
    asked = serializers.BooleanField(help_text="Whether an answer is still wanted.")
    systems = serializers.ListField(
        child=serializers.CharField(), help_text="What you named before in this campaign."
    )


class GuessIn(serializers.Serializer[Any]):
    system = serializers.CharField(
        max_length=100, allow_blank=True, help_text="A name in your own words, or empty for no idea."
    )


class GuessView(StrictView):
    token_scope = TokenScope.GRADE

    @extend_schema(operation_id="assignment_guess_show", responses=GuessOut)
    def get(self, request: Request, handle: str) -> Response:
        """Whether the question is asked here. Nobody is told which systems take part."""
        place = place_or_404(caller(request), handle)
        asked = is_asked(place)
        return Response({"asked": asked, "systems": own_names(place) if asked else []})

    @extend_schema(operation_id="assignment_guess", request=GuessIn, responses={204: None, **REFUSED})
    def post(self, request: Request, handle: str) -> Response:
        """Answer, once; the grade is not changed."""
        place = place_or_404(caller(request), handle)
        actions.guess_system(reviewer=caller(request), assignment=place, **understood(GuessIn, request))
        return Response(status=204)


class AskForGuessesView(StaffView):
    @extend_schema(operation_id="campaign_ask_for_guesses", request=None, responses={204: None, **REFUSED})
    def post(self, request: Request, slug: str) -> Response:
        """Switch the question on, before the campaign opens."""
        actions.ask_for_guesses(actor=caller(request), campaign=campaign_or_404(slug))
        return Response(status=204)
