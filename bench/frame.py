"""What a family of figures is made of: measured spreads, a naive baseline from the same run, a target.

A family is a module of this package with a one-line docstring and a function `figures()` that yields
`Figure`s; `python -m bench` finds it by that function. Sizes, data and baselines belong to the family.
"""

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

UNITS = {"s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")), "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))}


@dataclass(frozen=True)
class Spread:
    """Smallest, middle and largest of some measurements; `runs` of them.

    `scaled` says by how much each was multiplied because only a part of the work was done (1: all of it).
    `processor` is the middle of the seconds that the processor worked, which other jobs on the machine do
    not lengthen much; None where it was not measured.
    """

    low: float
    median: float
    high: float
    runs: int
    scaled: float = 1
    processor: float | None = None

    @classmethod
    def of(cls, values: list[float], *, scaled: float = 1, processor: list[float] | None = None) -> "Spread":
        """The spread of measured values, each times `scaled`."""
        found = [value * scaled for value in values]
        worked = None if processor is None else scaled * statistics.median(processor)
        return cls(min(found), statistics.median(found), max(found), len(found), scaled, worked)


@dataclass(frozen=True)
class Figure:
    """One line of the table: `ours` against `naive` and against `target`, all in `unit`.

    `unit` is "s", "B" or anything else that is printed as it is. Smaller is better.
    """

    task: str
    ours: Spread
    naive: Spread | None = None
    naive_way: str = ""
    target: float | None = None
    unit: str = "s"

    @property
    def ratio(self) -> float | None:
        """How many times smaller ours is than the naive way, by medians."""
        return self.naive.median / self.ours.median if self.naive and self.ours.median else None

    @property
    def met(self) -> bool | None:
        """Whether the median keeps the target; None without a target."""
        return None if self.target is None else self.ours.median <= self.target


def timed(work: Callable[[], object], *, runs: int = 5, warm: int = 1, scaled: float = 1) -> Spread:
    """Wall-clock seconds of some calls of `work`, after `warm` calls that do not count."""
    for _ in range(warm):
        work()
    seconds, processor = [], []
    for _ in range(runs):
        start = time.perf_counter(), time.process_time()
        work()
        seconds.append(time.perf_counter() - start[0])
        processor.append(time.process_time() - start[1])
    return Spread.of(seconds, scaled=scaled, processor=processor)


def once(work: Callable[[], object], *, scaled: float = 1) -> Spread:
    """Seconds of a single call, for what is too slow to repeat."""
    return timed(work, runs=1, warm=0, scaled=scaled)


def demo(folder: str | Path, **more: str) -> dict[str, str]:
    """The environment of processes of a demo with its files in the folder, and `more`; DATABASE_URL stays as it is."""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "TOUCHSTONE_DEMO": "1",
        "TOUCHSTONE_RUNTIME_DIR": str(folder),
        "TOUCHSTONE_LOG_LEVEL": "ERROR",
        **more,
    }


HEADER = ("figure", "ours: min / median / max", "processor", "naive", "naive way", "ratio", "target")


def as_row(figure: Figure) -> tuple[str, ...]:
    """The cells of a figure under HEADER; a star marks a naive time scaled up from a part of the work."""
    ours, naive, ratio = figure.ours, figure.naive, figure.ratio
    spread = (ours.low, ours.median, ours.high) if ours.runs > 1 else (ours.median,)
    target = "" if figure.target is None else f"<= {shown(figure.target, figure.unit)}"
    return (
        figure.task,
        " / ".join(shown(value, figure.unit) for value in spread),
        "" if ours.processor is None else shown(ours.processor, figure.unit),
        "" if naive is None else shown(naive.median, figure.unit) + ("*" if naive.scaled != 1 else ""),
        figure.naive_way,
        "" if ratio is None else f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x",
        target + (" missed" if figure.met is False else ""),
    )


def shown(value: float, unit: str) -> str:
    """Three significant digits in a readable multiple of the unit."""
    for factor, name in UNITS.get(unit, ()):
        if abs(value) >= factor:
            return f"{_digits(value / factor)} {name}"
    smallest = UNITS[unit][-1] if unit in UNITS else (1.0, unit)
    return f"{_digits(value / smallest[0])} {smallest[1]}".rstrip()


def _digits(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def markdown(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Lines of a Markdown table under HEADER, columns aligned for a terminal."""
    widths = [max(len(row[at]) for row in (HEADER, *rows)) for at in range(len(HEADER))]
    rule = tuple("-" * width for width in widths)
    for row in (HEADER, rule, *rows):
        yield "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"


def machine() -> str:
    """Date, processor, memory, load and the versions that decide speed."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "Django"))
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC; {os.cpu_count()} x {next(named, platform.machine())}, "
        f"{shown(memory, 'B')}; load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}, {packages}"
    )
