"""REST of the construction audit, of flagged leaks and of sources of outputs, for coordinators and owners."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller
from accounts.refusal import Refused
from accounts.rest.documents import schema_of
from accounts.rest.filters import StaffView, StrictView
from accounts.rest.idempotency import writes
from benchmark.leakage_kinds import FLAG_KINDS
from canonical.documents import as_json
from judging.asking.subjects import instance_of
from judging.programs.construction import audit_construction
from judging.programs.sources import ask_about_sources
from reports.construction.document import (
    FILTERS,
    ConstructionFinding,
    ConstructionFindings,
    chosen_findings,
    construction,
    newest_audit,
)
from reports.construction.leak_flags import flagged_instances
from reports.construction.raters import FILTERS as RATER_FILTERS
from reports.construction.raters import STANDINGS, chosen_rows, raters
from reports.core.choosing import PARAMETERS
from reports.core.requests import release_or_404
from reports.core.rest import CHOICE, ReadingView, chosen_or_error, invalid
from reports.sources.cutoff import Cutoff, cutoff
from reports.sources.document import SourceRow, alternative_sources, newest_matcher, protocol_flags


class ConstructionRunOut(serializers.Serializer[Any]):
    release = serializers.CharField()
    judge = serializers.CharField()
    instances = serializers.IntegerField()
    new = serializers.IntegerField()


class ConstructionAuditView(ReadingView, StrictView):
    filters = {name: name for name in FILTERS}

    @extend_schema(
        operation_id="releases_construction_audit",
        parameters=[OpenApiParameter(name, str, OpenApiParameter.QUERY) for name in FILTERS],
        responses=schema_of(ConstructionFindings),
    )
    def get(self, request: Request, name: str) -> Response:
        """Items, counts and findings; narrowed by item, value, kind and domain."""
        release = release_or_404(name)
        found = chosen_findings(release, newest_audit(release), request.query_params)
        rows = [
            ConstructionFinding(
                instance=instance_of(row).key,
                item=row.predicate,
                value=row.value,
                state=row.state,
                reason=row.reason,
                evidence=row.evidence,
            )
            for row in found
        ]
        return Response(as_json(ConstructionFindings(**vars(construction(release)), findings=rows)))

    @writes("releases_construction_audit_run", request=None, responses={200: ConstructionRunOut})
    def post(self, request: Request, name: str) -> Response:
        """Run the program where verdicts are missing."""
        report = audit_construction(actor=caller(request), release=release_or_404(name))
        return Response(report.document())


class BothAnswersOut(serializers.Serializer[Any]):
    """Values, or states; "" for nothing."""

    instance = serializers.CharField(source="instance.subject")
    domain = serializers.CharField(source="instance.domain")
    item = serializers.CharField()
    standing = serializers.ChoiceField(STANDINGS)
    program = serializers.CharField(allow_blank=True)
    judge = serializers.CharField(allow_blank=True)
    experts = serializers.CharField(allow_blank=True)


class ConstructionRatersOut(serializers.Serializer[Any]):
    release = serializers.CharField()
    judge = serializers.CharField(allow_null=True)
    judges = serializers.ListField(child=serializers.CharField())
    seed = serializers.IntegerField()
    items = serializers.ListField(
        child=serializers.DictField(), help_text="Counts, standings, and agreement of every two raters."
    )
    rows = BothAnswersOut(many=True)


class ConstructionRatersView(ReadingView, StrictView):
    filters = {name: name for name in RATER_FILTERS}

    @extend_schema(
        operation_id="releases_construction_raters",
        parameters=[OpenApiParameter(name, str, OpenApiParameter.QUERY) for name in RATER_FILTERS],
        responses=ConstructionRatersOut,
    )
    def get(self, request: Request, name: str) -> Response:
        """Program, judge and experts side by side; rows narrowed, without `standing` the contradictions."""
        found = raters(release_or_404(name), request.query_params.get("judge", ""))
        rows = chosen_rows(found, request.query_params)
        return Response({**as_json(found.agreement()), "rows": BothAnswersOut(rows, many=True).data})


class SourceFlagOut(serializers.Serializer[Any]):
    output = serializers.IntegerField()
    instance = serializers.CharField()
    system = serializers.CharField()
    track = serializers.CharField()
    value = serializers.ChoiceField(["yes", "uncertain"], help_text="Whether the source is the citing paper.")
    reason = serializers.CharField()


class SourcesOut(serializers.Serializer[Any]):
    release = serializers.CharField()
    matcher = serializers.CharField(allow_null=True)
    track = serializers.CharField()
    judge = serializers.CharField(allow_blank=True)
    systems = schema_of(SourceRow)(many=True)
    flags = SourceFlagOut(many=True)
    cutoff = schema_of(Cutoff)(allow_null=True)


class SourcesAskedOut(serializers.Serializer[Any]):
    runs = serializers.ListField(child=serializers.IntegerField(), help_text="Judge runs to follow.")


class SourcesView(StaffView):
    filters = {name: name for name in PARAMETERS}

    @extend_schema(operation_id="releases_sources", parameters=CHOICE, responses=SourcesOut)
    def get(self, request: Request, name: str) -> Response:
        """Protocol flags, and successes by source."""
        release = release_or_404(name)
        chosen = chosen_or_error(release, request.query_params)
        try:
            matcher = newest_matcher(release)
        except Refused as refusal:
            raise invalid(refusal) from refusal
        rows = alternative_sources(chosen, matcher)
        flags = [
            {
                "output": output.pk,
                "instance": output.instance.key,
                "system": output.run.system.slug,
                "track": output.run.track,
                "value": flag.value,
                "reason": flag.reason,
            }
            for flag in protocol_flags(release, matcher)
            for output in [flag.output]
        ]
        head = {"release": release.name, "matcher": matcher.label if matcher else None}
        body = {"track": chosen.track, "judge": chosen.judge, "systems": as_json(rows)}
        return Response({**head, **body, "flags": flags, "cutoff": as_json(cutoff(chosen))})

    @writes("releases_sources_ask", request=None, responses={200: SourcesAskedOut})
    def post(self, request: Request, name: str) -> Response:
        """Ask the source matcher about every answered output that it has not seen."""
        runs = ask_about_sources(actor=caller(request), release=release_or_404(name))
        return Response({"runs": [run.pk for run in runs]})


class MarkedOut(serializers.Serializer[Any]):
    block = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField()


class ExpertFlagOut(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(list(FLAG_KINDS))
    spans = MarkedOut(many=True)
    link = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)


class FlaggedInstanceOut(serializers.Serializer[Any]):
    instance = serializers.CharField()
    domain = serializers.CharField()
    graders = serializers.IntegerField(help_text="Experts with a live grade of this instance's outputs.")
    experts = serializers.DictField(child=serializers.IntegerField(), help_text="Graders by kind of flag.")
    program = serializers.ListField(child=serializers.CharField(), help_text="Kinds the program found.")
    read = serializers.BooleanField(help_text="Whether the program has read this instance.")
    flags = ExpertFlagOut(many=True)


class LeakFlagsView(StaffView):
    @extend_schema(operation_id="releases_leak_flags", responses=FlaggedInstanceOut(many=True))
    def get(self, request: Request, name: str) -> Response:
        """Every instance that an expert flagged or in which the program found a leak. No system is named."""
        return Response(FlaggedInstanceOut(flagged_instances(release_or_404(name)), many=True).data)
