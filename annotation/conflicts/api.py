"""REST: conflicts of interest as coordinators see and decide them."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Conflict, ConflictKind
from accounts.people.queries import any_member
from accounts.profile.api import caller, understood
from accounts.rest.errors import REFUSED
from accounts.rest.filters import StaffView
from annotation.conflicts import actions
from annotation.models import ConflictTarget, TargetKind
from benchmark.models import Benchmark


class TargetShape(serializers.ModelSerializer[ConflictTarget]):
    kind = serializers.ChoiceField(choices=TargetKind.choices)

    class Meta:
        model = ConflictTarget
        fields = ("kind", "key")


class DeclaredOut(serializers.ModelSerializer[Conflict]):
    reviewer = serializers.EmailField(source="user.email")
    targets = TargetShape(many=True)

    class Meta:
        model = Conflict
        fields = ("id", "reviewer", "kind", "key", "reason", "declared_at", "decided_at", "targets")


class ConflictEnteredIn(serializers.Serializer[Any]):
    reviewer = serializers.EmailField()
    kind = serializers.ChoiceField(choices=ConflictKind.choices)
    key = serializers.CharField(max_length=200)
    reason = serializers.CharField(max_length=500, allow_blank=True, default="")


class ConflictDecisionIn(serializers.Serializer[Any]):
    targets = TargetShape(many=True, help_text="What is excluded; an empty list dismisses the declaration.")
    reason = serializers.CharField(max_length=1000, allow_blank=True, default="")


class ConflictApplyIn(serializers.Serializer[Any]):
    benchmark = serializers.SlugField(help_text="The slug of a benchmark that the reviewer has begun.")
    reason = serializers.CharField(max_length=1000, allow_blank=True, default="")


def _rows() -> Any:
    rows = Conflict.objects.filter(user__is_active=True).select_related("user").prefetch_related("targets")
    return rows.order_by("declared_at", "pk")


def _reply(pk: int, status: int = 200) -> Response:
    return Response(DeclaredOut(get_object_or_404(_rows(), pk=pk)).data, status=status)


class ConflictsDeclaredView(StaffView):
    @extend_schema(operation_id="conflicts_list", responses=DeclaredOut(many=True))
    def get(self, request: Request) -> Response:
        """Every declared conflict of interest with what it excludes; `decided_at` is null while one is waiting."""
        return Response(DeclaredOut(_rows(), many=True).data)

    @extend_schema(
        operation_id="conflicts_enter", request=ConflictEnteredIn, responses={201: DeclaredOut, **REFUSED}
    )
    def post(self, request: Request) -> Response:
        """Enter a conflict for a reviewer; it still has to be decided."""
        sent = understood(ConflictEnteredIn, request)
        member = any_member(sent.pop("reviewer"))
        return _reply(actions.enter_conflict(actor=caller(request), member=member, **sent).pk, status=201)


class ConflictDecisionView(StaffView):
    @extend_schema(
        operation_id="conflict_decide", request=ConflictDecisionIn, responses={200: DeclaredOut, **REFUSED}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Say what a declaration excludes where the reviewer has not begun."""
        conflict = get_object_or_404(Conflict, pk=pk)
        sent = understood(ConflictDecisionIn, request)
        targets = [(target["kind"], target["key"]) for target in sent["targets"]]
        actions.decide_conflict(
            actor=caller(request), conflict=conflict, targets=targets, reason=sent["reason"]
        )
        return _reply(pk)


class ConflictApplyView(StaffView):
    @extend_schema(operation_id="conflict_apply", request=ConflictApplyIn, responses={204: None, **REFUSED})
    def post(self, request: Request, pk: int) -> Response:
        """Let the reviewer's decided conflicts count in a benchmark that they have begun."""
        conflict = get_object_or_404(Conflict.objects.select_related("user"), pk=pk)
        sent = understood(ConflictApplyIn, request)
        benchmark = get_object_or_404(Benchmark, slug=sent["benchmark"])
        actions.apply_conflicts(
            actor=caller(request), member=conflict.user, benchmark=benchmark, reason=sent["reason"]
        )
        return Response(status=204)
