"""REST endpoints of analyses: of a label table that is sent, and of stored labels."""

from io import BytesIO
from typing import Any

from django.utils.text import capfirst
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import TokenScope
from accounts.profile.api import checked
from accounts.refusal import Refused
from accounts.rest.auth import IsSignedIn, IsStaffOfTheStudy
from reports.analysing.requests import from_row
from reports.analysing.stored import STORED, stored_document
from reports.analysing.uploads import AT_ONCE_BYTES
from reports.core.choosing import choose
from reports.core.requests import release_or_404
from reports.core.rest import invalid
from stats.agreement.bundle import LEVELS
from stats.analyses import running
from stats.analyses.options import DEFAULT_SEED
from stats.analyses.retrieval import DEFAULT_KS
from stats.tables.label_pairs import ORDER_RULES
from stats.tables.labels import GRADERS
from stats.tables.raw_rows import TableError

SPLITS = [(name, name) for name in running.BY if name]


def _texts(help_text: str, **terms: Any) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=200),
        max_length=200,
        required=False,
        help_text=help_text,
        **terms,
    )


class OptionsIn(serializers.Serializer[Any]):
    """The options of `manage.py analyse`. One that the analysis does not take is refused."""

    analysis = serializers.ChoiceField(tuple(running.ANALYSES))
    question = serializers.CharField(required=False, max_length=200, help_text="Labels of one question only.")
    rater_kind = serializers.ChoiceField(GRADERS, required=False)
    level = serializers.ChoiceField(LEVELS, required=False, help_text="Left out: read off the values.")
    order = _texts("Your own words from low to high.")
    positive = serializers.CharField(
        required=False, max_length=200, help_text="The value that counts as success; several with commas."
    )
    by = serializers.ChoiceField(SPLITS, required=False)
    exchangeable = serializers.BooleanField(required=False, help_text="Names of raters mean nothing.")
    systems = _texts("Only comparisons among these.")
    orders = serializers.ChoiceField(tuple(ORDER_RULES), required=False)
    first = _texts("Raters of the first group; expert and judge mean all of that kind.")
    second = _texts("Raters of the second group.")
    score_range = serializers.ListField(
        child=serializers.FloatField(),
        min_length=2,
        max_length=2,
        required=False,
        help_text="Least and greatest score, which become 0 and 1.",
    )
    k = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=10**9),
        min_length=1,
        max_length=100,
        required=False,
    )
    confidence = serializers.FloatField(min_value=0.5, max_value=0.999, default=0.95)
    seed = serializers.IntegerField(min_value=0, max_value=2**53, default=DEFAULT_SEED)

    def asked(self) -> running.Request:
        """The request of valid data. Raises ValidationError naming an option that the analysis does not take."""
        sent = self.validated_data
        takes = ("analysis", *running.ANALYSES[sent["analysis"]].takes, *running.COMMON)
        strange = [str(name) for name in OptionsIn().fields if name in sent and name not in takes]
        if strange:
            raise ValidationError(dict.fromkeys(strange, f"{sent['analysis']} takes no such option."))
        try:
            return from_row({"k": DEFAULT_KS, **sent})
        except ValueError as refusal:
            raise ValidationError({"analysis": f"{capfirst(str(refusal))}."}) from refusal


class SentTableIn(OptionsIn):
    """A label table in the text of the request."""

    table = serializers.CharField(max_length=AT_ONCE_BYTES, trim_whitespace=False)
    form = serializers.ChoiceField(("csv", "jsonl"), default="csv")
    renaming = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=200), required=False
    )


class StoredLabelsIn(OptionsIn):
    """Labels of a release: those of a closed campaign, and the verdicts of a judge."""

    analysis = serializers.ChoiceField(STORED)
    campaign = serializers.CharField(
        required=False, default="", max_length=200, help_text="Left out: verdicts only."
    )
    track = serializers.CharField(required=False, max_length=50)
    condition = serializers.CharField(required=False, max_length=50)
    judge = serializers.CharField(required=False, max_length=200)


class AnalysesView(APIView):
    token_scope = TokenScope.READ
    permission_classes = [IsSignedIn]

    @extend_schema(operation_id="analyses_compute", request=SentTableIn, responses={200: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """The document that `manage.py analyse --json` prints. Nothing is stored."""
        sent = checked(SentTableIn, request)
        table = sent.validated_data["table"].encode()
        if len(table) > AT_ONCE_BYTES:
            raise ValidationError(
                {"table": f"is larger than {AT_ONCE_BYTES} bytes: use the page or the command"}
            )
        try:
            return Response(running.run(BytesIO(table), sent.validated_data["form"], sent.asked()))
        except (TableError, ValueError) as refusal:
            raise ValidationError({"table": str(refusal)}) from refusal


class StoredAnalysesView(APIView):
    token_scope = TokenScope.READ
    permission_classes = [IsStaffOfTheStudy]

    @extend_schema(
        operation_id="releases_analyses_compute", request=StoredLabelsIn, responses={200: OpenApiTypes.OBJECT}
    )
    def post(self, request: Request, name: str) -> Response:
        """The same for the labels of a closed campaign and the verdicts of a judge, on one track and condition."""
        release = release_or_404(name)
        sent = checked(StoredLabelsIn, request)
        asked, terms = sent.asked(), sent.validated_data
        try:
            chosen = choose(
                release, {key: terms[key] for key in ("track", "condition", "judge") if key in terms}
            )
            return Response(stored_document(chosen, terms["campaign"], asked))
        except Refused as refusal:
            raise invalid(refusal) from refusal
