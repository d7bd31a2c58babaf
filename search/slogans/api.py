"""REST endpoints of slogans, for coordinators and owners."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.auth import IsOwner, IsStaffOfTheStudy, StaffReadAndOwnersPost
from accounts.rest.documents import schema_of
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StrictView
from accounts.rest.idempotency import writes
from canonical.documents import as_json
from search.corpora.queries import corpus_named
from search.models import Reads, SloganRun
from search.slogans.actions import Order, OrderEstimate, ask_for_slogans, estimate, raise_budget, steer
from search.slogans.queries import runs_with_progress
from work.models import RunState
from work.serializers import StateOrCapIn, cost, price, tokens


class OrderIn(serializers.Serializer[Any]):
    """What the model reads with each statement, which model, and its prices for a million tokens."""

    corpus = serializers.SlugField()
    reads = serializers.ChoiceField(Reads.choices)
    endpoint = serializers.CharField(max_length=100)
    model = serializers.CharField(max_length=200)
    prompt_price = price()
    completion_price = price()


class RunIn(OrderIn):
    """The same with a budget: at least one of the two."""

    max_cost = cost()
    max_tokens = tokens()


class StepIn(StateOrCapIn):
    """The state that the run is to have, or its new budget."""


class SloganRunOut(serializers.ModelSerializer[SloganRun]):
    corpus = serializers.CharField(source="corpus.slug")
    statements = serializers.IntegerField(source="n_tasks")
    written = serializers.IntegerField(source="n_written")
    refused = serializers.IntegerField(source="n_refused", help_text="Replies that are not used.")
    failed = serializers.IntegerField(source="n_failed", help_text="Statements without a reply.")

    class Meta:
        model = SloganRun
        fields = (
            "id", "corpus", "reads", "endpoint", "model", "prompt_sha256", "prompt_price", "completion_price", "state",
            "note", "max_tokens", "max_cost", "tokens_spent", "cost_spent", "statements", "written", "refused",
            "failed", "created_at", "finished_at",
        )  # fmt: skip
        read_only_fields = fields


class SloganRunList(generics.ListAPIView[SloganRun]):
    """All runs, the newest first; an owner's POST begins one."""

    permission_classes = [StaffReadAndOwnersPost]
    serializer_class = SloganRunOut
    filters = {"corpus": "corpus__slug", "state": "state"}

    def get_queryset(self) -> QuerySet[SloganRun]:
        return runs_with_progress().select_related("corpus")

    @writes("slogan_run_begin", request=RunIn, responses={201: SloganRunOut, 409: RefusalOut})
    def post(self, request: Request) -> Response:
        said = understood(RunIn, request)
        budget = {name: said.pop(name) for name in ("max_cost", "max_tokens")}
        corpus = corpus_named(said.pop("corpus"))
        run = ask_for_slogans(actor=caller(request), corpus=corpus, order=Order(**said), **budget)
        return Response(_shown(run.pk), status=201)


class SloganEstimate(StrictView):
    """What an order would need, about; nothing is asked."""

    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(
        operation_id="slogan_estimate",
        request=OrderIn,
        responses={200: schema_of(OrderEstimate), 409: RefusalOut},
    )
    def post(self, request: Request) -> Response:
        said = understood(OrderIn, request)
        corpus = corpus_named(said.pop("corpus"))
        return Response(as_json(estimate(corpus=corpus, order=Order(**said))))


class SloganRunSteer(StrictView):
    """Pause, resume or cancel a run, or give it another budget."""

    permission_classes = [IsOwner]

    @extend_schema(
        operation_id="slogan_run_steer", request=StepIn, responses={200: SloganRunOut, 409: RefusalOut}
    )
    def post(self, request: Request, pk: int) -> Response:
        said = understood(StepIn, request)
        run = get_object_or_404(SloganRun, pk=pk)
        to = said.pop("to", None)
        if to is None:
            raise_budget(actor=caller(request), run=run, **said)
        else:
            steer(actor=caller(request), run=run, to=RunState(to))
        return Response(_shown(pk))


def _shown(pk: int) -> Any:
    return SloganRunOut(runs_with_progress().select_related("corpus").get(pk=pk)).data
