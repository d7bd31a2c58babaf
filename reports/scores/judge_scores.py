"""Fixed-judge scores: every metric of the protocol per system and domain, with its intervals. No rows here.

Denominators (STATISTICS.md section 0): an output is judged on every stage that it reached. Where it abstained before
that, or failed, and where the verdict is uncertain, it counts negative and stays; outputs whose needed verdict is
unavailable leave, are counted, and bound the value.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmark.protocol import LabelledOutput, Metric
from reports.scores.shape import MetricScore, clustering
from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import missing_bounds, proportion
from stats.scores.clusters import Clustering, cluster_bootstrap, cluster_totals, wilson_on_effective_n
from stats.scores.means import share_by_cluster

DENOMINATOR = "all outputs of the run; abstained, failed and uncertain count negative; unavailable leave"

Strata = Mapping[str, str]  # instance to stratum
_NO_STRATA: Mapping[str, Strata] = {}


@dataclass(frozen=True)
class Counted:
    """Outputs that count for a metric: 1 for a success, 0 otherwise, with their clusters and their problems."""

    values: list[int]
    clusters: list[str]
    problems: list[str]
    abstained: int
    unavailable: int

    @property
    def successes(self) -> int:
        return sum(self.values)


def count(metric: Metric, outputs: Iterable[LabelledOutput]) -> Counted:
    """Apply the denominator rule to one metric."""
    values: list[int] = []
    clusters: list[str] = []
    problems: list[str] = []
    abstained = unavailable = 0
    for output in outputs:
        judged = output.is_judged_by(metric.needs)
        if judged and is_unavailable(metric, output):
            unavailable += 1
            continue
        abstained += not judged
        values.append(int(judged and metric.success(output)))
        clusters.append(output.cluster)
        problems.append(output.instance)
    return Counted(values, clusters, problems, abstained, unavailable)


def is_unavailable(metric: Metric, output: LabelledOutput) -> bool:
    """Whether a label that the metric needs is missing or failed, and no other label already decides it.

    A success needs all its labels; a clear "no" on any needed label is decisive without the others.
    """
    states = [output.states.get(key, "unavailable") for key in metric.needs]
    if any(output.labels.get(key) == "no" for key in metric.needs):
        return False
    return "unavailable" in states or "unparsed" in states


def is_asked(metric: Metric, output: LabelledOutput) -> bool:
    """Whether anybody was asked for a label that the metric needs."""
    return any(key in output.states for key in metric.needs)


def is_scored(metric: Metric, outputs: Collection[LabelledOutput]) -> bool:
    """Whether these outputs of a system have a figure: somebody was asked about one of those that can be judged, or
    none can.

    What abstained or failed counts negative by rule; alone it says nothing about a system whose answers were never
    read.
    """
    reached = [output for output in outputs if output.is_judged_by(metric.needs)]
    return any(is_asked(metric, output) for output in reached) or not (reached or metric.optional)


def metric_score(
    metric: Metric,
    outputs: Sequence[LabelledOutput],
    *,
    seed: int,
    strata: Mapping[str, Strata] = _NO_STRATA,
    methods: int,
) -> MetricScore:
    """Wilson, Wilson on the effective n and the paper-cluster bootstrap of one metric, its domains and strata.

    `strata` is, for each division of the instances, the stratum of every instance. `methods` are those of the
    artifact (reports/scores/inputs.py).
    """
    counted = count(metric, outputs)
    way = clustering(methods)

    def estimate(counted: Counted) -> Estimate:
        return share(counted, way) if methods >= 4 else wilson_estimate(counted)

    divided = {
        name: _within(metric, estimate, ((stratum_of[output.instance], output) for output in outputs))
        for name, stratum_of in strata.items()
    }
    on_effective_n = undefined("wilson_effective_n", Reason.NO_ITEMS)
    by_paper = undefined("paper_cluster_bootstrap", Reason.NO_ITEMS)
    if counted.values:
        papers = cluster_totals(counted.values, counted.clusters)
        on_effective_n = wilson_on_effective_n(papers, way=way)
        by_paper = cluster_bootstrap(papers, seed=seed, way=way)
    return MetricScore(
        estimate=estimate(counted),
        effective_n=on_effective_n,
        paper_bootstrap=by_paper,
        domains=_within(metric, estimate, ((output.domain, output) for output in outputs)),
        strata=divided or None,
    )


def _within(
    metric: Metric,
    estimate: Callable[[Counted], Estimate],
    outputs: Iterable[tuple[str, LabelledOutput]],
) -> dict[str, Estimate]:
    """The estimate of each class of outputs, given as (class, output)."""
    grouped: dict[str, list[LabelledOutput]] = defaultdict(list)
    for name, output in outputs:
        grouped[name].append(output)
    return {name: estimate(count(metric, members)) for name, members in sorted(grouped.items())}


def share(counted: Counted, way: Clustering = Clustering.SKEWED) -> Estimate:
    """k / n as `wilson_estimate` gives it; where a problem has several attempts, with an interval by problem.

    Attempts at one problem succeed and fail together: Wilson is on n divided by their design effect (STATISTICS.md
    3 vii). Where all succeed, all fail or there is one problem, that cannot be estimated, and problems are counted.
    """
    return _with_what_was_left_out(share_by_cluster(counted.values, counted.problems, way), counted)


def wilson_estimate(counted: Counted) -> Estimate:
    """k / n with Wilson, the counts of what was left out, and bounds when something was."""
    return _with_what_was_left_out(proportion(counted.successes, len(counted.values)), counted)


def _with_what_was_left_out(estimate: Estimate, counted: Counted) -> Estimate:
    n = len(counted.values)
    bounds = missing_bounds(counted.successes, n, counted.unavailable) if counted.unavailable else None
    return replace(
        estimate,
        denom_rule=DENOMINATOR if n else None,
        n_abstain=counted.abstained,
        n_unavailable=counted.unavailable,
        bounds=bounds,
    )


def buckets(bucket_of: Callable[[LabelledOutput], str], outputs: Iterable[LabelledOutput]) -> dict[str, int]:
    """How many outputs fall into each of the judge's buckets; the counts add up to the number of outputs."""
    counts: dict[str, int] = defaultdict(int)
    for output in outputs:
        counts[bucket_of(output)] += 1
    return dict(sorted(counts.items()))
