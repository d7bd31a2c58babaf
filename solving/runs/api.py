"""REST endpoints of runs, for coordinators and owners."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.auth import IsOwner, IsStaffOfTheStudy, StaffReadAndOwnersPost
from accounts.rest.documents import schema_of
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView, StrictView
from accounts.rest.idempotency import writes
from benchmark.releases.years import Years
from canonical.documents import as_json
from solving.models import SolveRun
from solving.publishing.actions import publish
from solving.runs.actions import begin, raise_budget, steer
from solving.runs.queries import Difference, RunProgress, differences, progress_of, runs, years_in
from solving.starting.api import RunOrderIn, order_of
from work.models import RunState
from work.serializers import StateOrCapIn


class SteeringIn(StateOrCapIn):
    """The state that the run is to have, or another cap of the whole run."""


class PublishIn(serializers.Serializer[Any]):
    """With `dry_run` the outputs are only checked."""

    dry_run = serializers.BooleanField(default=False)


class PublishedOut(serializers.Serializer[Any]):
    """What the import of the run's outputs came to."""

    published = serializers.IntegerField(
        allow_null=True, help_text="The run of the benchmark, unless it was a dry run."
    )
    outputs = serializers.IntegerField()
    sha256 = serializers.CharField(help_text="Of the outputs file.")


class SolveRunOut(serializers.ModelSerializer[SolveRun]):
    solver = serializers.CharField(source="solver.name")
    release = serializers.CharField(source="release.name")
    artifact = serializers.CharField(source="artifact.name", default=None)
    bank = serializers.CharField(source="bank.name", default=None)
    blocked = serializers.CharField(source="blocked.name", default=None)
    attempts = serializers.IntegerField(source="n_attempts")
    ended = serializers.IntegerField(source="n_ended")
    answered = serializers.IntegerField(source="n_answered")
    failed = serializers.IntegerField(source="n_failed")

    class Meta:
        model = SolveRun
        fields = (
            "id", "solver", "release", "track", "condition", "split", "attempts_each", "attempt_tokens",
            "attempt_cost", "attempt_seconds", "rule", "max_tokens", "max_cost", "tokens_spent", "cost_spent",
            "artifact", "bank", "blocked", "seed", "priority", "state", "note", "attempts", "ended", "answered",
            "failed", "created_at", "finished_at", "published",
        )  # fmt: skip
        read_only_fields = fields


class SolveRunDetailOut(SolveRunOut):
    progress = serializers.SerializerMethodField()
    years = serializers.SerializerMethodField()

    class Meta(SolveRunOut.Meta):
        fields = (*SolveRunOut.Meta.fields, "progress", "years")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]

    @extend_schema_field(schema_of(RunProgress))
    def get_progress(self, run: SolveRun) -> Any:
        return as_json(progress_of(run))

    @extend_schema_field(schema_of(Years)(allow_null=True))
    def get_years(self, run: SolveRun) -> Any:
        found = years_in(run)
        return None if found is None else as_json(found)


class RunComparisonOut(serializers.Serializer[Any]):
    """Runs are comparable if nothing but their solvers differs."""

    first = SolveRunOut()
    second = SolveRunOut()
    differences = serializers.ListField(child=schema_of(Difference)())
    comparable = serializers.BooleanField()


class SolveRunList(generics.ListAPIView[SolveRun]):
    """All runs; an owner's POST begins one."""

    permission_classes = [StaffReadAndOwnersPost]
    serializer_class = SolveRunOut
    filters = {"release": "release__name", "solver": "solver__slug", "state": "state"}

    def get_queryset(self) -> QuerySet[SolveRun]:
        return runs()

    @writes("solve_run_begin", request=RunOrderIn, responses={201: SolveRunOut, 409: RefusalOut})
    def post(self, request: Request) -> Response:
        solver, order = order_of(understood(RunOrderIn, request))
        run = begin(actor=caller(request), solver=solver, order=order)
        return Response(_shown(run.pk), status=201)


class SolveRunDetail(generics.RetrieveAPIView[SolveRun]):
    """One run with its progress."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = SolveRunDetailOut

    def get_queryset(self) -> QuerySet[SolveRun]:
        return runs()


class SolveRunSteer(StrictView):
    """Pause, resume or cancel a run, or give it another cap."""

    permission_classes = [IsOwner]

    @writes("solve_run_steer", request=SteeringIn, responses={200: SolveRunOut, 409: RefusalOut})
    def post(self, request: Request, pk: int) -> Response:
        said = understood(SteeringIn, request)
        run = get_object_or_404(SolveRun, pk=pk)
        to = said.pop("to", None)
        if to is None:
            raise_budget(actor=caller(request), run=run, **said)
        else:
            steer(actor=caller(request), run=run, to=RunState(to))
        return Response(_shown(pk))


class SolveRunPublish(StrictView):
    """Make the outputs of a run that has ended those of its solver on the release."""

    permission_classes = [IsOwner]

    @writes("solve_run_publish", request=PublishIn, responses={200: PublishedOut, 409: RefusalOut})
    def post(self, request: Request, pk: int) -> Response:
        said = understood(PublishIn, request)
        run = get_object_or_404(SolveRun, pk=pk)
        report = publish(actor=caller(request), run=run, dry_run=said["dry_run"])
        run.refresh_from_db()
        told = {"published": run.published_id, "outputs": report.outputs, "sha256": report.sha256}
        return Response(PublishedOut(told).data)


class SolveRunCompare(StaffView):
    """Two runs, and what differs between them besides their solvers."""

    @extend_schema(operation_id="solve_run_compare", responses={200: RunComparisonOut})
    def get(self, request: Request, pk: int, other: int) -> Response:
        first, second = (get_object_or_404(runs(), pk=one) for one in (pk, other))
        found = differences(first, second)
        told = {
            "first": first, "second": second, "differences": [as_json(one) for one in found],
            "comparable": not found,
        }  # fmt: skip
        return Response(RunComparisonOut(told).data)


def _shown(pk: int) -> Any:
    return SolveRunOut(runs().get(pk=pk)).data
