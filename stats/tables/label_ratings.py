"""The rows of one question of a label table as ratings: one value per item and rater."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stats.agreement.bundle import Level
from stats.core.bootstrap import Floats, Ints
from stats.core.estimate import Caution
from stats.scores.clusters import cluster_codes
from stats.tables.cells import LARGEST, is_too_large, number_in
from stats.tables.columns import Table
from stats.tables.groups import attribute, group_codes
from stats.tables.labels import arms_in, independent
from stats.tables.ratings import Ratings
from stats.tables.raw_rows import TableError

MOST_CELLS = 50_000_000  # of items by raters; a table of them is 400 MB
# Word scales whose order the platform's questions declare, from low to high.
ORDERED_SCALES = (
    ("no", "uncertain", "yes"),
    ("incorrect", "inconclusive", "correct"),
    ("second", "tie", "first"),
)


@dataclass(frozen=True)
class Categories:
    """The categories in use, in order; the code of every text; the level of measurement they allow."""

    categories: tuple[str, ...]
    points: Floats
    codes: dict[str, int]
    level: Level

    @property
    def is_mixed(self) -> bool:
        """Whether most values are numbers, or words of one known order, and others make names of them all."""
        if self.level != "nominal":
            return False
        numbers = sum(not math.isnan(number_in(text)) for text in self.categories)
        most = max(numbers, *(len(set(self.categories) & set(words)) for words in ORDERED_SCALES))
        return most > 1 and 2 * most > len(self.categories)

    def refuse_level(self, level: Level | None) -> None:
        """Raise TableError for a level above nominal where the words have no known order."""
        if level not in (None, "nominal") and self.level == "nominal":
            raise TableError(f"no order is known for {', '.join(self.categories[:10])}", column="value")


@dataclass(frozen=True)
class Resolved:
    """Ratings, their clusters (None: every item alone), what had to be left out, what a reader should know, and the
    kind of each of `ratings.raters` (none of them for exchangeable raters)."""

    ratings: Ratings
    clusters: Ints | None
    level: Level
    left_out: dict[str, int]
    warnings: tuple[Caution, ...]
    kinds_of_raters: tuple[str, ...] = ()


def resolve(
    table: Table, level: Level | None, order: Sequence[str] = (), *, exchangeable: bool = False
) -> Resolved:
    """Ratings from the answered rows; several votes of a rater become their majority; ties, decisions
    of adjudicators and labels in sight of a verdict are left out.

    `level` None reads the level of measurement off the values; `order` names all values from low to high, which makes
    an ordinal scale of them. Raises TableError for rows without a rater
    and for words without a known order at a level above nominal.

    With `exchangeable` raters are numbered within each item: names only tell which votes are of one rater, and a row
    without a name is a rater of its own.
    """
    table, others = independent(table)
    state = table["state"]
    answered = table.select(state.is_in("answered"))
    nameless = answered["rater"].is_in("")
    if nameless.any() and not exchangeable:
        line = int(answered.lines[int(np.argmax(nameless))])
        raise TableError("is empty", line=line, column="rater")
    scale = scale_of(answered["value"].used, order)
    scale.refuse_level(level)
    items = group_codes(answered, ("subject",))
    n_items = int(items.max(initial=-1)) + 1
    raters, names, kinds = _raters(answered)
    if exchangeable:
        raters = np.where(nameless, len(names) + np.arange(len(raters)), raters)
    codes = np.array([scale.codes.get(text, -1) for text in answered["value"].values], dtype=np.int64)
    item, rater, value, undecided = _one_per_cell(
        items, raters, codes[answered["value"].codes], int(raters.max(initial=-1)) + 1, len(scale.categories)
    )
    if exchangeable:
        # Cells come item by item, so a rater's number is the place of the cell in its item.
        rater = np.arange(len(item)) - np.searchsorted(item, item)
        kinds = ()
        names = tuple(f"label {number + 1}" for number in range(int(rater.max(initial=-1)) + 1))
    if len(names) * n_items > MOST_CELLS:
        raise TableError(
            f"names {len(names):,} raters of {n_items:,} subjects: a table of all of them has more than "
            f"{MOST_CELLS:,} cells",
            column="rater",
        )
    clusters = attribute(answered, "cluster", items, n_items)
    return Resolved(
        ratings=Ratings(item, rater, value, n_items, names, scale.categories, scale.points),
        clusters=None if clusters.is_empty else cluster_codes(clusters.texts()),
        level=level or scale.level,
        left_out={
            "abstain": int(state.is_in("abstain").sum()),
            "unavailable": int(state.is_in("unavailable").sum()),
            "undecided": undecided,
            **others,
        },
        warnings=warnings_of(answered, scale, level),
        kinds_of_raters=kinds,
    )


def warnings_of(table: Table, scale: Categories, level: Level | None) -> tuple[Caution, ...]:
    """What a reader should know of the labels in these rows; `level` is None where it is read off the values."""
    kinds = set(table["rater_kind"].used) - {""}
    return (
        *((Caution.MIXED_RATER_KINDS,) if len(kinds) > 1 else ()),
        *((Caution.POOLED_ARMS,) if len(arms_in(table["subject"].used)) > 1 else ()),
        *((Caution.MIXED_VALUES,) if level is None and scale.is_mixed else ()),
    )


def scale_of(texts: Sequence[str], order: Sequence[str]) -> Categories:
    """Numbers make an interval scale (1 and 1.0 are one value), known words and those of `order` an ordinal one.

    All words of `order` are categories, used or not, because their number decides about weights. Where they are numbers
    that rise or fall, their points are those numbers. Raises TableError for a value outside of it, and for a number
    beyond LARGEST, which would make words of all the others.
    """
    if order:
        strange = sorted(set(texts) - set(order))
        if strange:
            raise TableError(
                f"{', '.join(strange[:10])} is not in the order {', '.join(order)}", column="value"
            )
        points = np.array([number_in(text) for text in order])
        steps = np.diff(points)
        rises_or_falls = np.isfinite(points).all() and ((steps > 0).all() or (steps < 0).all())
        worded = _worded(order, tuple(order))
        return replace(worded, points=points) if rises_or_falls else worded
    if huge := sorted(filter(is_too_large, texts)):
        raise TableError(f"{huge[0]} is too large: numbers go up to {LARGEST:g}", column="value")
    numbers = {text: number_in(text) for text in texts}
    if texts and not any(math.isnan(number) for number in numbers.values()):
        values = sorted(set(numbers.values()))
        places = {number: code for code, number in enumerate(values)}
        spelt = {number: text for text, number in reversed(numbers.items())}
        codes = {text: places[number] for text, number in numbers.items()}
        return Categories(tuple(spelt[number] for number in values), np.array(values), codes, "interval")
    for words in ORDERED_SCALES:
        if texts and set(texts) <= set(words):
            return _worded(sorted(texts, key=words.index), words)
    return _worded(sorted(texts), ())


def _worded(texts: Sequence[str], words: Sequence[str]) -> Categories:
    places = [words.index(text) if words else at for at, text in enumerate(texts)]
    codes = {text: code for code, text in enumerate(texts)}
    return Categories(
        tuple(texts), np.array(places, dtype=np.float64), codes, "ordinal" if words else "nominal"
    )


def _raters(table: Table) -> tuple[Ints, tuple[str, ...], tuple[str, ...]]:
    """Codes, names and kinds of raters; a judge and an expert of one name are two raters."""
    codes = group_codes(table, ("rater", "rater_kind"))
    _, first = np.unique(codes, return_index=True)
    rows = table.select(first)
    plain, kinds = rows["rater"].texts(), rows["rater_kind"].texts()
    names = [
        name if plain.count(name) == 1 else f"{name} ({kind or 'unnamed kind'})"
        for name, kind in zip(plain, kinds, strict=True)
    ]
    return codes, tuple(names), tuple(kinds)


def _one_per_cell(
    items: Ints, raters: Ints, values: Ints, n_raters: int, q: int
) -> tuple[Ints, Ints, Ints, int]:
    """(item, rater, majority value) of every cell with a majority, and how many cells are tied."""
    cells = items * max(1, n_raters) + raters
    kinds, counts = np.unique(cells * max(1, q) + values, return_counts=True)
    cell, value = np.divmod(kinds, max(1, q))
    order = np.lexsort((value, -counts, cell))
    cell, value, counts = cell[order], value[order], counts[order]
    _, first = np.unique(cell, return_index=True)
    second = first + 1
    rivals = np.zeros(len(first), dtype=bool)
    inside = second < len(cell)
    at = np.where(inside, second, 0)
    rivals[inside] = ((cell[at] == cell[first]) & (counts[at] == counts[first]))[inside]
    kept = first[~rivals]
    item, rater = np.divmod(cell[kept], max(1, n_raters))
    return item, rater, value[kept], int(rivals.sum())
