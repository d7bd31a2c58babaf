"""Shapes of the REST interface of reports."""

from typing import Any

from rest_framework import serializers

from reports.models import Artifact
from stats.tables.labels import COLUMNS


class LabelOut(serializers.Serializer[Any]):
    """A row of the canonical label table; every cell is text, empty where the column does not apply."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {column: serializers.CharField(allow_blank=True, default="") for column in COLUMNS}


class LabelPageOut(serializers.Serializer[Any]):
    """`next` is the address of the following rows, null on the last page."""

    next = serializers.URLField(allow_null=True)
    results = LabelOut(many=True)


class ArtifactOut(serializers.ModelSerializer[Artifact]):
    """A frozen score; its content is at the address of its hash."""

    release = serializers.CharField(source="release.name", read_only=True)

    class Meta:
        model = Artifact
        fields = ("sha256", "kind", "release", "created_at")
        read_only_fields = fields


class ArtifactIn(serializers.Serializer[Any]):
    """Which score to freeze; left out, the first track and judge and the usual condition are meant."""

    track = serializers.CharField(required=False, default="", allow_blank=True)
    condition = serializers.CharField(required=False, default="", allow_blank=True)
    judge = serializers.CharField(required=False, default="", allow_blank=True)
    tuple = serializers.CharField(required=False, default="", allow_blank=True)
