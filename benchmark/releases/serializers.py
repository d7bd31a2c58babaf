"""What REST shows of this app. Fields are listed one by one."""

from rest_framework import serializers

from benchmark.models import Instance, Output, Release, System


class ReleaseOut(serializers.ModelSerializer[Release]):
    benchmark = serializers.CharField(source="benchmark.slug")
    protocol = serializers.CharField(source="benchmark.protocol")
    instance_count = serializers.IntegerField()
    paper_count = serializers.IntegerField()
    run_count = serializers.IntegerField()

    class Meta:
        model = Release
        fields = (
            "name",
            "benchmark",
            "protocol",
            "sha256",
            "source",
            "is_sample",
            "created_at",
            "frozen_at",
            "instance_count",
            "paper_count",
            "run_count",
        )
        read_only_fields = fields


class InstanceOut(serializers.ModelSerializer[Instance]):
    paper = serializers.CharField(source="paper.key", default=None, allow_null=True)

    class Meta:
        model = Instance
        fields = ("key", "domain", "split", "paper", "payload", "sha256")
        read_only_fields = fields


class SystemOut(serializers.ModelSerializer[System]):
    class Meta:
        model = System
        fields = ("slug", "name", "family")
        read_only_fields = fields


class OutputOut(serializers.ModelSerializer[Output]):
    release = serializers.CharField(source="run.release.name")
    system = serializers.CharField(source="run.system.slug")
    track = serializers.CharField(source="run.track")
    condition = serializers.CharField(source="run.condition")
    # the field is called as in the label table, whatever a serializer's own attribute is called
    instance = serializers.CharField(source="instance.key")  # type: ignore[assignment]
    domain = serializers.CharField(source="instance.domain")
    state = serializers.CharField(help_text="answered, abstained or failed")
    text_format = serializers.CharField(help_text="latex, markdown or plain")

    class Meta:
        model = Output
        fields: tuple[str, ...] = (
            "id",
            "release",
            "system",
            "track",
            "condition",
            "instance",
            "domain",
            "attempt",
            "state",
            "text_format",
            "sha256",
        )
        read_only_fields = fields


class OutputTextOut(OutputOut):
    class Meta(OutputOut.Meta):
        fields = (*OutputOut.Meta.fields, "text", "payload")
        read_only_fields = fields
