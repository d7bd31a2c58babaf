"""Shapes of the REST interface of a campaign's results."""

from typing import Any

from rest_framework import serializers

from reports.core.serializers import EstimateOut


class DayOut(serializers.Serializer[Any]):
    day = serializers.DateField()
    submitted = serializers.IntegerField()


class AgreementOut(serializers.Serializer[Any]):
    level = serializers.CharField()
    n_items = serializers.IntegerField()
    n_raters = serializers.IntegerField()
    n_labels = serializers.IntegerField()
    n_abstain = serializers.IntegerField()
    n_unavailable = serializers.IntegerField()
    coefficients = serializers.DictField(child=EstimateOut())


class CampaignResultsOut(serializers.Serializer[Any]):
    """`domains` counts drawn outputs by state; `agreement` is by question."""

    format = serializers.CharField()
    campaign = serializers.CharField()
    phase = serializers.CharField()
    seed = serializers.IntegerField()
    wanted = serializers.IntegerField()
    days = DayOut(many=True)
    domains = serializers.DictField(child=serializers.DictField(child=serializers.IntegerField()))
    questions = serializers.DictField(child=serializers.CharField())
    agreement = serializers.DictField(child=AgreementOut())


class CalibrationOut(serializers.Serializer[Any]):
    """`before` are the blind answers, `after` those after the discussion; `changed` counts labels by question."""

    format = serializers.CharField()
    campaign = serializers.CharField()
    seed = serializers.IntegerField()
    items = serializers.IntegerField()
    blind = serializers.IntegerField()
    answered_again = serializers.IntegerField()
    questions = serializers.DictField(child=serializers.CharField())
    changed = serializers.DictField(child=serializers.IntegerField())
    before = serializers.DictField(child=AgreementOut())
    after = serializers.DictField(child=AgreementOut())


class ScaleValueOut(serializers.Serializer[Any]):
    value = serializers.CharField()
    n = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    agreement = serializers.FloatField(allow_null=True)


class RaterPairOut(serializers.Serializer[Any]):
    raters = serializers.ListField(child=serializers.CharField())
    n_items = serializers.IntegerField()
    table = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    percent = EstimateOut()
    cohen_kappa = EstimateOut()
    weighted_kappa_linear = EstimateOut()
    weighted_kappa_quadratic = EstimateOut()
    gwet_ac1 = EstimateOut()
    kappa_max = serializers.FloatField(allow_null=True)
    prevalence_index = serializers.FloatField(allow_null=True)
    bias_index = serializers.FloatField(allow_null=True)


class DroppedPairOut(serializers.Serializer[Any]):
    raters = serializers.ListField(child=serializers.CharField())
    n_items = serializers.IntegerField()


class ReliabilityOut(AgreementOut):
    """The agreement bundle of one question with every pair of experts and every value of the scale."""

    format = serializers.CharField()
    question = serializers.CharField()
    text = serializers.CharField()
    scale = serializers.CharField()
    primary = serializers.CharField(help_text="The coefficient that leads: alpha at the level of the scale.")
    seed = serializers.IntegerField()
    values = ScaleValueOut(many=True)
    raters = serializers.ListField(child=serializers.CharField())
    least_overlap = serializers.IntegerField()
    pairs = RaterPairOut(many=True)
    pairs_dropped = DroppedPairOut(many=True)
    expert_errors = serializers.DictField(
        required=False, help_text="As `analyse errors` says it of one question; only with more=errors."
    )


class MonitoredQuestionOut(serializers.Serializer[Any]):
    labels = serializers.IntegerField()
    compared = serializers.IntegerField()
    excess = serializers.FloatField()
    z = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    adjusted_p = serializers.FloatField(allow_null=True)
    flagged = serializers.BooleanField()
    drifts_from = serializers.IntegerField(allow_null=True)
    agreement = EstimateOut()


class TimeOnTaskOut(serializers.Serializer[Any]):
    timed = serializers.IntegerField()
    median_seconds = serializers.FloatField(allow_null=True)
    slow = serializers.IntegerField()
    fast = serializers.IntegerField()
    unread = serializers.IntegerField()


class MonitoredReviewerOut(serializers.Serializer[Any]):
    reviewer = serializers.CharField()
    rater = serializers.CharField()
    graded = serializers.IntegerField()
    overlap = serializers.IntegerField()
    questions = serializers.DictField(child=MonitoredQuestionOut())
    time = TimeOnTaskOut()
    signs = serializers.ListField(child=serializers.CharField())


class AnchoringOut(serializers.Serializer[Any]):
    """Share of labels that agree with the verdict, where it was visible before the grade and where hidden."""

    question = serializers.CharField()
    labels = serializers.IntegerField()
    visible = EstimateOut()
    hidden = EstimateOut()
    difference = EstimateOut()


class MonitoringOut(serializers.Serializer[Any]):
    """Reviewers of a campaign in the order of their names, with the signs that ask for a second look."""

    format = serializers.CharField()
    questions = serializers.DictField(child=serializers.DictField(child=serializers.CharField()))
    reviewers = MonitoredReviewerOut(many=True)
    anchoring = AnchoringOut(allow_null=True)
