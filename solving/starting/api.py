"""REST endpoints about a run before it is begun: what it would take, and its first questions."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import understood
from accounts.refusal import Refused
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView
from benchmark.models import FrozenTuple, Release
from solving.models import Material, Solver, SolveRun
from solving.runs.actions import Order
from solving.runs.queries import first_questions
from solving.starting.estimating import MOST_QUESTIONS, TooMany
from solving.starting.queries import estimated, typical
from work.serializers import cost, tokens


class RunOrderIn(serializers.Serializer[Any]):
    """A solver, what it works on, and what each attempt and the whole run may use: at least one cap of an attempt.

    `solver` is a name with its version, such as rma-v1; `artifact` a frozen tuple of the release, `bank` and `blocked`
    materials by name.
    """

    solver = serializers.CharField(max_length=100)
    release = serializers.CharField(max_length=100)
    track = serializers.CharField(max_length=50, default="raw")
    condition = serializers.CharField(max_length=50, default="", allow_blank=True)
    split = serializers.CharField(max_length=50, default="", allow_blank=True)
    keys = serializers.ListField(child=serializers.CharField(max_length=200), default=list)
    attempts = serializers.IntegerField(min_value=1, max_value=1000, default=1)
    attempt_tokens = tokens()
    attempt_cost = cost()
    attempt_seconds = tokens(max_value=10**8)
    rule = serializers.ChoiceField(SolveRun.Rule.choices, default=SolveRun.Rule.HARD)
    max_tokens = tokens()
    max_cost = cost()
    artifact = serializers.CharField(default=None, allow_null=True)
    bank = serializers.CharField(default=None, allow_null=True)
    blocked = serializers.CharField(default=None, allow_null=True)
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, default=1)
    priority = serializers.IntegerField(min_value=-100, max_value=100, default=0)


class EstimateIn(RunOrderIn):
    """The same with the length of a draft, in tokens, that is assumed."""

    draft = serializers.IntegerField(min_value=1, max_value=1_000_000, default=2_000)


class CourseOut(serializers.Serializer[Any]):
    """One attempt. `capped`: it ends at its cap."""

    questions = serializers.IntegerField()
    tokens = serializers.IntegerField()
    cost = serializers.CharField()
    rounds = serializers.IntegerField()
    capped = serializers.BooleanField()


class RunEstimateOut(serializers.Serializer[Any]):
    """`low` and `likely` are one attempt; the other figures all of them. `fits` is the longest draft with which an
    attempt reaches its end within its cap: null if the length does not matter, 0 if not even the shortest fits."""

    attempts = serializers.IntegerField()
    low = CourseOut()
    likely = CourseOut()
    questions_low = serializers.IntegerField()
    questions = serializers.IntegerField()
    tokens_low = serializers.IntegerField()
    tokens_likely = serializers.IntegerField()
    tokens_cap = serializers.IntegerField(allow_null=True)
    cost_low = serializers.CharField()
    cost_likely = serializers.CharField()
    cost_cap = serializers.CharField(allow_null=True)
    draft = serializers.IntegerField()
    longest = serializers.IntegerField(
        help_text="The longest draft that the settings allow; 0 without drafts."
    )
    fits = serializers.IntegerField(allow_null=True)
    all_fits = serializers.BooleanField()
    above_cap = serializers.BooleanField(help_text="Whether the likely course is above the cap of the run.")


class MessageOut(serializers.Serializer[Any]):
    role = serializers.CharField()
    content = serializers.CharField()


class FirstQuestionsOut(serializers.Serializer[Any]):
    """The first questions about one problem, each as the messages that would be sent."""

    instance = serializers.CharField()
    questions = serializers.ListField(child=MessageOut(many=True))


class RunEstimateView(StaffView):
    """What an order would take, about; nothing is asked."""

    @extend_schema(
        operation_id="solve_run_estimate",
        request=EstimateIn,
        responses={200: RunEstimateOut, 409: RefusalOut},
    )
    def post(self, request: Request) -> Response:
        said = understood(EstimateIn, request)
        draft = said.pop("draft")
        solver, order = order_of(said)
        given, attempts = typical(solver, order)
        try:
            found = estimated(solver, order, given, attempts, draft=draft)
        except TooMany as error:
            reason = (
                f"An attempt asks more than {MOST_QUESTIONS:,} questions, which an estimate does not follow."
            )
            raise Refused(reason, code="too_many") from error
        return Response(RunEstimateOut(found).data)


class FirstQuestions(StaffView):
    """The first questions of an order, to read before a run begins; nothing is asked."""

    @extend_schema(
        operation_id="solve_run_questions",
        request=RunOrderIn,
        responses={200: FirstQuestionsOut, 409: RefusalOut},
    )
    def post(self, request: Request) -> Response:
        solver, order = order_of(understood(RunOrderIn, request))
        given, _ = typical(solver, order)
        asked = {"instance": given.instance, "questions": first_questions(solver, given)}
        return Response(FirstQuestionsOut(asked).data)


def order_of(said: dict[str, Any]) -> tuple[Solver, Order]:
    """What a RunOrderIn names. Raises Http404 for a solver, a release or a material that is not there."""
    slug, _, version = said.pop("solver").rpartition("-v")
    number = int(version) if version.isdecimal() and len(version) < 6 else 0
    solver = get_object_or_404(Solver, slug=slug, version=number)
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=said.pop("release"))
    artifact, bank, blocked = (said.pop(name) for name in ("artifact", "bank", "blocked"))
    order = Order(
        release,
        artifact=get_object_or_404(FrozenTuple, release=release, name=artifact) if artifact else None,
        bank=get_object_or_404(Material, kind=Material.Kind.BANK, name=bank) if bank else None,
        blocked=get_object_or_404(Material, kind=Material.Kind.BLOCKED, name=blocked) if blocked else None,
        **said,
    )
    return solver, order
