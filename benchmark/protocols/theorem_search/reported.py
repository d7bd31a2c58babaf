"""The rates that a run's authors report, checked before the run is imported: can these rates be true together?

STATISTICS.md 1.3: a rate is a number of queries out of all of them, and P@1, Hit@10 and Hit@20 set limits to
MRR@20. All as printed, so that half of the last printed digit is allowed for.
"""

import tomllib
from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchmark.importing.records import RecordError, record_errors
from stats.scores.retrieval import mrr_bounds

NAME = "reported.toml"
MAX_BYTES = 100_000
Rate = Annotated[str, Field(pattern=r"^(0\.\d{1,6}|1\.0{1,6}|[01])$")]


class Reported(BaseModel):
    """One table of reported.toml: rates of one level as text, such as "0.171"."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    level: str
    queries: Annotated[int, Field(ge=1, le=10**6)]
    p_at_1: Rate
    hit_at_10: Rate
    hit_at_20: Rate
    mrr_at_20: Rate


def reported_errors(path: Path) -> Iterator[RecordError]:
    """What is impossible in the `[[reported]]` tables of the file; nothing if all can be true."""
    try:
        with path.open("rb") as file:
            tables = tomllib.loads(file.read(MAX_BYTES).decode("utf-8"))
    except (OSError, ValueError) as error:
        yield RecordError(f"cannot be read: {error}", field=path.name)
        return
    listed = tables.get("reported")
    if set(tables) != {"reported"} or not isinstance(listed, list):
        yield RecordError("must contain [[reported]] tables and nothing else", field=path.name)
        return
    for number, table in enumerate(listed, start=1):
        place = f"{NAME}, table {number}"
        try:
            found = Reported.model_validate(table)
        except ValidationError as error:
            for fault in record_errors(error, 0):
                yield RecordError(fault.reason, field=f"{place}, {fault.field}".rstrip(", "))
            continue
        rates = {name: getattr(found, name) for name in ("p_at_1", "hit_at_10", "hit_at_20")}
        for name, printed in rates.items():
            low, high = _limits(printed)
            if not low - 1e-12 <= round(float(printed) * found.queries) / found.queries <= high + 1e-12:
                reason = f"{printed} of {found.queries} queries is not a whole number"
                yield RecordError(reason, field=f"{place}, {name}")
        limits = [_limits(printed) for printed in rates.values()]
        # By their limits: one rate that is printed as 0.333 and as 0.33 has not become smaller.
        if any(before[0] >= after[1] for before, after in combinations(limits, 2)):
            reason = "P@1, Hit@10 and Hit@20 can only grow in this order"
            yield RecordError(reason, field=f"{place}, hit_at_10")
        low, _ = mrr_bounds(*(ends[0] for ends in limits))
        _, high = mrr_bounds(*(ends[1] for ends in limits))
        least, most = _limits(found.mrr_at_20)
        if most < low or least > high:
            reason = f"{found.mrr_at_20} is impossible given the other rates: {low:.4f} to {high:.4f}"
            yield RecordError(reason, field=f"{place}, mrr_at_20")


def _limits(printed: str) -> tuple[float, float]:
    """The least and the largest value that is printed so."""
    digits = len(printed.partition(".")[2])
    half = Decimal(1).scaleb(-digits) / 2
    return float(max(Decimal(0), Decimal(printed) - half)), float(min(Decimal(1), Decimal(printed) + half))
