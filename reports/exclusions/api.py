"""REST: the exclusion rules of a release, and declaring one."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, understood
from accounts.rest.filters import StaffView
from accounts.rest.idempotency import writes
from reports.core.requests import release_or_404
from reports.exclusions.actions import declare_rule
from reports.exclusions.objections import rules_document
from reports.exclusions.rules import GROUNDS


class RuleIn(serializers.Serializer[Any]):
    name = serializers.SlugField(max_length=100)
    grounds = serializers.ListField(child=serializers.ChoiceField(choices=list(GROUNDS)), allow_empty=False)
    at_least = serializers.IntegerField(min_value=1, max_value=25, help_text="So many different reviewers.")
    reason = serializers.CharField(max_length=1000)
    primary = serializers.BooleanField(
        default=False,
        help_text="Scores and comparisons of the release leave its instances out; only before any unblinding.",
    )


class RuleOut(RuleIn):
    late = serializers.BooleanField(help_text="Declared when results could be read.")
    declared_at = serializers.CharField()
    excluded = serializers.ListField(child=serializers.CharField(), help_text="Keys of instances.")


class ObjectionOut(serializers.Serializer[Any]):
    instance = serializers.CharField()
    ground = serializers.CharField()
    reviewers = serializers.IntegerField()
    graders = serializers.IntegerField()


class RulesOut(serializers.Serializer[Any]):
    release = serializers.CharField()
    instances = serializers.IntegerField()
    rules = RuleOut(many=True)
    objections = ObjectionOut(many=True, help_text="Of closed campaigns.")


class ExclusionsView(StaffView):
    @extend_schema(operation_id="releases_exclusions", responses=RulesOut)
    def get(self, request: Request, name: str) -> Response:
        """Declared rules with the instances that they exclude, and what reviewers objected to."""
        return Response(rules_document(release_or_404(name)))

    @writes("releases_declare_exclusion", request=RuleIn, responses={201: RulesOut})
    def post(self, request: Request, name: str) -> Response:
        """Declare a rule; it is never changed."""
        release = release_or_404(name)
        declare_rule(actor=caller(request), release=release, **understood(RuleIn, request))
        return Response(rules_document(release), status=201)
