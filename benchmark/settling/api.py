"""REST: what the source matcher leaves to people, and their answers; for coordinators and owners."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.errors import RefusalOut
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import writes
from benchmark.models import Settlement, SettlementVerdict
from benchmark.releases.queries import release_or_404
from benchmark.settling.actions import settle, withdraw_settlement
from benchmark.settling.queue import OpenQuestion, questions

STATES = ("open", "settled")
REFUSED = {404: RefusalOut, 409: RefusalOut, 422: RefusalOut}


class SettlementIn(serializers.ModelSerializer[Settlement]):
    verdict = serializers.ChoiceField(choices=SettlementVerdict.choices)

    class Meta:
        model = Settlement
        fields = ("verdict", "note")


class SettlementOut(SettlementIn):
    decided_by = serializers.CharField(source="decided_by.email")
    withdrawn_by = serializers.CharField(source="withdrawn_by.email", default=None, allow_null=True)

    class Meta:
        model = Settlement
        fields = ("id", "verdict", "note", "decided_by", "decided_at", "withdrawn_by", "withdrawn_at")
        read_only_fields = fields


class QuestionOut(serializers.Serializer[OpenQuestion]):
    pair = serializers.CharField(source="case.pair", help_text="SHA-256 of both texts, whatever their case.")
    found = serializers.SerializerMethodField(help_text="What outputs found, by name of the field.")
    wanted = serializers.SerializerMethodField(help_text="What they were to find, by name of the field.")
    reason = serializers.CharField(source="case.reason", help_text="Why the matcher cannot decide.")
    instances = serializers.ListField(child=serializers.CharField())
    outputs = serializers.IntegerField(help_text="Outputs that the answer decides.")
    verdict = serializers.SerializerMethodField(help_text="The answer that counts: same, different or null.")
    answers = SettlementOut(many=True, help_text="Every answer, the newest first.")

    def get_found(self, question: OpenQuestion) -> dict[str, str]:
        return dict(question.case.found)

    def get_wanted(self, question: OpenQuestion) -> dict[str, str]:
        return dict(question.case.wanted)

    def get_verdict(self, question: OpenQuestion) -> str | None:
        return question.answer.verdict if question.answer else None


class QuestionsOut(serializers.Serializer[Any]):
    release = serializers.CharField()
    total = serializers.IntegerField()
    settled = serializers.IntegerField()
    questions = QuestionOut(many=True)


class QuestionsView(StaffView):
    filters = {"state": "open or settled; without it all"}

    @extend_schema(
        operation_id="releases_source_questions",
        parameters=[OpenApiParameter("state", str, enum=STATES, description=filters["state"])],
        responses={200: QuestionsOut, 400: RefusalOut},
    )
    def get(self, request: Request, name: str) -> Response:
        """Every pair of a source found and the source cited of which only a person can say whether they are one
        work, by instance, with all answers. No system is named."""
        state = request.query_params.get("state")
        if state not in (None, *STATES):
            raise ValidationError({"state": f"one of {', '.join(STATES)}"})
        found = questions(release_or_404(name))
        settled = sum(question.answer is not None for question in found)
        listed = [question for question in found if state in (None, STATES[question.answer is not None])]
        body = {"release": name, "total": len(found), "settled": settled, "questions": listed}
        return Response(QuestionsOut(body).data)


class QuestionView(StaffView):
    @writes("releases_settle_source", request=SettlementIn, responses={200: SettlementOut, 404: RefusalOut})
    def post(self, request: Request, name: str, pair: str) -> Response:
        """Say whether the two are one work. The latest answer counts, for every output with this pair."""
        sent = understood(SettlementIn, request)
        return Response(
            SettlementOut(settle(actor=caller(request), release=release_or_404(name), pair=pair, **sent)).data
        )


class SettlementView(StaffView):
    @extend_schema(operation_id="releases_withdraw_settlement", responses={204: None, **REFUSED})
    def delete(self, request: Request, name: str, pk: int) -> Response:
        """Withdraw an answer. It stays in the history; the answer before it counts again."""
        row = get_object_or_404(Settlement, pk=pk, release__name=name)
        withdraw_settlement(actor=caller(request), settlement=row)
        return Response(status=204)
