"""What audits say by the methods of version 1, so that artifacts frozen with them verify byte for byte.

Nothing new uses them; the current ones are in reports.audit.results and reports.audit.corrections. Differences:
labels that nobody gave count as ineligible, even splits as "uncertain", strata are those of the draw alone, and every
cell has a posterior of its own (stats.audit.first_methods).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.protocol import LabelledOutput, Metric
from reports.audit.corrections import Correction, rates_elsewhere, strata_rows
from reports.audit.results import Truth, cell_of, truth_outputs
from reports.core.datasets import DrawnItem
from stats.audit.confusion import Confusion
from stats.audit.first_methods import borrowed_score, corrected_score, design_weighted, in_sample_coefficients
from stats.audit.weighted import AuditStratum

# Definitions that read differently now, by measure. Artifacts contain them, so they must be found as they were.
FIRST_DEFINITIONS = {
    "cite_recall_20": "Share of instances with the cited source among the first 20 candidates, as the source "
    "matcher sees it (DOI or arXiv id, then title and authors). What it would ask a person counts as not "
    "found, and so do abstentions.",
}


def audit_document(
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
    drawn: Sequence[DrawnItem],
    *,
    seed: int,
) -> dict[str, Any]:
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
    found = in_sample_coefficients(Confusion(**counts))
    return {
        "in_sample": {**counts, **{key: estimate.as_json() for key, estimate in found.items()}},
        "weighted": {key: estimate.as_json() for key, estimate in design_weighted(strata, seed=seed).items()},
        "eligible": sum(counts.values()),
        "excluded": sum(stratum.ineligible for stratum in strata),
    }


def corrected_document(found: Correction, everywhere: Correction | None = None) -> dict[str, Any]:
    """The audit-corrected score with the strata it rests on, and what is missing where it is not there."""
    estimate = corrected_score(found.strata).as_json() | {"n_unavailable": found.unavailable}
    empty = [stratum for stratum in found.strata if stratum.is_unaudited]
    rows = strata_rows(found.strata)
    if not empty:
        return {"estimate": estimate, "strata": rows["strata"]}
    borrowed = borrowed_score(found.strata, rates_elsewhere(empty, everywhere))
    return {
        "empty": rows["empty"],
        **({"borrowed": borrowed.as_json()} if borrowed else {}),
        "estimate": estimate,
        "strata": rows["strata"],
    }
