"""Aligned text tables for the terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stats.core.display import rounded

ABSENT = "-"


def printable(text: object) -> str:
    """Text from outside without control characters, which a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text))


def counted(number: int, noun: str, plural: str = "") -> str:
    """The number with its noun: "1 proof", "2,104 proofs"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def aligned(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table with two spaces between columns; the first column to the left, the rest to the right."""
    lines = [[printable(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def number(value: object, *, places: int = 4) -> str:
    """A number as it is shown, `-` for null."""
    if value is None:
        return ABSENT
    return rounded(value, places=places) if isinstance(value, float) else printable(value)


def interval(ends: object, *, places: int = 4) -> str:
    """`[low, high]`, or `-` for null."""
    if not isinstance(ends, Sequence) or isinstance(ends, str):
        return ABSENT
    return f"[{', '.join(number(float(end), places=places) for end in ends)}]"


def notes(*estimates: Mapping[str, Any]) -> str:
    """Why something is absent from the estimates of a row, or what to know about them."""
    codes = [code for estimate in estimates for code in (estimate["reason"], *estimate["warnings"]) if code]
    return " ".join(map(str, dict.fromkeys(codes)))


def estimate_row(name: str, estimate: Mapping[str, Any]) -> list[str]:
    """Name, value, interval, n and notes."""
    value = estimate["value"]
    return [
        name,
        number(None if value is None else float(value)),
        interval(estimate["ci"]),
        number(estimate["n"]),
        notes(estimate),
    ]


ESTIMATE_HEADER = ("", "value", "interval", "n", "notes")


def estimates(document: Mapping[str, Any], names: Sequence[str]) -> str:
    """The estimates of these names, a row each."""
    return aligned(ESTIMATE_HEADER, [estimate_row(name, document[name]) for name in names])


def made_by(shown: Iterable[tuple[str, Mapping[str, Any]]], unit: str) -> str:
    """How the given ones were made: unit of analysis, method, number of clusters and resamples, seed."""
    methods: dict[str, list[str]] = {}
    for name, estimate in shown:
        if estimate["value"] is not None:
            how = [str(estimate["method"])]
            how += [] if estimate["clusters"] is None else [f"{estimate['clusters']} clusters"]
            how += [] if estimate["B"] is None else [f"{estimate['B']} resamples"]
            how += ["no random numbers"] if estimate["seed"] is None else [f"seed {estimate['seed']}"]
            methods.setdefault(", ".join(how), []).append(name)
    said = "; ".join(f"{', '.join(dict.fromkeys(names))} by {how}" for how, names in methods.items())
    return f"Unit of analysis: {unit}. Methods: {said or 'none'}."
