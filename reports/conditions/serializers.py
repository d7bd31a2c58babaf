"""Shapes of the REST interface of tracks and conditions side by side."""

from typing import Any

from rest_framework import serializers

from reports.conditions.page import STATES
from reports.core.serializers import ComparedPairOut, EstimateOut


class CommonCoverageOut(serializers.Serializer[Any]):
    """How many instances of the release any run has an output for, and how many all runs have."""

    title = serializers.CharField()
    any = serializers.IntegerField()
    every = serializers.IntegerField()
    of = serializers.IntegerField()


class ConditionColumnOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    definition = serializers.CharField()
    metric = serializers.CharField()
    metric_title = serializers.CharField()
    track = serializers.CharField()
    condition = serializers.CharField(allow_blank=True)
    compared = serializers.BooleanField(help_text="Whether it is compared with the table's baseline.")
    runs = serializers.IntegerField()
    coverage = CommonCoverageOut(allow_null=True)


class CoverageOut(serializers.Serializer[Any]):
    """Instances that the run has an output for, of all of the release."""

    k = serializers.IntegerField()
    n = serializers.IntegerField()


class ConditionCellOut(serializers.Serializer[Any]):
    state = serializers.ChoiceField(["scored", *STATES])
    estimate = EstimateOut(allow_null=True)
    paper_bootstrap = EstimateOut(allow_null=True)
    coverage = CoverageOut(allow_null=True)


class ConditionDifferenceOut(ComparedPairOut):
    """A column minus the baseline: `unpaired` over each run's own outputs, the rest over the items of both."""

    unpaired = serializers.FloatField(allow_null=True)


class SuccessTypeRatesOut(serializers.Serializer[Any]):
    rate = EstimateOut()
    share = EstimateOut()


class ConditionRowOut(serializers.Serializer[Any]):
    system = serializers.CharField()
    name = serializers.CharField()
    cells = serializers.DictField(child=ConditionCellOut(), help_text="By the column's key.")
    differences = serializers.DictField(
        child=ConditionDifferenceOut(allow_null=True),
        help_text="By the key of a compared column; null where one side has no figure.",
    )
    success_type = SuccessTypeRatesOut(allow_null=True)


class ConditionTableOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()
    definition = serializers.CharField()
    baseline = serializers.CharField()
    columns = ConditionColumnOut(many=True)
    success_type = serializers.CharField(allow_blank=True, help_text="Title of the type of success counted.")
    systems = ConditionRowOut(many=True)


class RunElsewhereOut(serializers.Serializer[Any]):
    system = serializers.CharField()
    track = serializers.CharField()
    condition = serializers.CharField(allow_blank=True)


class ConditionsOut(serializers.Serializer[Any]):
    format = serializers.CharField()
    release = serializers.CharField()
    release_sha256 = serializers.CharField()
    frozen = serializers.BooleanField()
    is_sample = serializers.BooleanField()
    protocol = serializers.CharField()
    judge = serializers.CharField(allow_blank=True)
    judges = serializers.ListField(child=serializers.CharField())
    frozen_tuple = serializers.CharField(allow_blank=True)
    seed = serializers.IntegerField()
    instances = serializers.IntegerField()
    excluded = serializers.IntegerField(help_text="Instances that a primary exclusion rule leaves out.")
    tables = ConditionTableOut(many=True)
    elsewhere = RunElsewhereOut(many=True, help_text="Runs on tracks or conditions that no table has.")
