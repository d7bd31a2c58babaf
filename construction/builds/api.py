"""REST endpoints of builds, for coordinators and owners; what spends money is for owners."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.refusal import Refused
from accounts.rest.auth import IsOwner, IsStaffOfTheStudy, StaffReadAndOwnersPost, is_console
from accounts.rest.documents import schema_of
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView, StrictView
from accounts.rest.idempotency import writes
from accounts.site.downloads import csv_reply
from canonical.documents import as_json
from construction.builds.actions import (
    Plan,
    ask_again,
    begin,
    raise_budget,
    review,
    steer,
    withdraw_review,
)
from construction.builds.comparing import Comparison, compare
from construction.builds.documents import (
    CandidateDocument,
    DomainDocument,
    RecipeDocument,
    SelectionDocument,
    StageDocument,
    candidate_document,
    domain_documents,
    recipe_document,
    selection_document,
    stage_documents,
)
from construction.builds.emission import Check, construct_again, emit
from construction.builds.estimating import BuildEstimate, chosen_sources, estimate
from construction.builds.funnels import choice_of, rows_of, table
from construction.builds.queries import builds_with_progress, calls_of, candidates_of, progress_of
from construction.builds.releasing import offsets_reply
from construction.models import Build, Candidate, Decision
from construction.pipeline import pipeline_names
from work.models import RunState
from work.serializers import StateOrCapIn, cost, price, tokens

CHECKED_AT_ONCE = 20  # papers that are read again while somebody waits
_CSV = {(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="A line for each stage and code.")}
_JSONL = {(200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR, description="One instance a line.")}


class BuildSourcesIn(serializers.Serializer[Any]):
    """Which sources: those that can be read and have a domain, narrowed by what is given."""

    domain = serializers.CharField(max_length=100, default="", allow_blank=True)
    category = serializers.CharField(max_length=100, default="", allow_blank=True)
    text = serializers.CharField(max_length=200, default="", allow_blank=True)
    keys = serializers.ListField(child=serializers.CharField(max_length=200), default=list, max_length=10_000)


class BuildEstimateIn(serializers.Serializer[Any]):
    """A recipe with the numbers that differ, sources, and prices of a million tokens."""

    protocol = serializers.ChoiceField([(name, name) for name in pipeline_names()])
    numbers = serializers.DictField(child=serializers.JSONField(), default=dict)
    sources = BuildSourcesIn(default=dict)
    prompt_price = price()
    completion_price = price()


class BuildIn(BuildEstimateIn):
    """The same with a name, a model, a seed and a budget: at least one of the two."""

    name = serializers.SlugField(max_length=100)
    endpoint = serializers.CharField(max_length=100)
    model = serializers.CharField(max_length=200)
    seed = serializers.IntegerField(min_value=0, max_value=2**63 - 1, default=1)
    max_cost = cost()
    max_tokens = tokens()


class BuildSteerIn(StateOrCapIn):
    """The state that the build is to have, or its new budget."""


class CandidateReviewIn(serializers.Serializer[Any]):
    """Drop a candidate, or repair strings of it: `after` is by line and field, such as `0.x.anchor_hint`."""

    decision = serializers.ChoiceField(Decision.choices)
    reason = serializers.CharField(max_length=1000)
    after = serializers.DictField(child=serializers.CharField(trim_whitespace=False), default=dict)


class BuildEmitIn(serializers.Serializer[Any]):
    """The release that is made."""

    release = serializers.SlugField(max_length=100)
    is_sample = serializers.BooleanField(default=False)


class BuildEmitOut(serializers.Serializer[Any]):
    release = serializers.CharField()
    sha256 = serializers.CharField()
    instances = serializers.IntegerField()


class BuildAgainOut(serializers.Serializer[Any]):
    tasks = serializers.IntegerField(help_text="Questions and papers that are tried again.")


class BuildOut(serializers.ModelSerializer[Build]):
    papers = serializers.IntegerField(source="n_papers")
    papers_over = serializers.IntegerField(source="n_read", help_text="Papers with nothing open.")
    release = serializers.CharField(source="release.name", default=None)

    class Meta:
        model = Build
        fields: tuple[str, ...] = (
            "name", "protocol", "recipe", "recipe_sha256", "sources_sha256", "prompts", "seed", "endpoint", "model",
            "prompt_price", "completion_price", "state", "note", "max_tokens", "max_cost", "tokens_spent",
            "cost_spent", "papers", "papers_over", "release", "created_at", "finished_at",
        )  # fmt: skip
        read_only_fields: tuple[str, ...] = fields


class BuildDetailOut(BuildOut):
    """The same with its progress, calls, funnel and, when it has ended, domains and quotas."""

    progress = serializers.SerializerMethodField()
    calls = serializers.SerializerMethodField()
    funnel = serializers.SerializerMethodField()
    domains = serializers.SerializerMethodField()

    class Meta(BuildOut.Meta):
        fields = (*BuildOut.Meta.fields, "progress", "calls", "funnel", "domains")
        read_only_fields = fields

    def get_progress(self, build: Build) -> dict[str, int]:
        return progress_of(build)

    def get_calls(self, build: Build) -> dict[str, int]:
        return calls_of(build)

    @extend_schema_field(schema_of(StageDocument)(many=True))
    def get_funnel(self, build: Build) -> Any:
        return as_json(stage_documents(rows_of(build, choice_of(build))))

    @extend_schema_field(schema_of(DomainDocument)(many=True))
    def get_domains(self, build: Build) -> Any:
        return as_json(domain_documents(build, choice_of(build)))


class CandidateOut(serializers.ModelSerializer[Candidate]):
    paper = serializers.CharField(source="paper.source.key")

    class Meta:
        model = Candidate
        fields = ("id", "paper", "key", "stage", "state", "code", "sentence", "places")
        read_only_fields = fields


class BuildList(generics.ListAPIView[Build]):
    """All builds, the newest first; an owner's POST begins one."""

    permission_classes = [StaffReadAndOwnersPost]
    serializer_class = BuildOut
    filters = {"protocol": "protocol", "state": "state"}

    def get_queryset(self) -> QuerySet[Build]:
        return builds_with_progress().select_related("release")

    @writes("build_begin", request=BuildIn, responses={201: BuildOut, 409: RefusalOut})
    def post(self, request: Request) -> Response:
        said = understood(BuildIn, request)
        budget = {name: said.pop(name) for name in ("max_cost", "max_tokens")}
        sources = chosen_sources(**said.pop("sources"))
        build = begin(actor=caller(request), plan=Plan(**said), sources=sources, **budget)
        return Response(BuildOut(_progressing(build.name)).data, status=201)


class EstimateView(StaffView):
    """What a build would need, about; nothing is asked."""

    @extend_schema(
        operation_id="build_estimate",
        request=BuildEstimateIn,
        responses={200: schema_of(BuildEstimate), 409: RefusalOut},
    )
    def post(self, request: Request) -> Response:
        said = understood(BuildEstimateIn, request)
        sources = chosen_sources(**said.pop("sources"))
        return Response(as_json(estimate(sources=sources, **said)))


class RecipesView(StaffView):
    @extend_schema(operation_id="build_recipes", responses=schema_of(RecipeDocument)(many=True))
    def get(self, request: Request) -> Response:
        """The recipes with every number, the paper's next to ours, and the prompts."""
        return Response(as_json([recipe_document(name) for name in pipeline_names()]))


class BuildDetail(StaffView):
    @extend_schema(operation_id="build_show", responses=BuildDetailOut)
    def get(self, request: Request, name: str) -> Response:
        """A build with its funnel."""
        return Response(BuildDetailOut(_progressing(name)).data)


class FunnelView(StaffView):
    @extend_schema(operation_id="build_funnel", responses=_CSV)
    def get(self, request: Request, name: str) -> HttpResponseBase:
        """The funnel as CSV."""
        build = get_object_or_404(Build, name=name)
        return csv_reply(table(build, rows_of(build, choice_of(build))), f"funnel-{name}.csv")


class SteerView(StrictView):
    """Pause, resume or cancel a build, or give it another budget."""

    permission_classes = [IsOwner]

    @writes("build_steer", request=BuildSteerIn, responses={200: BuildOut, 409: RefusalOut})
    def post(self, request: Request, name: str) -> Response:
        said = understood(BuildSteerIn, request)
        build = get_object_or_404(Build, name=name)
        to = said.pop("to", None)
        if to is None:
            raise_budget(actor=caller(request), build=build, **said)
        else:
            steer(actor=caller(request), build=build, to=RunState(to))
        return Response(BuildOut(_progressing(name)).data)


class AgainView(StrictView):
    """Ask again what got no reply, and read again what could not be read."""

    permission_classes = [IsOwner]

    @writes("build_ask_again", request=None, responses={200: BuildAgainOut, 409: RefusalOut})
    def post(self, request: Request, name: str) -> Response:
        tasks = ask_again(actor=caller(request), build=get_object_or_404(Build, name=name))
        return Response({"tasks": tasks})


class CandidateList(generics.ListAPIView[Candidate]):
    """The candidates of a build; those that led to others are left out unless `state` is `passed`."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = CandidateOut
    filters = {"stage": "stage", "code": "code", "state": "state", "paper": "paper__source__key"}
    queryset = Candidate.objects.none()

    def get_queryset(self) -> QuerySet[Candidate]:
        build = get_object_or_404(Build, name=self.kwargs["name"])
        return candidates_of(build, {"state": self.request.query_params.get("state", "")})

    @extend_schema(operation_id="build_candidates")
    def get(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().get(request, *args, **kwargs)


class CandidateView(StaffView):
    @extend_schema(operation_id="build_candidate", responses=schema_of(CandidateDocument))
    def get(self, request: Request, name: str, pk: int) -> Response:
        """A candidate: its lines with the origin of each string, replies, and decisions."""
        return Response(as_json(candidate_document(_candidate(name, pk))))


class ReviewView(StaffView):
    @writes(
        "build_candidate_review",
        request=CandidateReviewIn,
        responses={200: schema_of(CandidateDocument), 409: RefusalOut},
    )
    def post(self, request: Request, name: str, pk: int) -> Response:
        """Drop a candidate or repair it, until the release is made."""
        said = understood(CandidateReviewIn, request)
        decision = Decision(said["decision"])
        review(
            actor=caller(request),
            candidate=_candidate(name, pk),
            decision=decision,
            reason=said["reason"],
            after=said["after"] or None,
        )
        return Response(as_json(candidate_document(_candidate(name, pk))))


class WithdrawView(StaffView):
    @writes(
        "build_candidate_withdraw",
        request=None,
        responses={200: schema_of(CandidateDocument), 409: RefusalOut},
    )
    def post(self, request: Request, name: str, pk: int) -> Response:
        """Undo the decision about a candidate."""
        withdraw_review(actor=caller(request), candidate=_candidate(name, pk))
        return Response(as_json(candidate_document(_candidate(name, pk))))


class SelectionView(StaffView):
    @extend_schema(
        operation_id="build_selection", responses={200: schema_of(SelectionDocument), 409: RefusalOut}
    )
    def get(self, request: Request, name: str) -> Response:
        """Every line with its points, and why it was not selected."""
        build = get_object_or_404(Build, name=name)
        choice = choice_of(build)
        if choice is None:
            raise Refused("The selection is made when the build has ended.", code="wrong_state")
        return Response(as_json(selection_document(build, choice)))


class OffsetsView(StaffView):
    filters = {"licence": "restricted: only sources whose text may not be passed on"}

    @extend_schema(
        operation_id="build_offsets",
        parameters=[OpenApiParameter("licence", str, description=filters["licence"])],
        responses=_JSONL,
    )
    def get(self, request: Request, name: str) -> HttpResponseBase:
        """The release without its texts: where each string is to be found, and its hash."""
        build = get_object_or_404(Build, name=name)
        return offsets_reply(build, only_restricted=request.query_params.get("licence") == "restricted")


class EmitView(StaffView):
    @writes("build_emit", request=BuildEmitIn, responses={201: BuildEmitOut, 409: RefusalOut})
    def post(self, request: Request, name: str) -> Response:
        """Make the release."""
        said = understood(BuildEmitIn, request)
        build = get_object_or_404(Build, name=name)
        made = emit(actor=caller(request), build=build, name=said["release"], is_sample=said["is_sample"])
        told = {"release": made.name, "sha256": made.sha256, "instances": made.instances.count()}
        return Response(told, status=201)


class CheckView(StaffView):
    @extend_schema(
        operation_id="build_check", request=None, responses={200: schema_of(Check), 409: RefusalOut}
    )
    def post(self, request: Request, name: str) -> Response:
        """Construct all lines again from sources and stored replies, and name the papers that differ."""
        build = get_object_or_404(Build, name=name)
        papers = build.papers.count()
        if papers > CHECKED_AT_ONCE and not is_console(request):
            run = f"manage.py api POST builds/{name}/check/"
            reason = f"Reading {papers:,} papers takes longer than a request may. Run {run}."
            raise Refused(reason, code="too_many_papers")
        return Response(as_json(construct_again(build)))


class CompareView(StaffView):
    @extend_schema(operation_id="build_compare", responses={200: schema_of(Comparison), 409: RefusalOut})
    def get(self, request: Request, name: str, first: str) -> Response:
        """The build against an earlier one: papers, lines again, replies used again, drift of the funnel."""
        earlier, later = (get_object_or_404(Build, name=wanted) for wanted in (first, name))
        return Response(as_json(compare(earlier, later)))


def _progressing(name: str) -> Build:
    return get_object_or_404(builds_with_progress().select_related("release"), name=name)


def _candidate(name: str, pk: int) -> Candidate:
    rows = Candidate.objects.select_related("paper__source", "paper__run")
    return get_object_or_404(rows, pk=pk, paper__run__name=name)
