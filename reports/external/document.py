"""Scores of systems next to scores that others published of them: whether both put the systems in one order.

STATISTICS.md 1.4: Spearman on average ranks, and Kendall's tau-b. The unit is the system, so a handful of systems
gives a wide interval, and three give none. No rows here.
"""

import csv
import math
from collections.abc import Mapping
from typing import Any

from accounts.refusal import Refused
from reports.core.outcomes import Outcomes
from stats.scores.correlation import kendall_tau_b, spearman

FORMAT = "touchstone-external-scores-1"
MAX_SYSTEMS = 1000
_HEAD = ["system", "score"]


def read_external(text: str) -> dict[str, float]:
    """System to score from CSV with the header `system,score`. Raises Refused naming the line and what is wrong."""
    rows = [(number, row) for number, row in enumerate(csv.reader(text.splitlines()), start=1) if any(row)]
    if not rows or [cell.strip() for cell in rows[0][1]] != _HEAD:
        raise _fault(rows[0][0] if rows else 1, "the head is system,score")
    if len(rows) > MAX_SYSTEMS + 1:
        raise Refused(f"More than {MAX_SYSTEMS} systems.", code="too_many", field="scores")
    found: dict[str, float] = {}
    for number, row in rows[1:]:
        if len(row) != len(_HEAD):
            raise _fault(number, "a system and a score, and nothing else")
        system = row[0].strip()
        if not system or system in found:
            raise _fault(number, f"{system[:100]!r} occurs twice" if system else "the system is missing")
        try:
            found[system] = float(row[1])
        except ValueError:
            raise _fault(number, f"{row[1][:100]!r} is not a number") from None
        if not math.isfinite(found[system]):
            raise _fault(number, f"{row[1][:100]!r} is not a number")
    return found


def _fault(line: int, what: str) -> Refused:
    return Refused(f"Line {line} of the external scores: {what}.", code="bad_scores", field="scores")


def external_document(found: Outcomes, external: Mapping[str, float]) -> dict[str, Any]:
    """The two scores of every system that has both, their rank correlations, and who has only one of them.

    A system's score is the mean of its outcomes. Raises Refused if no system has both.
    """
    means = {system: sum(items.values()) / len(items) for system, items in found.successes.items() if items}
    shared = sorted(means.keys() & external.keys())
    if not shared:
        known = ", ".join(sorted(means)) or "none"
        raise Refused(
            f"No system of the external scores is here; here are: {known}.",
            code="no_system",
            field="scores",
        )
    ours, theirs = ([scores[system] for system in shared] for scores in (means, external))
    return {
        "format": FORMAT,
        "outcome": {"key": found.kind.key, "title": found.kind.title, "definition": found.kind.definition},
        "excluded": found.excluded,
        "systems": [
            {
                "system": system,
                "score": means[system],
                "n": len(found.successes[system]),
                "external": external[system],
            }
            for system in shared
        ],
        "only_here": sorted(means.keys() - external.keys()),
        "only_external": sorted(external.keys() - means.keys()),
        "spearman": spearman(ours, theirs),
        "kendall_tau_b": kendall_tau_b(ours, theirs),
    }
