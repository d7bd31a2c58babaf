"""Systems on the same items: differences with intervals, and tests corrected for their number. No rows here.

STATISTICS.md 3 (viii): the paired difference resampling papers, Newcombe's paired interval, McNemar's exact
test with Holm's correction over all pairs, and Cochran's Q over all systems. Only items on which both
systems of a pair have a label count; the others are reported as dropped.

Under a measure between 0 and 1 the fourfold table counts where the first is higher and where the second, so that
McNemar's exact test is the sign test; Newcombe's interval and Cochran's Q do not exist there.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from reports.outcomes import Item, Outcomes
from stats.clusters import paired_difference
from stats.compare import cochran_q, holm, mcnemar, paired_newcombe
from stats.estimate import Estimate, Reason, undefined
from stats.intervals import proportion
from stats.means import mean_estimate

FORMAT = "touchstone-comparison-1"
FEW_DISCORDANT = 10
DENOMINATOR = "items on which both systems have a usable label"


def comparison_document(found: Outcomes, *, seed: int) -> dict[str, Any]:
    """Every pair of systems under one outcome, with the omnibus test. `seed` is that of the resampling."""
    systems = list(found.successes)
    pairs = [paired(found, first, second, seed) for first, second in combinations(systems, 2)]
    adjusted = holm([pair["mcnemar"]["exact"] for pair in pairs])
    for pair, p in zip(pairs, adjusted, strict=True):
        pair["mcnemar"]["holm"] = p
    return {
        "format": FORMAT,
        "outcome": {
            "key": found.kind.key,
            "source": found.kind.source,
            "title": found.kind.title,
            "definition": found.kind.definition,
            "campaign": found.kind.campaign,
            "binary": found.kind.binary,
        },
        "seed": seed,
        "systems": {system: _system(found, system) for system in systems},
        "omnibus": _omnibus(found.successes, binary=found.kind.binary),
        "pairs": pairs,
    }


def _system(found: Outcomes, system: str) -> dict[str, Any]:
    items = found.successes[system]
    return {
        "estimate": _rate(found, list(items.values())).as_json(),
        "by_rule": found.by_rule.get(system, 0),
        "left_out": found.left_out.get(system, 0),
    }


def _rate(found: Outcomes, values: Sequence[float]) -> Estimate:
    if found.kind.binary:
        return proportion(int(sum(values)), len(values))
    return mean_estimate(values, "mean_over_outputs", (0.0, 1.0))


def _omnibus(successes: Mapping[str, Mapping[Item, float]], *, binary: bool) -> dict[str, Any]:
    """Cochran's Q over the items on which every system has a label."""
    every = _shared(list(successes.values()))
    dropped = len(set().union(*successes.values())) - len(every) if successes else 0
    table = [[items[item] for items in successes.values()] for item in every]
    tested = cochran_q(table) if len(successes) > 1 and table and binary else None
    q, df, p = tested or (None, None, None)
    failed = Reason.ZERO_DENOM if binary else Reason.LEVEL
    reason = None if tested else str(failed if table else Reason.NO_ITEMS)
    return {"q": q, "df": df, "p": p, "n": len(every), "dropped": dropped, "reason": reason}


def _shared(systems: Sequence[Mapping[Item, float]]) -> list[Item]:
    return sorted(set.intersection(*(set(items) for items in systems))) if systems else []


def paired(found: Outcomes, first: str, second: str, seed: int) -> dict[str, Any]:
    """First minus second on the items that both have: difference, intervals, fourfold table, McNemar (no Holm)."""
    one, two = found.successes[first], found.successes[second]
    shared = _shared([one, two])
    a, b = [one[item] for item in shared], [two[item] for item in shared]
    cells = _cells(a, b)
    test = mcnemar(cells["first_only"], cells["second_only"])
    newcombe = paired_newcombe(*cells.values())
    if not found.kind.binary:
        newcombe = undefined(newcombe.method, Reason.LEVEL, n=len(shared))
    resampled = paired_difference(a, b, [found.clusters[item] for item in shared], seed=seed)
    return {
        "first": first,
        "second": second,
        "n": len(shared),
        "dropped": len(set(one) | set(two)) - len(shared),
        "cells": cells,
        "difference": (_headline(resampled, newcombe, cells) if found.kind.binary else resampled).as_json(),
        "paper_bootstrap": resampled.as_json(),
        "newcombe": newcombe.as_json(),
        "mcnemar": {
            "exact": test.exact,
            "mid_p": test.mid_p,
            "chi2": test.chi2,
            "chi2_p": test.chi2_p,
        },
    }


def _cells(a: Sequence[float], b: Sequence[float]) -> dict[str, int]:
    """The fourfold table in the order in which `paired_newcombe` takes it: equal above 0, more, less, both 0."""
    one, two = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return {
        "both": int(((one == two) & (one > 0)).sum()),
        "first_only": int((one > two).sum()),
        "second_only": int((one < two).sum()),
        "neither": int(((one == two) & (one == 0)).sum()),
    }


def _headline(resampled: Estimate, newcombe: Estimate, cells: Mapping[str, int]) -> Estimate:
    """Papers resampled; Newcombe's interval where too few items tell the two apart for a bootstrap."""
    if newcombe.value is None:
        return undefined(newcombe.method, Reason.NO_ITEMS, n=0)
    few = cells["first_only"] + cells["second_only"] < FEW_DISCORDANT
    return newcombe if few or resampled.ci is None else resampled


def item_rows(found: Outcomes, first: str, second: str) -> list[dict[str, Any]]:
    """The items behind a pair, those that tell the two apart first; None where a label is missing."""
    one, two = found.successes[first], found.successes[second]
    rows = [
        {"instance": item[0], "attempt": item[1], "first": one.get(item), "second": two.get(item)}
        for item in sorted(set(one) | set(two))
    ]
    return sorted(rows, key=_least_telling)


def _least_telling(row: Mapping[str, Any]) -> tuple[int, str, int]:
    if row["first"] is None or row["second"] is None:
        return 3, row["instance"], row["attempt"]
    less = 2 if row["first"] == row["second"] else int(row["first"] < row["second"])
    return less, row["instance"], row["attempt"]
