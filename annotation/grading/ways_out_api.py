"""REST: issues that reviewers reported."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.filters import StaffView
from annotation.campaigns.api import campaign_or_404
from annotation.grading.ways_out import ways_out


class UnjudgedWordsOut(serializers.Serializer[Any]):
    reason = serializers.CharField()
    words = serializers.CharField()
    note = serializers.CharField(allow_blank=True)


class WaysOutItemOut(serializers.Serializer[Any]):
    item = serializers.CharField(help_text="The item's opaque name.")
    problem = serializers.CharField()
    domain = serializers.CharField()
    grades = serializers.IntegerField()
    out_of_field = serializers.IntegerField()
    statement_wrong = serializers.IntegerField()
    seen_before = serializers.IntegerField()
    seen_where = serializers.ListField(child=serializers.CharField())
    unjudged = UnjudgedWordsOut(many=True)


class WaysOutOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    grades = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    reasons = serializers.DictField(child=serializers.IntegerField())
    items = WaysOutItemOut(many=True)


class WaysOutView(StaffView):
    @extend_schema(operation_id="campaign_ways_out", responses=WaysOutOut)
    def get(self, request: Request, slug: str) -> Response:
        """Cannot be judged, statement wrong, seen before, out of field: totals and items. Nobody is named."""
        return Response(WaysOutOut(ways_out(campaign_or_404(slug))).data)
