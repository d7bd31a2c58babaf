"""REST endpoints of judging, for coordinators and owners."""

import json
from typing import Any

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, checked, understood
from accounts.refusal import Refused
from accounts.rest.auth import IsStaffOfTheStudy, StaffReadAndOwnersPost
from accounts.rest.documents import schema_of
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import OPTIONAL_KEY, idempotent
from benchmark.models import Output, Release
from benchmark.subjects import InstanceSubject, PairSubject, Subject
from canonical.documents import as_json
from judging.asking.subjects import output_of
from judging.models import Judge, JudgeRun, Verdict
from judging.reading.reparsing import Reparsed, reparse
from judging.runs.actions import ask, create_judge
from judging.runs.forms import judge_settings
from judging.runs.queries import left_out, runs_with_progress
from judging.runs.steering import adjust_run, retry_failed, steer
from work.models import RunState


class JudgeSerializer(serializers.ModelSerializer[Judge]):
    class Meta:
        model = Judge
        fields = (
            "id", "label", "protocol", "model", "family", "endpoint", "program", "decoding", "votes",
            "early_stop", "repair", "prices", "budget", "prompts", "sha256",
        )  # fmt: skip
        read_only_fields = fields

    label = serializers.CharField(read_only=True)  # type: ignore[assignment]


class JudgeIn(serializers.Serializer[Judge]):
    """A model at an endpoint of the deployment, or with `program` a program of the protocol and nothing else.

    `decoding` is an object; prices are per million tokens, budgets what one run may use at most. `own_prompts` are
    labels of uploaded prompts, such as "mask-proof.v1".
    """

    slug = serializers.SlugField(max_length=100)
    protocol = serializers.CharField()
    program = serializers.CharField(required=False, default="")
    model = serializers.CharField(required=False, default="")
    endpoint = serializers.CharField(required=False, default="")
    family = serializers.CharField(required=False, default="")
    votes = serializers.IntegerField(required=False, default=1)
    decoding = serializers.DictField(required=False, default=dict)
    early_stop = serializers.BooleanField(required=False, default=False)
    repair = serializers.BooleanField(required=False, default=False)
    prompt_price = serializers.CharField(required=False)
    completion_price = serializers.CharField(required=False)
    budget_tokens = serializers.IntegerField(required=False)
    budget_cost = serializers.CharField(required=False)
    own_prompts = serializers.ListField(child=serializers.CharField(), required=False, default=list)


_COUNTS = ("n_tasks", "n_waiting", "n_leased", "n_done", "n_failed", "n_held", "n_not_needed")


class JudgeRunSerializer(serializers.ModelSerializer[JudgeRun]):
    """A run with the state of its tasks; to ask, send judge, release, and optionally track, condition and predicates.

    With subject "instance" the release's instances are asked about; such a run has no track. `left_out` are the judge's
    predicates that the run does not ask, each with the reason.
    """

    release = serializers.SlugRelatedField(
        slug_field="name", queryset=Release.objects.select_related("benchmark")
    )
    predicates = serializers.ListField(child=serializers.CharField(), required=False)
    left_out = serializers.SerializerMethodField()
    n_tasks = serializers.IntegerField(read_only=True)
    n_waiting = serializers.IntegerField(read_only=True)
    n_leased = serializers.IntegerField(read_only=True)
    n_done = serializers.IntegerField(read_only=True)
    n_failed = serializers.IntegerField(read_only=True)
    n_held = serializers.IntegerField(read_only=True)
    n_not_needed = serializers.IntegerField(read_only=True)

    class Meta:
        model = JudgeRun
        fields = (
            "id", "judge", "release", "subject", "track", "condition", "predicates", "left_out", "after", "state",
            "created_at", "finished_at", "priority", "max_tokens", "max_cost", "tokens_spent", "cost_spent", "note",
            *_COUNTS,
        )  # fmt: skip
        read_only_fields = ("state", "created_at", "finished_at", "tokens_spent", "cost_spent", "note")
        extra_kwargs = {"priority": {"min_value": -100, "max_value": 100}}

    def get_left_out(self, run: JudgeRun) -> dict[str, str]:
        return left_out(run)


class AdjustIn(serializers.Serializer[JudgeRun]):
    """What may change about a run; what is left out stays."""

    priority = serializers.IntegerField(min_value=-100, max_value=100, required=False)
    max_tokens = serializers.IntegerField(min_value=1, required=False)
    max_cost = serializers.DecimalField(max_digits=16, decimal_places=6, min_value=0, required=False)


class SteerIn(serializers.Serializer[JudgeRun]):
    """The new state: paused, running or cancelled; the reason goes to the audit trail."""

    to = serializers.ChoiceField(choices=["paused", "running", "cancelled"])
    reason = serializers.CharField(required=False, default="", max_length=500)


class VerdictSerializer(serializers.ModelSerializer[Verdict]):
    """One vote. `subject` names the output, pair or instance as the label table does."""

    judge = serializers.CharField(source="judge.label", read_only=True)
    subject = serializers.SerializerMethodField()

    class Meta:
        model = Verdict
        fields = (
            "id", "judge", "subject", "predicate", "order", "vote", "value", "state", "confidence",
            "reason", "created_at",
        )  # fmt: skip
        read_only_fields = fields

    def get_subject(self, verdict: Verdict) -> str:
        if verdict.instance is not None:
            return str(InstanceSubject(verdict.instance.key))
        subject = _subject(output_of(verdict))
        return str(PairSubject(subject, _subject(verdict.second)) if verdict.second else subject)


def _subject(output: Output) -> Subject:
    run = output.run
    return Subject(output.instance.key, run.system.slug, output.attempt, run.track, run.condition)


class JudgeList(generics.ListAPIView[Judge]):
    """All judge versions; an owner's POST makes one."""

    permission_classes = [StaffReadAndOwnersPost]
    serializer_class = JudgeSerializer
    filters = {"protocol": "protocol", "family": "family"}
    queryset = Judge.objects.all()

    @extend_schema(
        parameters=[OPTIONAL_KEY],
        request=JudgeIn,
        responses={201: JudgeSerializer, 400: RefusalOut, 409: RefusalOut},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """The version with exactly these settings and today's prompts, made if it does not exist yet."""
        sent = checked(JudgeIn, request)
        given = {**sent.validated_data, "decoding": json.dumps(sent.validated_data["decoding"])}
        try:
            settings = judge_settings(given)
        except Refused as refusal:
            raise serializers.ValidationError({refusal.field or "program": [refusal.reason]}) from refusal
        judge = create_judge(actor=caller(request), **settings)
        return Response(JudgeSerializer(judge).data, status=201)


class JudgeRunList(generics.ListCreateAPIView[JudgeRun]):
    """All judge runs; POST asks a judge about a release. Nothing is asked twice, so a repeat is refused."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = JudgeRunSerializer
    filters = {"release": "release__name", "subject": "subject", "track": "track", "state": "state"}

    def get_queryset(self) -> QuerySet[JudgeRun]:
        return runs_with_progress()

    @extend_schema(parameters=[OPTIONAL_KEY], responses={201: JudgeRunSerializer, 409: RefusalOut})
    @idempotent
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.create(request, *args, **kwargs)

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        asked = checked(JudgeRunSerializer, request)
        run = ask(actor=caller(request), **{"predicates": [], **asked.validated_data})
        shown = self.get_serializer(runs_with_progress().get(pk=run.pk))
        return Response(shown.data, status=201)


class JudgeRunDetail(generics.RetrieveAPIView[JudgeRun]):
    """One judge run with its progress; PATCH gives it another priority or cap."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = JudgeRunSerializer

    def get_queryset(self) -> QuerySet[JudgeRun]:
        return runs_with_progress()

    @extend_schema(request=AdjustIn, responses={200: JudgeRunSerializer, 409: RefusalOut})
    def patch(self, request: Request, pk: int) -> Response:
        wanted = understood(AdjustIn, request)
        run = get_object_or_404(JudgeRun, pk=pk)
        adjust_run(actor=caller(request), run=run, **wanted)
        return Response(JudgeRunSerializer(self.get_object()).data)


class JudgeRunSteer(StaffView):
    """Pause, resume or cancel a run."""

    @extend_schema(request=SteerIn, responses={200: JudgeRunSerializer, 409: RefusalOut})
    def post(self, request: Request, pk: int) -> Response:
        wanted = understood(SteerIn, request)
        run = get_object_or_404(JudgeRun, pk=pk)
        steer(actor=caller(request), run=run, to=RunState(wanted["to"]), reason=wanted["reason"])
        return Response(JudgeRunSerializer(runs_with_progress().get(pk=pk)).data)


class JudgeRunRetry(StaffView):
    """Put the failed tasks of a run back into the queue."""

    @extend_schema(request=None, responses={200: JudgeRunSerializer, 409: RefusalOut})
    def post(self, request: Request, pk: int) -> Response:
        retry_failed(actor=caller(request), run=get_object_or_404(JudgeRun, pk=pk))
        return Response(JudgeRunSerializer(runs_with_progress().get(pk=pk)).data)


class JudgeRunReparse(StaffView):
    """Read the stored replies of a run with today's parser."""

    @extend_schema(request=None, responses={200: schema_of(Reparsed), 409: RefusalOut})
    def post(self, request: Request, pk: int) -> Response:
        """No call is made. If a vote is read differently, all go to a judge version of their own; the old ones stay."""
        run = get_object_or_404(JudgeRun.objects.select_related("judge"), pk=pk)
        return Response(as_json(reparse(actor=caller(request), run=run).document()))


class ReleaseVerdictList(generics.ListAPIView[Verdict]):
    """All stored votes on a release."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = VerdictSerializer
    filters = {
        "predicate": "predicate",
        "state": "state",
        "system": "output__run__system__slug",
        "instance": "output__instance__key",
    }

    queryset = Verdict.objects.none()

    def get_queryset(self) -> QuerySet[Verdict]:
        if getattr(self, "swagger_fake_view", False):
            return Verdict.objects.none()
        release = get_object_or_404(Release, name=self.kwargs["release"])
        of_release = Q(output__run__release=release) | Q(instance__release=release)
        return Verdict.objects.filter(of_release).select_related(
            "judge",
            "output__instance",
            "output__run__system",
            "second__instance",
            "second__run__system",
            "instance",
        )
