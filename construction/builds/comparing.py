"""Two builds of one protocol side by side: numbers, papers, statements that come again, and the drift of the funnel."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from accounts.refusal import Refused
from benchmark.overlaps import cluster_of
from canonical import sha256_of
from construction.builds.funnels import rows_of
from construction.builds.repairs import editable
from construction.models import Build, Candidate
from construction.pipeline import get_pipeline
from construction.recipes.about import described, in_words
from stats.core.intervals import wilson


@dataclass(frozen=True)
class DifferentNumber:
    """A number that two recipes have differently, in words."""

    name: str
    what: str
    first: str
    second: str


@dataclass(frozen=True)
class Drift:
    """The share that a stage keeps, in both builds with 95 % Wilson intervals, and the interval of the difference.

    None where a build has nothing at that stage. The interval of the difference is Newcombe's (1998, method 10).
    """

    stage: str
    title: str
    first_kept: int
    first_of: int
    second_kept: int
    second_of: int
    first: Sequence[float] | None
    second: Sequence[float] | None
    difference: float | None
    low: float | None
    high: float | None

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True)
class Comparison:
    """`papers_in_both` counts versions of a paper as one; `again` are lines whose texts are the same in both."""

    first: str
    second: str
    protocol: str
    numbers: Sequence[DifferentNumber]
    papers_in_both: int
    papers_only_first: int
    papers_only_second: int
    lines_first: int
    lines_second: int
    again: Sequence[str]
    questions_second: int
    reused_second: int
    drift: Sequence[Drift]


def different_numbers(first: Build, second: Build) -> list[DifferentNumber]:
    """The numbers that differ, in the recipe's order."""
    return [
        DifferentNumber(one.name, one.what, one.value_in_words, in_words(second.recipe.get(one.name)))
        for one in described(get_pipeline(first.protocol).numbers, first.recipe)
        if one.value != second.recipe.get(one.name)
    ]


def compare(first: Build, second: Build) -> Comparison:
    """Raises Refused for builds of different protocols."""
    if first.protocol != second.protocol:
        reason = f"{first} is a build of {first.protocol}, {second} of {second.protocol}."
        raise Refused(reason, code="other_protocol", field="second")
    papers: list[set[str]] = []
    texts: list[dict[str, str]] = []  # names of lines by the hash of their texts
    for build in (first, second):
        papers.append({cluster_of(key) for key in build.papers.values_list("source__key", flat=True)})
        named = {}
        made = Candidate.objects.filter(paper__run=build, state=Candidate.State.MADE)
        for candidate in made.select_related("paper__source").iterator(chunk_size=200):
            name = f"{candidate.paper.source.key} {candidate.key}"
            for number, line in enumerate(candidate.lines):
                # Only what was cut from the paper, if anything was: a model may say the same in other words.
                said = editable(line)
                cut = {path: text for path, text in said.items() if line["provenance"][path]["places"]}
                place = name if len(candidate.lines) == 1 else f"{name}, line {number + 1}"
                named[sha256_of(cut or said)] = place
        texts.append(named)
    again = sorted(texts[1][digest] for digest in texts[0].keys() & texts[1].keys())
    drift = []
    for one, other in zip(rows_of(first), rows_of(second), strict=True):
        (kept, of), (kept_then, of_then) = ((row.kept, row.reached - row.waiting) for row in (one, other))
        before, after = (wilson(kept, of) if of else None), (wilson(kept_then, of_then) if of_then else None)
        difference = low = high = None
        if before is not None and after is not None:
            p, q = kept / of, kept_then / of_then
            difference = q - p
            low = difference - hypot(q - after[0], before[1] - p)
            high = difference + hypot(after[1] - q, p - before[0])
        drift.append(
            Drift(one.stage, one.title, kept, of, kept_then, of_then, before, after, difference, low, high)
        )
    steps = second.steps.all()
    return Comparison(
        first=first.name,
        second=second.name,
        protocol=first.protocol,
        numbers=different_numbers(first, second),
        papers_in_both=len(papers[0] & papers[1]),
        papers_only_first=len(papers[0] - papers[1]),
        papers_only_second=len(papers[1] - papers[0]),
        lines_first=len(texts[0]),
        lines_second=len(texts[1]),
        again=again,
        questions_second=steps.count(),
        reused_second=steps.exclude(reused=None).count(),
        drift=drift,
    )
