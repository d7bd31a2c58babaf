"""What audits say by the methods of version 1, so that artifacts frozen with them verify byte for byte.

Nothing new uses them; the current ones are in reports.audit.results and reports.audit.corrections. Differences:
labels that nobody gave count as ineligible, even splits as "uncertain", strata are those of the draw alone, and every
cell has a posterior of its own (stats.audit.first_methods).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchmark.protocol import LabelledOutput, Metric
from reports.audit.corrections import Correction, with_strata
from reports.audit.results import Truth, cell_of, truth_outputs
from reports.core.datasets import DrawnItem
from reports.scores.shape import Corrected, InSample, JudgeAgainstExperts
from stats.audit.confusion import Confusion
from stats.audit.first_methods import borrowed_score, corrected_score, design_weighted, in_sample_coefficients
from stats.audit.weighted import AuditStratum

# Definitions that read differently now, by measure. Artifacts contain them, so they must be found as they were.
FIRST_DEFINITIONS = {
    "cite_recall_20": "Share of instances with the cited source among the first 20 candidates, as the source "
    "matcher sees it (DOI or arXiv id, then title and authors). What it would ask a person counts as not "
    "found, and so do abstentions.",
}
DEFINITIONS_BEFORE_14 = {
    f"{level}_p_at_10": f"Results among the first 10 that are {what}, over 10. A query without results counts 0."
    for level, what in (
        ("theorem", "the right statement with its number"),
        ("paper", "the right paper, whatever the statement"),
    )
}


def judge_against_experts(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
    *,
    seed: int,
) -> JudgeAgainstExperts:
    """In-sample and design-weighted coefficients, with the counts behind them."""
    experts = truth_outputs(outputs, truth, metric)
    cells: dict[str, dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(("tp", "fp", "fn", "tn", "ineligible"), 0)
    )
    sizes: dict[str, int] = {}
    for item in drawn:
        sizes[item.stratum] = item.stratum_size
        cells[item.stratum][cell_of(metric, outputs.get(item.subject), experts.get(item.subject))] += 1
    strata = [
        AuditStratum(name, sizes[name], c["tp"], c["fp"], c["fn"], c["tn"], c["ineligible"])
        for name, c in sorted(cells.items())
    ]
    counts = {cell: sum(getattr(stratum, cell) for stratum in strata) for cell in ("tp", "fp", "fn", "tn")}
    return JudgeAgainstExperts(
        in_sample=InSample.of(counts, in_sample_coefficients(Confusion(**counts))),
        weighted=design_weighted(strata, seed=seed),
        eligible=sum(counts.values()),
        excluded=sum(stratum.ineligible for stratum in strata),
    )


def corrected(found: Correction, everywhere: Correction | None = None) -> Corrected:
    """The audit-corrected score with the strata it rests on, and what is missing where it is not there."""
    estimate = replace(corrected_score(found.strata), n_unavailable=found.unavailable)
    return with_strata(estimate, found, everywhere, borrowed_score)
