"""Audited units system by system, each with the strata that it has in the draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stats.audit_units import AuditUnits
from stats.raw_rows import TableError


def units_by_system(units: AuditUnits) -> dict[str, tuple[AuditUnits, bool]]:
    """The units of every system, and whether the sizes of its strata are known.

    A stratum that was drawn within one system keeps its sizes. One that was drawn over several systems is split by
    them: the size of a part is the number of its units in the table, known only where the table holds all units of the
    stratum. What was drawn of a part was left to chance, so its sample size is what was labelled. Raises TableError
    for a table that names no system.
    """
    if units.systems.is_empty:
        raise TableError("names no system", column="system")
    strata = units.questions.codes.astype(np.int64) * len(units.strata.values) + units.strata.codes
    _, strata = np.unique(strata, return_inverse=True)
    systems = units.systems.codes.astype(np.int64)
    populated = units.stratum_size >= 0
    parts = np.unique(np.column_stack([strata, systems])[populated], axis=0)[:, 0]
    shared = (np.bincount(parts, minlength=int(strata.max()) + 1) > 1)[strata] & populated
    complete = (np.bincount(strata[populated], minlength=int(strata.max()) + 1))[strata] == units.stratum_size
    found = {}
    for code in sorted(np.unique(systems).tolist(), key=lambda code: units.systems.values[code]):
        mine = systems == code
        split = shared[mine]
        here = strata[mine][populated[mine]]
        own_size = np.bincount(here, minlength=int(strata.max()) + 1)[strata[mine]]
        part = units.take(mine)
        part = replace(
            part,
            stratum_size=np.where(split, own_size, part.stratum_size),
            sample_size=np.where(split, -1, part.sample_size),
        )
        found[units.systems.values[code]] = (part, bool(complete[mine][split].all()))
    return found
