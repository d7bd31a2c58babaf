"""REST endpoints of uploaded prompts."""

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.profile.api import caller, checked
from accounts.refusal import Refused
from accounts.rest.auth import IsStaffOfTheStudy, StaffReadAndOwnersPost
from accounts.rest.errors import RefusalOut
from accounts.rest.idempotency import OPTIONAL_KEY, idempotent
from accounts.rest.parsers import BoundedJSONParser
from judging.models import UploadedPrompt
from judging.prompts.actions import upload_prompt
from judging.prompts.forms import prompt_settings


class PromptSerializer(serializers.ModelSerializer[UploadedPrompt]):
    """An uploaded prompt; `sha256` is that of its words in UTF-8."""

    label = serializers.CharField(read_only=True)  # type: ignore[assignment]

    class Meta:
        model = UploadedPrompt
        fields = (
            "id", "label", "protocol", "predicate", "name", "version", "text", "sha256", "fields", "reply",
            "created_at",
        )  # fmt: skip
        read_only_fields = fields


class PromptIn(serializers.Serializer[UploadedPrompt]):
    """The words as `text` or as a file. `fields` has a line `field: heading` for each field of data to send.

    A prompt that states a JSON object of its own names the keys, and in `verdicts` has a line `value: label`
    for each value.
    """

    protocol = serializers.CharField()
    predicate = serializers.CharField()
    name = serializers.CharField()
    text = serializers.CharField(required=False, default="", trim_whitespace=False)
    file = serializers.FileField(required=False)
    fields = serializers.CharField(required=False, default="")  # type: ignore[assignment]
    verdict_key = serializers.CharField(required=False, default="")
    verdicts = serializers.CharField(required=False, default="")
    reason_key = serializers.CharField(required=False, default="")
    confidence_key = serializers.CharField(required=False, default="")
    other_keys = serializers.CharField(required=False, default="")


class PromptList(generics.ListAPIView[UploadedPrompt]):
    """All uploaded prompts; an owner's POST stores one."""

    permission_classes = [StaffReadAndOwnersPost]
    serializer_class = PromptSerializer
    parser_classes = [BoundedJSONParser, MultiPartParser]
    filters = {"protocol": "protocol", "predicate": "predicate", "name": "name"}
    queryset = UploadedPrompt.objects.order_by("protocol", "name", "version")

    @extend_schema(
        parameters=[OPTIONAL_KEY],
        request=PromptIn,
        responses={201: PromptSerializer, 400: RefusalOut, 409: RefusalOut},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """The prompt with exactly this content; the next version of its name if it does not exist yet."""
        sent = checked(PromptIn, request).validated_data
        try:
            settings = prompt_settings(sent)
        except Refused as refusal:
            raise serializers.ValidationError({refusal.field or "name": [refusal.reason]}) from refusal
        stored = upload_prompt(actor=caller(request), **settings)
        return Response(PromptSerializer(stored).data, status=201)


class PromptDetail(generics.RetrieveAPIView[UploadedPrompt]):
    """One uploaded prompt."""

    permission_classes = [IsStaffOfTheStudy]
    serializer_class = PromptSerializer
    queryset = UploadedPrompt.objects.all()
