"""A judge audited by experts: where they agree, in the sample and in the population. No rows here.

The truth of an output is an adjudicator's decision, else what the experts say by strict majority. A split that nobody
decided counts negative, and intervals and bounds reach to what it would be if it were positive
(stats/audit/doubts.py). Strata are those of the frozen draw, split by the judge's verdict where they mix verdicts.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmark.protocol import LabelledOutput, Metric
from reports.core.datasets import Decision, DrawnItem, ExpertLabel
from reports.scores.shape import METHODS, InSample, JudgeAgainstExperts
from stats.audit.confusion import Confusion, in_sample
from stats.audit.doubts import coefficients_with_missing_labels, over_splits
from stats.audit.weighted import AuditStratum, collapsed, design_weighted
from stats.core.bootstrap import Floats
from stats.core.jackknife import LEAST_DEGREES
from stats.raters.aggregate import strict_majority

Truth = dict[str, dict[str, str]]
_CELLS = ("tp", "fp", "fn", "tn", "ineligible")
SPLIT = "split"  # no majority and no decision; never a value of a question
NOTHING = "nothing"  # what an abstention says: nothing could be judged; never a value of a question


def expert_truth(
    labels: Iterable[ExpertLabel], *, otherwise: str = "uncertain", abstained: str = ""
) -> Truth:
    """Subject to question to the experts' majority value; `otherwise` where there is none.

    Who abstains says `abstained`, or nothing.
    """
    said: dict[tuple[str, str], list[str]] = defaultdict(list)
    for label in labels:
        value = abstained if label.state == "abstain" else label.value
        if value and not label.step:
            said[label.subject, label.question].append(value)
    truth: Truth = defaultdict(dict)
    for (subject, question), values in said.items():
        truth[subject][question] = strict_majority(values, otherwise=otherwise) or otherwise
    return dict(truth)


def audit_truth(
    labels: Iterable[ExpertLabel], decisions: Iterable[Decision], methods: int = METHODS
) -> Truth:
    """The same for an audit: the adjudicator's decision, else the experts' majority, SPLIT where there is none.

    Where most found nothing that could be judged the output is uncertain, which is not a success of any metric. With
    `methods` before 12 who abstained said nothing, and a decision counted where the experts split.
    """
    truth = expert_truth(labels, otherwise=SPLIT, abstained=NOTHING if methods > 11 else "")
    for row in decisions:
        if not row.step and (methods > 11 or truth.get(row.subject, {}).get(row.question) == SPLIT):
            truth.setdefault(row.subject, {})[row.question] = row.value
    return {
        subject: {question: "uncertain" if value == NOTHING else value for question, value in values.items()}
        for subject, values in truth.items()
    }


def with_splits(truth: Truth, value: str) -> Truth:
    """The truth if every split had been decided so."""
    return {
        subject: {question: value if said == SPLIT else said for question, said in values.items()}
        for subject, values in truth.items()
    }


def splits_in(truth: Truth, metric: Metric, drawn: Iterable[DrawnItem]) -> int:
    """Drawn outputs on which the experts split over something that the metric needs."""
    return sum(any(truth.get(item.subject, {}).get(key) == SPLIT for key in metric.needs) for item in drawn)


def truth_outputs(
    outputs: Mapping[str, LabelledOutput], truth: Truth, metric: Metric
) -> dict[str, LabelledOutput]:
    """Audited outputs as the experts label them, for those where every question the metric needs is known."""
    return {
        subject: replace(
            outputs[subject],
            labels=dict(truth[subject]),
            states=dict.fromkeys(truth[subject], "answered"),
            reached=frozenset(),
        )
        for subject in sorted(truth)
        if subject in outputs and all(key in truth[subject] for key in metric.needs)
    }


def is_eligible(metric: Metric, labels: Mapping[str, str]) -> bool:
    """Both sides must say yes or no on every needed question (weak Kleene, STATISTICS.md section 0)."""
    return all(labels.get(key) in ("yes", "no") for key in metric.needs)


@dataclass(frozen=True)
class Audited:
    """A judge against the experts, by one metric.

    `drawn` are the strata of the draw, `strata` the same split by the judge's verdict where that is known of all of
    a stratum's outputs. `missing` counts, in the order of `drawn`, the outputs without the labels that the metric
    needs. `clusters` (C, 4) are the tables of the papers with an eligible output, `weighted`
    the same with every output weighted by the design.
    """

    drawn: tuple[AuditStratum, ...]
    strata: tuple[AuditStratum, ...]
    missing: tuple[int, ...]
    clusters: Floats
    weighted: Floats

    @property
    def confusion(self) -> Confusion:
        """The labelled outputs as they are, without the weights of the design."""
        return Confusion(*(sum(getattr(s, cell) for s in self.drawn) for cell in ("tp", "fp", "fn", "tn")))


def audited(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
    strata: Mapping[str, str],
) -> Audited:
    """Judge against experts within each stratum of the draw; `strata` places every output as `system/bucket`.

    Items without the needed labels are left out of the sample and counted as missing.
    """
    experts = truth_outputs(outputs, truth, metric)
    labelled: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    eligible: list[tuple[str, str, str]] = []
    sizes: dict[str, int] = {}
    missing: Counter[str] = Counter()
    # strata of a draw by another judge's verdicts: nothing is known of their outputs
    elsewhere: set[str] = set()
    for item in drawn:
        sizes[item.stratum] = item.stratum_size
        at = strata.get(item.subject, "")
        if item.stratum not in (at, bucket_of(at)):
            elsewhere.add(item.stratum)
        output, expert = outputs.get(item.subject), experts.get(item.subject)
        if expert is None:
            missing[item.stratum] += 1
        else:
            cell = cell_of(metric, output, expert)
            labelled[item.stratum][_verdict(metric, output), cell] += 1
            eligible += [(expert.cluster, cell, item.stratum)] if cell != "ineligible" else []
    population: dict[str, Counter[str]] = defaultdict(Counter)
    for subject, at in strata.items():
        for name in (at, bucket_of(at)):
            population[name][_verdict(metric, outputs[subject])] += 1
    names = sorted(sizes)
    found: list[AuditStratum] = []
    for name in names:
        is_known = name not in elsewhere and population[name].total() == sizes[name]
        known = population[name] if is_known else {"": sizes[name]}
        found += [_stratum(name, size, labelled[name], verdict) for verdict, size in sorted(known.items())]
    whole = tuple(_stratum(name, sizes[name], labelled[name], "") for name in names)
    papers = {paper: at for at, paper in enumerate(dict.fromkeys(paper for paper, _, _ in eligible))}
    clusters, weighted = np.zeros((2, len(papers), 4))
    for paper, cell, stratum in eligible:
        place = papers[paper], _CELLS.index(cell)
        clusters[place] += 1
        weighted[place] += sizes[stratum] / labelled[stratum].total()
    lacking = tuple(missing[name] for name in names)
    return Audited(whole, tuple(collapsed(found)), lacking, clusters, weighted)


def _stratum(name: str, size: int, labelled: Mapping[tuple[str, str], int], verdict: str) -> AuditStratum:
    cells = dict.fromkeys(_CELLS, 0)
    for (said, cell), count in labelled.items():
        if verdict in ("", said):
            cells[cell] += count
    if verdict == "none":  # neither yes nor no by the judge: ineligible whatever the experts say
        cells["ineligible"] = size
    bucket = bucket_of(name)
    group = f"{bucket}, {verdict}" if bucket else ""
    tp, fp, fn, tn, ineligible = (cells[cell] for cell in _CELLS)
    return AuditStratum(name, size, tp, fp, fn, tn, ineligible, group, verdict)


def _verdict(metric: Metric, judge: LabelledOutput | None) -> str:
    if judge is None or not is_eligible(metric, judge.labels):
        return "none"
    return "yes" if metric.success(judge) else "no"


def cell_of(metric: Metric, judge: LabelledOutput | None, expert: LabelledOutput | None) -> str:
    """The cell of the confusion matrix that an output belongs to."""
    if judge is None or expert is None:
        return "ineligible"
    if not (is_eligible(metric, judge.labels) and is_eligible(metric, expert.labels)):
        return "ineligible"
    return {(True, True): "tp", (True, False): "fp", (False, True): "fn", (False, False): "tn"}[
        metric.success(judge), metric.success(expert)
    ]


def bucket_of(stratum: str) -> str:
    """The bucket of a stratum named `system/bucket`; "" for one that is named by a bucket alone."""
    return stratum.partition("/")[2]


def system_of(stratum: str) -> str:
    """The system of a stratum named `system/bucket`; "" for one that is named by a bucket alone."""
    system, slash, _ = stratum.partition("/")
    return system if slash else ""


def judge_against_experts(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
    strata: Mapping[str, str],
    *,
    seed: int,
    methods: int = METHODS,
) -> JudgeAgainstExperts:
    """In-sample and design-weighted agreement, precision, recall, F1 and kappa, with the counts behind them.

    Outputs of one paper are alike in sample (not with `methods` before 4), and intervals of shares are of shares (not
    before 19), with LEAST_DEGREES (not before 20); weights speak of the outputs that there are, drawn one by one, whose
    papers do not matter. `splits` counts the drawn outputs on which the experts split and nobody decided, `missing`
    those without labels.
    """
    splits = splits_in(truth, metric, drawn)
    scenarios = [
        audited(metric, outputs, with_splits(truth, value), drawn, strata)
        for value in (("no", "yes") if splits else ("no",))
    ]
    negative = scenarios[0]
    sample = over_splits(
        [
            in_sample(
                one.confusion,
                clusters=one.clusters if methods > 3 else None,
                fisher_at_ends=methods < 19,
                least_degrees=LEAST_DEGREES if methods > 19 else 1,
            )
            for one in scenarios
        ]
    )
    weighted = over_splits([design_weighted(one.strata, seed=seed) for one in scenarios])
    weighted = coefficients_with_missing_labels(weighted, negative.drawn, negative.missing)
    counts = {cell: sum(getattr(s, cell) for s in negative.drawn) for cell in ("tp", "fp", "fn", "tn")}
    return JudgeAgainstExperts(
        in_sample=InSample.of(counts, sample),
        weighted=weighted,
        eligible=sum(counts.values()),
        excluded=sum(stratum.ineligible for stratum in negative.drawn) + sum(negative.missing),
        splits=splits,
        missing=sum(negative.missing),
    )
