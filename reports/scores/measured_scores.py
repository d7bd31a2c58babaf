"""Scores that nobody judges: the mean of each measure per system and domain, with its intervals. No rows here.

Every instance of the release is in the denominator of every system: an output that abstained, failed or is
missing counts as its measure says (0 where something was to be found).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from benchmark.protocol import Measure, Protocol
from reports.core.measurements import MISSING, Asked, Measured, OpenMeasure
from reports.scores.settled import Key
from reports.scores.shape import MeasuredScores, MeasuredSystem, MeasureText
from stats.core.estimate import Caution, Estimate
from stats.core.intervals import proportion
from stats.scores.clusters import cluster_bootstrap, cluster_totals
from stats.scores.means import mean_estimate

DENOMINATOR = "all instances of the release; what abstained, failed or is missing stays"
METHOD = "instance_bootstrap_percentile"


def measured_scores(
    protocol: Protocol,
    asked: Sequence[Asked],
    rows: Sequence[Measured],
    answered: Mapping[str, int],
    *,
    seed: int,
    opened: Sequence[OpenMeasure] = (),
    settled: Collection[Key] = (),
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
                measure.key: replace(
                    _of_system(
                        measure,
                        grouped[system, measure.key],
                        known,
                        number,
                        waiting[system, measure.key],
                        seed,
                    ),
                    settled=decided[system, measure.key] or None,
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
    seed: int,
) -> MeasuredSystem:
    by_domain: dict[str, list[Measured]] = defaultdict(list)
    for row in rows:
        by_domain[known[row.instance].domain].append(row)
    abstained = sum(row.state not in ("answered", MISSING) for row in rows)
    papers = [known[row.instance].cluster for row in rows]
    headline = replace(_headline(measure, rows, seed), n_abstain=abstained)
    if waiting:
        found = sum(row.value for row in rows)
        ends = (found / len(rows), (found + waiting) / len(rows))
        headline = replace(headline, bounds=ends, warnings=(*headline.warnings, Caution.OPEN_CASES))
    return MeasuredSystem(
        estimate=headline,
        open=waiting or None,
        paper_bootstrap=_resampled(rows, papers, seed),
        missing=sum(row.state == MISSING for row in rows),
        not_applicable=answered - sum(row.state == "answered" for row in rows),
        domains={
            domain: _within(measure, [row.value for row in members])
            for domain, members in sorted(by_domain.items())
        },
    )


def _headline(measure: Measure, rows: Sequence[Measured], seed: int) -> Estimate:
    """Wilson for a proportion; otherwise percentiles over resampled instances."""
    if measure.binary:
        return proportion(int(sum(row.value for row in rows)), len(rows), denom_rule=DENOMINATOR)
    found = _resampled(rows, [row.instance for row in rows], seed)
    return replace(found, method=METHOD, k=None, denom_rule=DENOMINATOR)


def _resampled(rows: Sequence[Measured], clusters: Sequence[str], seed: int) -> Estimate:
    return cluster_bootstrap(cluster_totals([row.value for row in rows], clusters), seed=seed)


def _within(measure: Measure, values: Sequence[float]) -> Estimate:
    if measure.binary:
        return proportion(int(sum(values)), len(values))
    return mean_estimate(values, "mean_over_outputs", (0.0, 1.0))
