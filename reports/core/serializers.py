"""Shapes of the REST interface of reports."""

from typing import Any

from rest_framework import serializers

from reports.models import Artifact
from stats.tables.labels import COLUMNS


class EstimateOut(serializers.Serializer[Any]):
    """A number with what is needed to read it; an undefined one is null with a reason code."""

    value = serializers.FloatField(allow_null=True)
    se = serializers.FloatField(allow_null=True)
    ci = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    level = serializers.FloatField()
    method = serializers.CharField()
    k = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(allow_null=True)
    N = serializers.IntegerField(allow_null=True)
    clusters = serializers.IntegerField(allow_null=True)
    denom_rule = serializers.CharField(allow_null=True)
    n_abstain = serializers.IntegerField(allow_null=True)
    n_unavailable = serializers.IntegerField(allow_null=True)
    bounds = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    reason = serializers.CharField(allow_null=True)
    warnings = serializers.ListField(child=serializers.CharField())
    seed = serializers.IntegerField(allow_null=True)
    B = serializers.IntegerField(allow_null=True)
    label_set_version = serializers.CharField(allow_null=True)
    judge_version = serializers.CharField(allow_null=True)
    release_id = serializers.CharField(allow_null=True)


class MetricTextOut(serializers.Serializer[Any]):
    title = serializers.CharField()
    definition = serializers.CharField()


class AllProblemsOut(serializers.Serializer[Any]):
    missing = serializers.IntegerField(help_text="Problems of the release without an output.")
    not_released = serializers.IntegerField()
    estimate = EstimateOut(help_text="With all of these counted against the system.")


class MetricOut(serializers.Serializer[Any]):
    estimate = EstimateOut()
    all_problems = AllProblemsOut(required=False, help_text="Only where the system lacks an output.")
    effective_n = EstimateOut()
    paper_bootstrap = EstimateOut()
    domains = serializers.DictField(child=EstimateOut())
    strata = serializers.DictField(
        child=serializers.DictField(child=EstimateOut()),
        required=False,
        help_text="By division of the instances, only of protocols with such.",
    )


class JudgedSystemOut(serializers.Serializer[Any]):
    metrics = serializers.DictField(child=MetricOut())
    buckets = serializers.DictField(child=serializers.IntegerField())


class CorrectedStratumOut(serializers.Serializer[Any]):
    stratum = serializers.CharField()
    size = serializers.IntegerField()
    sampled = serializers.IntegerField()
    successes = serializers.IntegerField()


class EmptyStratumOut(serializers.Serializer[Any]):
    """Outputs of which an audit drew none."""

    stratum = serializers.CharField()
    bucket = serializers.CharField()
    size = serializers.IntegerField()


class CorrectedOut(serializers.Serializer[Any]):
    estimate = EstimateOut()
    strata = CorrectedStratumOut(many=True)
    empty = EmptyStratumOut(
        many=True, required=False, help_text="Only where the score is undefined for them."
    )
    borrowed = EstimateOut(
        required=False,
        help_text="Instead of an undefined score, if the judge errs on this system as on the others.",
    )


class InSampleOut(serializers.Serializer[Any]):
    tp = serializers.IntegerField()
    fp = serializers.IntegerField()
    fn = serializers.IntegerField()
    tn = serializers.IntegerField()
    agreement = EstimateOut()
    precision = EstimateOut()
    recall = EstimateOut()
    f1 = EstimateOut()
    kappa = EstimateOut()


class AuditedMetricOut(serializers.Serializer[Any]):
    in_sample = InSampleOut()
    weighted = serializers.DictField(child=EstimateOut())
    eligible = serializers.IntegerField()
    excluded = serializers.IntegerField()
    splits = serializers.IntegerField(required=False, help_text="Experts split evenly and nobody decided.")
    missing = serializers.IntegerField(required=False, help_text="Drawn outputs without the labels needed.")
    corrected_pooled = CorrectedOut()
    corrected = serializers.DictField(child=CorrectedOut())


class AuditOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    name = serializers.CharField()
    closed = serializers.BooleanField()
    drawn = serializers.IntegerField()
    labelled = serializers.IntegerField()
    metrics = serializers.DictField(child=AuditedMetricOut())


class JudgedOut(serializers.Serializer[Any]):
    label = serializers.CharField()  # type: ignore[assignment]  # a field called like an attribute of fields
    sha256 = serializers.CharField()
    metrics = serializers.DictField(child=MetricTextOut())
    systems = serializers.DictField(child=JudgedSystemOut())
    audits = AuditOut(many=True)


class OutputStatesOut(serializers.Serializer[Any]):
    outputs = serializers.IntegerField()
    answered = serializers.IntegerField()
    abstained = serializers.IntegerField()
    failed = serializers.IntegerField()
    missing = serializers.IntegerField(
        required=False, help_text="Problems without an output; only where any."
    )
    not_released = serializers.IntegerField(
        required=False, help_text="In addition to the outputs; only if there are any."
    )


class ExpertCampaignOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.CharField()
    rubric = serializers.CharField()
    closed = serializers.BooleanField()
    questions = serializers.DictField(child=serializers.JSONField())
    agreement = serializers.DictField(child=serializers.JSONField())


class MeasuredSystemOut(serializers.Serializer[Any]):
    estimate = EstimateOut()
    paper_bootstrap = EstimateOut()
    missing = serializers.IntegerField()
    not_applicable = serializers.IntegerField()
    open = serializers.IntegerField(
        required=False, help_text="Outputs of which a person has still to tell; they bound the value."
    )
    domains = serializers.DictField(child=EstimateOut())


class MeasureOut(serializers.Serializer[Any]):
    title = serializers.CharField()
    definition = serializers.CharField()
    binary = serializers.BooleanField()


class MeasuredOut(serializers.Serializer[Any]):
    """Means of measures that nobody judges, by system and measure."""

    instances = serializers.IntegerField()
    measures = serializers.DictField(child=MeasureOut())
    systems = serializers.DictField(child=serializers.DictField(child=MeasuredSystemOut()))


class ExcludedFigureOut(serializers.Serializer[Any]):
    kind = serializers.CharField()
    campaign = serializers.CharField(allow_blank=True)
    question = serializers.CharField(help_text="A metric's or a question's key.")
    system = serializers.CharField()
    all = EstimateOut()
    left = EstimateOut(allow_null=True, help_text="Without the excluded instances.")


class ExcludedInstanceOut(serializers.Serializer[Any]):
    instance = serializers.CharField()
    domain = serializers.CharField()
    outputs = serializers.IntegerField()
    grounds = serializers.DictField(child=serializers.IntegerField())
    graders = serializers.IntegerField()


class ExclusionOut(serializers.Serializer[Any]):
    rule = serializers.CharField()
    grounds = serializers.ListField(child=serializers.CharField())
    at_least = serializers.IntegerField()
    primary = serializers.BooleanField(help_text="The figures above leave these instances out.")
    late = serializers.BooleanField()
    reason = serializers.CharField()
    declared_at = serializers.CharField()
    instances = serializers.DictField(child=serializers.IntegerField())
    outputs = serializers.DictField(child=serializers.IntegerField())
    excluded = ExcludedInstanceOut(many=True)
    figures = ExcludedFigureOut(many=True)


class InSightFigureOut(serializers.Serializer[Any]):
    """A figure without the labels that were given in sight of a verdict, as the score has it, and with them."""

    kind = serializers.CharField()
    campaign = serializers.CharField()
    question = serializers.CharField()
    system = serializers.CharField()
    without = EstimateOut(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "with": EstimateOut()}


class InSightOut(serializers.Serializer[Any]):
    labels = serializers.DictField(child=serializers.IntegerField(), help_text="in_sight and independent.")
    campaigns = serializers.ListField(child=serializers.DictField())
    figures = InSightFigureOut(many=True, help_text="Of closed campaigns.")


class ScoreOut(serializers.Serializer[Any]):
    """The score document, as `manage.py score --json` prints it."""

    format = serializers.CharField()
    release = serializers.CharField()
    release_sha256 = serializers.CharField()
    frozen = serializers.BooleanField()
    is_sample = serializers.BooleanField()
    protocol = serializers.CharField()
    track = serializers.CharField()
    condition = serializers.CharField(required=False, help_text="Only where it is not the usual one.")
    seed = serializers.IntegerField()
    frozen_tuple = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="Only where the runs belong to one."
    )
    systems = serializers.DictField(child=OutputStatesOut())
    not_released = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Systems of which nothing was released, with the number of problems; in no other table.",
    )
    measured = MeasuredOut(required=False, help_text="Only of protocols with measures.")
    judge = JudgedOut(allow_null=True)
    experts = ExpertCampaignOut(many=True)
    exclusions = ExclusionOut(many=True, required=False, help_text="Only where rules are declared.")
    in_sight = InSightOut(required=False, help_text="Only where labels were given in sight of a verdict.")


class AuditStratumOut(serializers.Serializer[Any]):
    stratum = serializers.CharField()
    size = serializers.IntegerField()
    drawn = serializers.IntegerField()
    tp = serializers.IntegerField()
    fp = serializers.IntegerField()
    fn = serializers.IntegerField()
    tn = serializers.IntegerField()
    ineligible = serializers.IntegerField()


class AuditedSystemOut(serializers.Serializer[Any]):
    tp = serializers.IntegerField()
    fp = serializers.IntegerField()
    fn = serializers.IntegerField()
    tn = serializers.IntegerField()
    ineligible = serializers.IntegerField()
    precision = EstimateOut(help_text="Of the drawn outputs as they are, not weighted by the design.")
    rogan_gladen = EstimateOut(help_text="The judge’s share, if it errs here as on all audited outputs.")


class FullyAuditedMetricOut(serializers.Serializer[Any]):
    title = serializers.CharField()
    definition = serializers.CharField()
    needs = serializers.ListField(child=serializers.CharField())
    in_sample = InSampleOut()
    weighted = serializers.DictField(child=EstimateOut())
    eligible = serializers.IntegerField()
    excluded = serializers.IntegerField()
    splits = serializers.IntegerField(help_text="Experts split evenly and nobody decided.")
    missing = serializers.IntegerField(help_text="Drawn outputs without the labels needed.")
    exclusions = serializers.DictField(child=serializers.IntegerField())
    strata = AuditStratumOut(many=True)
    systems = serializers.DictField(child=AuditedSystemOut(), help_text="Empty while the campaign is open.")


class SuccessTypeOut(serializers.Serializer[Any]):
    type = serializers.CharField()
    title = serializers.CharField()
    audited = serializers.IntegerField()
    valid = serializers.IntegerField()
    validity = EstimateOut()


class FullAuditOut(serializers.Serializer[Any]):
    campaign = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(["audit", "grade"])
    closed = serializers.BooleanField()
    drawn = serializers.IntegerField()
    labelled = serializers.IntegerField()
    experts = serializers.IntegerField()
    metrics = serializers.DictField(child=FullyAuditedMetricOut())
    success_types = SuccessTypeOut(many=True)


class JudgeAuditOut(serializers.Serializer[Any]):
    """The judge of one track against the experts; strata are listed once an audit is closed."""

    format = serializers.CharField()
    release = serializers.CharField()
    track = serializers.CharField()
    seed = serializers.IntegerField()
    judge = serializers.DictField(child=serializers.CharField())
    audits = FullAuditOut(many=True)


class OutcomeOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    source = serializers.ChoiceField(choices=["judge", "experts", "measure"])  # type: ignore[assignment]
    title = serializers.CharField()
    definition = serializers.CharField()
    campaign = serializers.CharField(allow_blank=True)
    binary = serializers.BooleanField()


class ComparedSystemOut(serializers.Serializer[Any]):
    estimate = EstimateOut()
    by_rule = serializers.IntegerField()
    left_out = serializers.IntegerField()


class OmnibusOut(serializers.Serializer[Any]):
    q = serializers.FloatField(allow_null=True)
    df = serializers.IntegerField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    dropped = serializers.IntegerField()
    reason = serializers.CharField(allow_null=True)
    method = serializers.CharField(allow_null=True, help_text="chi_squared or permutation_by_cluster")
    seed = serializers.IntegerField(allow_null=True)
    B = serializers.IntegerField(allow_null=True)


class PairedTestOut(serializers.Serializer[Any]):
    """Signs of the clusters' differences flipped; with one item to a cluster it is McNemar's exact test."""

    p = serializers.FloatField(help_text="exact where every cluster has one item, else mid_p")
    exact = serializers.FloatField()
    mid_p = serializers.FloatField()
    holm = serializers.FloatField()
    method = serializers.CharField(help_text="sign_flip_exact or sign_flip_draws")
    clusters = serializers.IntegerField()
    informative = serializers.IntegerField(help_text="Clusters with a difference.")
    seed = serializers.IntegerField(allow_null=True)
    B = serializers.IntegerField(allow_null=True)


class SimultaneousOut(EstimateOut):
    family = serializers.IntegerField(help_text="How many differences the interval holds for at once.")


class ComparedPairOut(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    n = serializers.IntegerField()
    dropped = serializers.IntegerField()
    cells = serializers.DictField(child=serializers.IntegerField())
    difference = EstimateOut()
    simultaneous = SimultaneousOut()
    paper_bootstrap = EstimateOut()
    newcombe = EstimateOut()
    test = PairedTestOut()
    mcnemar = serializers.DictField(
        child=serializers.FloatField(allow_null=True), help_text="Null where a cluster holds several items."
    )


class ComparisonOut(serializers.Serializer[Any]):
    """Systems of one track on the same items, under one outcome."""

    format = serializers.CharField()
    outcome = OutcomeOut()
    seed = serializers.IntegerField()
    systems = serializers.DictField(child=ComparedSystemOut())
    omnibus = OmnibusOut()
    pairs = ComparedPairOut(many=True)


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
