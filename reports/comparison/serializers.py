"""Shapes of the REST interface of systems compared two at a time."""

from typing import Any

from rest_framework import serializers

from accounts.rest.documents import schema_of
from reports.core.estimates import OrderEffect
from stats.core.estimate import Estimate

EstimateOut = schema_of(Estimate)


class GradesOut(serializers.Serializer[Any]):
    """Whose judgments: `key` is CAMPAIGN:QUESTION, or PREDICATE@JUDGE for those of `judges`."""

    key = serializers.CharField()
    title = serializers.CharField()
    campaign = serializers.CharField()
    question = serializers.CharField()
    judges = serializers.ListField(child=serializers.CharField(), required=False)


class PairedSystemOut(serializers.Serializer[Any]):
    """`rank` is the best and the worst place that the data leave open; null without finite strengths."""

    system = serializers.CharField()
    component = serializers.IntegerField()
    wins = serializers.IntegerField()
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()
    comparisons = serializers.IntegerField()
    opponents = serializers.IntegerField()
    win_rate = EstimateOut()
    half_tie_rate = EstimateOut()
    half_tie_rate_macro = serializers.FloatField(allow_null=True)
    strength = EstimateOut()
    jackknife = EstimateOut(allow_null=True)
    regularised_strength = serializers.FloatField(allow_null=True)
    rank = serializers.ListField(
        child=serializers.IntegerField(), min_length=2, max_length=2, allow_null=True
    )


class SystemPairOut(serializers.Serializer[Any]):
    """Wins and losses are those of `first` against `second`."""

    first = serializers.CharField()
    second = serializers.CharField()
    wins = serializers.IntegerField()
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()


class EqualStrengthsOut(serializers.Serializer[Any]):
    lr = serializers.FloatField()
    df = serializers.IntegerField()
    p = serializers.FloatField(allow_null=True)


class FitOut(serializers.Serializer[Any]):
    deviance = serializers.FloatField()
    df = serializers.IntegerField()
    p = serializers.FloatField(allow_null=True)
    method = serializers.CharField()


class TriadsOut(serializers.Serializer[Any]):
    rater = serializers.CharField()
    circular_triads = serializers.IntegerField()
    consistence = serializers.FloatField(allow_null=True)


class TransitivityOut(serializers.Serializer[Any]):
    cycles = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    raters = TriadsOut(many=True)
    fit = FitOut(allow_null=True)


class PositionBiasOut(serializers.Serializer[Any]):
    """`first_first` and `second_second` count pairs shown in both orders whose slot won twice."""

    first_slot_share = EstimateOut()
    p = serializers.FloatField(allow_null=True)
    swapped_pairs = serializers.IntegerField()
    swap_consistency = EstimateOut()
    swap_kappa = serializers.FloatField(allow_null=True)
    first_first = serializers.IntegerField()
    second_second = serializers.IntegerField()
    swap_p = serializers.FloatField(allow_null=True)


class PairsOut(serializers.Serializer[Any]):
    """Order effect and position bias are null where nobody was shown two outputs side by side."""

    format = serializers.CharField()
    source = serializers.ChoiceField(choices=["direct", "judged", "implied"])  # type: ignore[assignment]
    grades = GradesOut()
    seed = serializers.IntegerField()
    excluded = serializers.IntegerField(
        required=False,
        help_text="Instances that a primary exclusion rule leaves out; only where there are any.",
    )
    comparisons = serializers.IntegerField()
    presentations = serializers.IntegerField()
    order_flips = serializers.IntegerField()
    n_abstain = serializers.IntegerField()
    n_unavailable = serializers.IntegerField()
    both_bad = serializers.IntegerField()
    systems = PairedSystemOut(many=True)
    pairs = SystemPairOut(many=True)
    tie_parameter = EstimateOut()
    equal_strengths = EqualStrengthsOut(allow_null=True)
    transitivity = TransitivityOut()
    order_effect = schema_of(OrderEffect)(allow_null=True)
    position_bias = PositionBiasOut(allow_null=True)
