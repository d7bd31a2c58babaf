"""What somebody typed or pasted into the planner: strata (name, size, guess, what an audit costs), or a pilot."""

import io
from collections.abc import Mapping
from dataclasses import dataclass

from stats.planning.allocations import PlannedStratum
from stats.tables.cells import number_in
from stats.tables.columns import Check, filled, read_table
from stats.tables.labels import one_of
from stats.tables.raw_rows import TableError

MAX_STRATA = 200
MAX_SIZE = 10_000_000


@dataclass(frozen=True)
class StrataTable:
    """The strata in their order, and the sample sizes written next to them (None without the column)."""

    strata: tuple[PlannedStratum, ...]
    sampled: tuple[int, ...] | None


def _count(cell: str) -> str:
    text = cell.strip()
    if not (text.isascii() and text.isdigit() and int(text[:12]) <= MAX_SIZE and len(text) < 12):
        raise ValueError(f"must be a whole number from 0 to {MAX_SIZE:,}, not {cell!r}")
    return text


def _share(cell: str) -> str:
    text = cell.strip()
    share = number_in(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if not 0 <= share <= 1:
        raise ValueError(f"must be a share from 0 to 1 or a percentage like 2 %, not {cell!r}")
    return repr(share)


def _hours(cell: str) -> str:
    text = cell.strip() or "1"
    if not 0 < number_in(text) < 10_000:
        raise ValueError(f"must be a number of hours above 0, or empty, not {cell!r}")
    return text


CHECKS: Mapping[str, Check] = {
    "name": filled,
    "size": _count,
    "guess": _share,
    "hours": _hours,
    "judge": one_of("yes", "no"),
    "sample": lambda cell: _count(cell) if cell.strip() else "",
}


def strata_from_text(text: str) -> StrataTable:
    """A table with columns name, size, guess, and optionally hours, judge (yes or no) and sample (audits by hand).

    Cells may be separated by tabs, as spreadsheets copy them. Without `judge`, a stratum whose guess is one half or
    more counts as judged successes. Raises TableError naming line and column.
    """
    stream = io.BytesIO(text.replace("\t", ",").strip().encode())
    table = read_table(stream, CHECKS, form="csv", required=("name", "size", "guess"))
    if not 1 <= len(table) <= MAX_STRATA:
        raise TableError(f"has {len(table)} strata; it takes 1 to {MAX_STRATA}")
    lines = table.lines.tolist()
    cells = {name: table[name].texts() for name in CHECKS}
    seen: set[str] = set()
    for line, name in zip(lines, cells["name"], strict=True):
        if name in seen:
            raise TableError(f"{name!r} is there already", line=line, column="name")
        seen.add(name)
    strata = tuple(
        PlannedStratum(
            name, int(size), float(guess), float(hours or 1), judge == "yes" if judge else float(guess) >= 0.5
        )
        for name, size, guess, hours, judge in zip(
            *(cells[column] for column in ("name", "size", "guess", "hours", "judge")), strict=True
        )
    )
    if not any(stratum.size for stratum in strata):
        raise TableError("holds no output: every size is 0", column="size")
    if table["sample"].is_empty:
        return StrataTable(strata, None)
    for line, stratum, text in zip(lines, strata, cells["sample"], strict=True):
        if not text:
            raise TableError("is empty although other strata have a number", line=line, column="sample")
        if int(text) > stratum.size:
            message = f"asks for {text} of {stratum.size} outputs"
            raise TableError(message, line=line, column="sample")
    return StrataTable(strata, tuple(map(int, cells["sample"])))


def pilot_from_text(text: str) -> list[tuple[int, int, int]]:
    """(items, only the first solves, only the second solves) per line, by commas, tabs or blanks.

    Empty lines are passed over. Raises TableError naming the line.
    """
    found = []
    for line, row in enumerate(text.splitlines(), start=1):
        cells = row.replace(",", " ").split()
        if not cells:
            continue
        if len(cells) != 3 or not all(cell.isascii() and cell.isdigit() and len(cell) < 8 for cell in cells):
            raise TableError("is not three whole numbers like 8, 2, 1", line=line)
        items, first, second = (int(cell) for cell in cells)
        if not items or first + second > items:
            raise TableError(
                f"has {items} items, of which {first + second} are solved by one system", line=line
            )
        found.append((items, first, second))
    return found
