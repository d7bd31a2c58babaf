"""The grid of problems by systems: one cell for each output, in words. Pure: values in and out."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reports.core.datasets import OutputRow
from reports.results.graded import Graded, Reading
from stats.core.scale import SPLIT, Scale, value_words

SHADES = 4  # classes shade-0 to shade-4 of the style sheet: one hue, by rank
ROTATED_FROM = 9  # so many systems are rows
PAGE, ROTATED_PAGE = 30, 10  # problems on a page


@dataclass(frozen=True)
class Cell:
    """One output. `kind` is graded, judged, ungraded, blank or absent; `mark` is what follows the word.

    `spoken` says everything without problem and system, which the row and the column have.
    """

    kind: str
    words: str
    spoken: str
    subject: str = ""
    shade: int = 0
    solved: bool = False
    mark: str = ""
    verdicts_differ: bool = False
    decided: bool = False

    @property
    def attempt(self) -> int:
        """The number that the outputs' file gave the attempt, whichever others there are; 1 without an output."""
        return int(self.subject.rpartition("/")[2]) if self.subject else 1


_NO_OUTPUT = Cell("absent", "No output", "no output")
_NOT_RELEASED = Cell("absent", "Not released", "not released")


@dataclass(frozen=True)
class Problem:
    """A row. `number` is its place among all problems of the track, by which lists name it."""

    number: int
    instance: str
    domain: str
    left_out: bool
    cells: tuple[tuple[Cell, ...], ...]


def problems(
    outputs: Collection[OutputRow],
    found: Reading | None,
    systems: Sequence[str],
    left_out: Collection[str] = (),
    unreleased: Collection[tuple[str, str]] = (),
) -> list[Problem]:
    """A row for each problem with an output, with the cells of `systems` in their order."""
    own: dict[tuple[str, str], list[OutputRow]] = defaultdict(list)
    domains = {}
    for row in sorted(outputs, key=lambda row: row.attempt):
        own[row.instance, row.system].append(row)
        domains[row.instance] = row.domain
    # more than a page is sorted by field, so that a page is about few of them
    by_field = len(domains) > PAGE
    order = sorted(domains, key=lambda key: (domains[key] if by_field else "", natural(key)))
    seen = Counter(len(one.answers) for one in found.outputs.values()) if found else Counter()
    usual = seen.most_common(1)[0][0] if seen else 0
    return [
        Problem(
            number,
            instance,
            domains[instance],
            instance in left_out,
            tuple(
                tuple(_cell(row, found, usual) for row in own.get((instance, system), ()))
                or (_NOT_RELEASED if (system, instance) in unreleased else _NO_OUTPUT,)
                for system in systems
            ),
        )
        for number, instance in enumerate(order, start=1)
    ]


def natural(key: str) -> list[tuple[int, str]]:
    """p2 before p10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", key) if part]


def _cell(row: OutputRow, found: Reading | None, usual: int) -> Cell:
    graded = found.outputs.get(row.subject) if found else None
    if found and graded and graded.level:
        if found.campaign:
            return graded_cell(found.scale, graded, usual)
        solved = bool(graded.solved)
        words = "Solved" if solved else "Not"
        spoken = f"{'solved' if solved else 'not solved'}, by the AI judge alone"
        return Cell("judged", words, spoken, row.subject, SHADES * solved, solved)
    if row.state != "answered":
        words = "Blank" if row.state == "abstained" else "Failed"
        return Cell("blank", words, f"{words.lower()}, no answer", row.subject)
    return Cell("ungraded", "–", "no expert graded it", row.subject)


def graded_cell(scale: Scale, graded: Graded, usual: int) -> Cell:
    """The level in words. The mark is "2:1" where levels differ, "2/2" where fewer experts than usual agree."""
    values = list(graded.answers.values())
    of_all = answer_words if set(values) == {graded.level} else value_words
    words = of_all(graded.level).capitalize()
    counts = sorted(Counter(values).values(), reverse=True)
    mark, how = "", "all referees agree" if len(values) > 1 else "one referee" if values else ""
    if graded.verdicts_differ and scale.passes:
        how = f"referees differ on solved or not: {listed(values)}"
        mark = ":".join(map(str, counts))
    elif graded.levels_differ:
        how = f"levels differ: {listed(values)}"
        mark = ":".join(map(str, counts))
    elif 0 < len(values) < usual:
        mark, how = f"{len(values)}/{len(values)}", f"only {len(values)} of {usual} referees"
    decided = ", decided by an adjudicator" if graded.decided else ""
    return Cell(
        "graded",
        words,
        f"{words.lower()}, {how}{decided}" if how else f"{words.lower()}{decided}",
        graded.subject,
        shade_of(scale, graded.level),
        bool(graded.solved),
        mark,
        graded.verdicts_differ,
        graded.decided,
    )


def shade_of(scale: Scale, level: str) -> int:
    """0 for the worst value to SHADES for the best; of values without an order the successes are the best."""
    if scale.aggregation == "mean":
        low, high = scale.range
        return round(SHADES * (float(level) - low) / (high - low)) if high > low else 0
    if not scale.ranked or level not in scale.values:
        return SHADES if level in scale.success else 0
    heights = sorted(scale.height(value) for value in scale.judgments)
    rank = heights.index(scale.height(level))
    return round(SHADES * rank / (len(heights) - 1)) if len(heights) > 1 else SHADES


def listed(values: Sequence[str]) -> str:
    """ "minor, minor, major" as people read values."""
    return ", ".join(map(answer_words, values))


def answer_words(value: str) -> str:
    """What one referee said; no form has the value by which an abstention counts on a scale of one's own."""
    return "abstained" if value == SPLIT else value_words(value)


def names_of(rows: Collection[Problem], letters: Mapping[int, str]) -> dict[str, str]:
    """Subject to a short name: "8A", or "8A.2" for a second attempt."""
    names = {}
    for row in rows:
        for at, cells in enumerate(row.cells):
            for cell in cells:
                if cell.subject:
                    names[cell.subject] = f"{row.number}{letters[at]}" + (
                        f".{cell.attempt}" if cell.attempt > 1 else ""
                    )
    return names
