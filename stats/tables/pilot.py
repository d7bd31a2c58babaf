"""A pilot of two systems that somebody typed or pasted: one line per cluster."""

from __future__ import annotations

from stats.tables.raw_rows import TableError


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
