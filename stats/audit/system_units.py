"""Audited units system by system, each with the strata that it has in the draw."""

from dataclasses import replace

import numpy as np

from stats.audit.units import AuditUnits
from stats.tables.groups import refuse_many
from stats.tables.raw_rows import TableError


def units_by_system(units: AuditUnits) -> dict[str, tuple[AuditUnits, bool]]:
    """The units of every system, and whether the sizes of its strata are known.

    Strata that were drawn within systems keep their sizes. As soon as one stratum holds units of several systems, all
    are taken to have been drawn over systems, but for those that are named system/bucket, and are split: the size of a
    part is the number of its units in the table, known only where the table holds all units of the stratum. What was
    drawn of a part was left to chance, so its sample size is what was labelled. Raises TableError for a table that
    names no system, or too many.
    """
    if units.systems.is_empty:
        raise TableError("names no system", column="system")
    systems, names = units.systems.codes.astype(np.int64), units.systems.values
    refuse_many(len(np.unique(systems)), "system")
    sized = units.stratum_size >= 0
    strata = np.unique(
        units.questions.codes.astype(np.int64) * len(units.strata.values) + units.strata.codes,
        return_inverse=True,
    )[1]
    count = int(strata.max(initial=-1)) + 1
    parts = np.unique(np.column_stack([strata, systems])[sized | ~units.strata.is_in("")], axis=0)
    shared = bool((np.bincount(parts[:, 0], minlength=1) > 1).any())
    complete = np.bincount(strata[sized], minlength=count)[strata] == units.stratum_size
    found = {}
    for code in sorted(np.unique(systems).tolist(), key=lambda code: names[code]):
        mine = systems == code
        own = [text for text in units.strata.values if text.startswith(f"{names[code]}/")]
        split = (sized & ~units.strata.is_in(*own) & shared)[mine]
        size = np.bincount(strata[mine & sized], minlength=count)[strata[mine]]
        part = units.take(mine)
        part = replace(
            part,
            stratum_size=np.where(split, size, part.stratum_size),
            sample_size=np.where(split, -1, part.sample_size),
        )
        found[names[code]] = (part, bool(complete[mine][split].all()))
    return found
