"""Scores that nobody judges: the mean of each measure per system and domain, with its intervals. No rows here.

Every instance of the release is in the denominator of every system: an output that abstained, failed or is
missing counts as its measure says (0 where something was to be found).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from benchmark.protocol import Measure, Protocol
from reports.core.measurements import MISSING, Asked, Key, Measured, OpenMeasure
from reports.scores.shape import METHODS, MeasuredScores, MeasuredSystem, MeasureText, clustering
from stats.core.estimate import Caution, Estimate
from stats.core.intervals import proportion
from stats.scores.clusters import Clustering, cluster_bootstrap, cluster_totals
from stats.scores.means import (
    has_width,
    mean_by_cluster,
    mean_estimate,
    reaching_unseen,
    share_by_cluster,
)

DENOMINATOR = "all instances of the release; what abstained, failed or is missing stays"
METHOD, PERCENTILES = "instance_mean_wilson", "instance_bootstrap_percentile"
SCALE = (0.0, 1.0)


def measured_scores(
    protocol: Protocol,
    asked: Sequence[Asked],
    rows: Sequence[Measured],
    answered: Mapping[str, int],
    *,
    seed: int,
    opened: Sequence[OpenMeasure] = (),
    settled: Collection[Key] = (),
    methods: int = METHODS,
) -> MeasuredScores:
    """`answered` is the number of answered outputs of every system of the track; `opened` are those whose value a
    person has still to tell: their number is given and bounds the value, if there are any; `settled` are those that
    people decided.

    A measure that applies to no output of a system is absent from that system.
    """
    known = {instance.instance: instance for instance in asked}
    waiting = Counter((row.system, row.measure) for row in opened)
    decided = Counter((system, measure) for system, _, _, measure in settled)
    grouped: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    for row in rows:
        grouped[row.system, row.measure].append(row)
    return MeasuredScores(
        instances=len(known),
        measures={
            measure.key: MeasureText(
                title=measure.title, definition=measure.definition, binary=measure.binary
            )
            for measure in protocol.measures
        },
        systems={
            system: {
                measure.key: _of_system(
                    measure,
                    grouped[system, measure.key],
                    known,
                    number,
                    waiting[system, measure.key],
                    decided[system, measure.key],
                    seed,
                    methods,
                )
                for measure in protocol.measures
                if grouped[system, measure.key]
            }
            for system, number in sorted(answered.items())
        },
    )


def _of_system(
    measure: Measure,
    rows: Sequence[Measured],
    known: Mapping[str, Asked],
    answered: int,
    waiting: int,
    settled: int,
    seed: int,
    methods: int,
) -> MeasuredSystem:
    """Wilson, for means on effective trials; before `methods` 11 means have percentiles over resampled instances.

    Attempts at one instance are taken together, from `methods` 7 on everywhere.
    """
    together, way = methods > 6, clustering(methods)
    by_domain: dict[str, list[Measured]] = defaultdict(list)
    for row in rows:
        by_domain[known[row.instance].domain].append(row)

    def share(own: Sequence[Measured]) -> Estimate:
        if together:
            return share_by_cluster([row.value for row in own], [row.instance for row in own], way)
        return proportion(int(sum(row.value for row in own)), len(own))

    def mean(own: Sequence[Measured]) -> Estimate:
        values = [row.value for row in own]
        if together:
            instances = [row.instance for row in own]
            return mean_by_cluster(values, instances, "mean_over_outputs", SCALE, way)
        return mean_estimate(values, "mean_over_outputs", SCALE, way=way)

    total = sum(row.value for row in rows)
    if measure.binary:
        headline = replace(share(rows), denom_rule=DENOMINATOR if rows else None)
        domains = {name: share(own) for name, own in sorted(by_domain.items())}
    elif methods > 10:
        headline = replace(mean(rows), method=METHOD, denom_rule=DENOMINATOR)
        domains = {name: mean(own) for name, own in sorted(by_domain.items())}
    else:
        headline = _resampled(rows, [row.instance for row in rows], seed, way)
        headline = replace(headline, method=PERCENTILES, k=None, denom_rule=DENOMINATOR)
        if methods > 5 and headline.ci and not has_width(headline.ci[1] - headline.ci[0], SCALE):
            units = len({row.instance for row in rows}) if together else len(rows)
            headline = reaching_unseen(headline, units, SCALE)
        domains = {name: mean(own) for name, own in sorted(by_domain.items())}
    abstained = sum(row.state not in ("answered", MISSING) for row in rows)
    headline = replace(headline, n_abstain=abstained)
    if waiting:
        ends = (total / len(rows), (total + waiting) / len(rows))
        headline = replace(headline, bounds=ends, warnings=(*headline.warnings, Caution.OPEN_CASES))
    return MeasuredSystem(
        estimate=headline,
        open=waiting or None,
        settled=settled or None,
        paper_bootstrap=_resampled(rows, [known[row.instance].cluster for row in rows], seed, way),
        missing=sum(row.state == MISSING for row in rows),
        not_applicable=answered - sum(row.state == "answered" for row in rows),
        domains=domains,
    )


def _resampled(rows: Sequence[Measured], clusters: Sequence[str], seed: int, way: Clustering) -> Estimate:
    return cluster_bootstrap(cluster_totals([row.value for row in rows], clusters), seed=seed, way=way)
