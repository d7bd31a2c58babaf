"""REST endpoints of attempts: how they ended, what was asked and replied, and their memory."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.auth import IsStaffOfTheStudy
from accounts.rest.filters import StaffView
from solving.models import Attempt, MemoryEntry, SolveCall, SolveRun, Step
from solving.runs.queries import attempts_of, transcript
from solving.runs.settlement import LOADED


class AttemptOut(serializers.ModelSerializer[Attempt]):
    instance = serializers.CharField(source="instance.key")  # type: ignore[assignment]

    class Meta:
        model = Attempt
        fields = (
            "id", "run", "instance", "number", "state", "note", "outcome", "ended_because", "rounds", "tokens_spent",
            "cost_spent", "active_seconds", "began_at", "ended_at",
        )  # fmt: skip
        read_only_fields = fields


class AttemptDetailOut(AttemptOut):
    class Meta(AttemptOut.Meta):
        fields = (*AttemptOut.Meta.fields, "result", "ranking")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]


class SolveCallOut(serializers.ModelSerializer[SolveCall]):
    class Meta:
        model = SolveCall
        fields = (
            "id", "adopted", "model", "error", "prompt_tokens", "cached_tokens", "completion_tokens",
            "reasoning_tokens", "latency_seconds", "created_at", "reply",
        )  # fmt: skip
        read_only_fields = fields


class SolvingStepOut(serializers.ModelSerializer[Step]):
    calls = SolveCallOut(many=True)

    class Meta:
        model = Step
        fields = (
            "key", "kind", "endpoint", "round", "agent", "phase", "name", "state", "question_sha256", "reads",
            "reply_state", "reply_fault", "reply", "tokens_spent", "cost_spent", "seconds", "calls",
        )  # fmt: skip
        read_only_fields = fields


class TranscriptOut(serializers.Serializer[Any]):
    """A step with what was sent: of a question the prompt, rules and fields, of a tool its arguments."""

    step = SolvingStepOut()
    prompt = serializers.CharField(allow_blank=True)
    rules = serializers.CharField(allow_blank=True)
    fields_sent = serializers.DictField(source="fields", child=serializers.CharField())
    arguments = serializers.DictField()


class EntryOut(serializers.ModelSerializer[MemoryEntry]):
    class Meta:
        model = MemoryEntry
        fields = ("number", "section", "round", "agent", "role", "step", "text", "sha256")
        read_only_fields = fields


class AttemptList(generics.ListAPIView[Attempt]):
    """The attempts of a run, in the order of its problems."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = AttemptOut
    filters = {
        "instance": "instance__key", "state": "state", "outcome": "outcome", "ended_because": "ended_because",
    }  # fmt: skip
    queryset = Attempt.objects.none()

    def get_queryset(self) -> QuerySet[Attempt]:
        if getattr(self, "swagger_fake_view", False):
            return Attempt.objects.none()
        return attempts_of(get_object_or_404(SolveRun, pk=self.kwargs["pk"]))


class AttemptDetail(generics.RetrieveAPIView[Attempt]):
    """One attempt with its result, and how that was chosen."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = AttemptDetailOut
    queryset = Attempt.objects.select_related("instance")


class AttemptTranscript(StaffView):
    """Everything that was asked in an attempt and what came back, in order."""

    @extend_schema(operation_id="solve_attempt_transcript", responses={200: TranscriptOut(many=True)})
    def get(self, request: Request, pk: int) -> Response:
        attempt = get_object_or_404(Attempt.objects.select_related(*LOADED), pk=pk)
        return Response(TranscriptOut(transcript(attempt), many=True).data)


class AttemptMemory(generics.ListAPIView[MemoryEntry]):
    """The memory of an attempt, in the order in which it was written."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = EntryOut
    filters = {"section": "section", "agent": "agent", "round": "round"}
    queryset = MemoryEntry.objects.none()

    def get_queryset(self) -> QuerySet[MemoryEntry]:
        if getattr(self, "swagger_fake_view", False):
            return MemoryEntry.objects.none()
        return get_object_or_404(Attempt, pk=self.kwargs["pk"]).memory.order_by("number")
