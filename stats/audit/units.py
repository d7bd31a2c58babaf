"""A label table made into audited units: what the judge and the experts say about every subject."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum

import numpy as np

from stats.core.bootstrap import Ints
from stats.tables.columns import Column, Table
from stats.tables.groups import attribute, first_rows, group_codes, refuse_repeats, whole_numbers
from stats.tables.labels import ADJUDICATOR, independent
from stats.tables.raw_rows import TableError

UNCERTAIN_VALUES = frozenset({"uncertain", "inconclusive"})
_KNOWN_NEGATIVES = frozenset({"no", "incorrect", "false", "0", *UNCERTAIN_VALUES})


class Outcome(IntEnum):
    """What one side (judge or experts) says about a unit."""

    NONE = -1  # no label
    NEGATIVE = 0
    POSITIVE = 1
    UNCERTAIN = 2  # answered, but neither
    ABSTAIN = 3  # nothing that could be judged
    UNAVAILABLE = 4  # the judgment failed
    UNDECIDED = 5  # several labels, none by more than half: of experts a split that no adjudicator settled


@dataclass(frozen=True)
class AuditUnits:
    """One entry per (question, subject), all arrays (U,); sizes are -1 where the table says nothing."""

    questions: Column
    systems: Column
    clusters: Column
    strata: Column
    stratum_size: Ints
    sample_size: Ints
    judge: Ints
    expert: Ints
    positive: str
    negative: str
    judge_versions: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.judge)

    @property
    def audited(self) -> np.ndarray:
        """Units that an expert labelled (a failed judgment is not a label)."""
        return ~np.isin(self.expert, [Outcome.NONE, Outcome.UNAVAILABLE])

    @property
    def judged(self) -> np.ndarray:
        """Units that the judge labelled."""
        return ~np.isin(self.judge, [Outcome.NONE, Outcome.UNAVAILABLE])

    @property
    def split(self) -> np.ndarray:
        """Units on which the experts split and nobody decided."""
        return np.asarray(self.expert == Outcome.UNDECIDED)

    def with_splits(self, outcome: Outcome) -> "AuditUnits":
        """The same as if every split had been decided so."""
        return replace(self, expert=np.where(self.split, outcome, self.expert))

    def take(self, rows: np.ndarray) -> "AuditUnits":
        """Some of the units, as a mask."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, part in found.items():
            if isinstance(part, Column):
                found[name] = Column(part.codes[rows], part.values)
            elif isinstance(part, np.ndarray):
                found[name] = part[rows]
        return AuditUnits(**found)

    @property
    def has_sizes(self) -> bool:
        """Whether the table has the design's stratum sizes."""
        return bool((self.stratum_size >= 0).any())


def audit_units(table: Table, *, positive: str, order: Sequence[str]) -> AuditUnits:
    """Group the rows of judges and experts; several labels of one side become their majority.
    An adjudicator's decision replaces them, unless it is an amendment of a closed campaign. Labels in sight of a
    verdict are left out.

    Raises TableError for rows without rater_kind, for repeated answers, for contradicting designs, and
    when no value is `positive` although other spellings are; values of `order` need not occur.
    """
    decided = table.select(table["rater_kind"].is_in(ADJUDICATOR) & ~table["amendment"].is_in("yes"))
    table, _ = independent(table)
    unnamed = table["rater_kind"].is_in("")
    if unnamed.any():
        line = int(table.lines[int(np.argmax(unnamed))])
        raise TableError("must say expert or judge", line=line, column="rater_kind")
    check_positive(table, positive, order)
    refuse_repeats(table)
    codes = group_codes(table, ("question", "subject"))
    first = first_rows(codes)
    groups = len(first)
    positives = success_values(table, positive)
    outcomes = _row_outcomes(table, positives)
    judge_rows, expert_rows = (table["rater_kind"].is_in(kind) for kind in ("judge", "expert"))
    experts = majority_outcomes(codes[expert_rows], outcomes[expert_rows], groups, abstaining=True)
    final = {_about(decided, at): said for at, said in enumerate(_row_outcomes(decided, positives).tolist())}
    for group in range(groups) if final else ():
        experts[group] = final.get(_about(table, int(first[group])), experts[group])
    others = _said(table["value"]) - {*positives, "abstain", "unavailable", *UNCERTAIN_VALUES}
    return AuditUnits(
        questions=Column(table["question"].codes[first], table["question"].values),
        systems=attribute(table, "system", codes, groups),
        clusters=attribute(table, "cluster", codes, groups),
        strata=attribute(table, "stratum", codes, groups),
        stratum_size=whole_numbers(attribute(table, "stratum_size", codes, groups)),
        sample_size=whole_numbers(attribute(table, "sample_size", codes, groups)),
        judge=majority_outcomes(codes[judge_rows], outcomes[judge_rows], groups, abstaining=False),
        expert=experts,
        positive=positive,
        negative=others.pop() if len(others) == 1 else f"not {positive}",
        judge_versions=tuple(sorted(_said(table.select(judge_rows)["judge_version"]))),
    )


def _about(table: Table, row: int) -> tuple[str, str]:
    question, subject = (table[name].values[table[name].codes[row]] for name in ("question", "subject"))
    return question, subject


def _said(column: Column) -> set[str]:
    return {column.values[code] for code in np.unique(column.codes)} - {""}


def success_values(table: Table, positive: str) -> frozenset[str]:
    """The values that `positive` names: itself, or several with commas between them."""
    if positive in _said(table["value"]):
        return frozenset({positive})
    return frozenset(part.strip() for part in positive.split(","))


def check_positive(table: Table, positive: str, order: Sequence[str]) -> None:
    """Raise TableError for a success that no label has and `order` does not name: it is misspelt."""
    values = _said(table["value"]) - {"abstain", "unavailable"}
    strange = sorted(success_values(table, positive) - values - set(order))
    if strange and not values <= _KNOWN_NEGATIVES:
        raise TableError(
            f"no label has the value {', '.join(map(repr, strange))}; values: {', '.join(sorted(values)[:10])}",
            column="value",
        )


def _row_outcomes(table: Table, positives: frozenset[str]) -> Ints:
    known = dict.fromkeys(UNCERTAIN_VALUES, Outcome.UNCERTAIN) | dict.fromkeys(positives, Outcome.POSITIVE)
    by_value = [known.get(value, Outcome.NEGATIVE) for value in table["value"].values]
    answered = np.array(by_value, dtype=np.int64)[table["value"].codes]
    state = table["state"]
    outcomes = np.where(state.is_in("abstain"), Outcome.ABSTAIN, answered)
    return np.where(state.is_in("unavailable"), Outcome.UNAVAILABLE, outcomes).astype(np.int64)


def majority_outcomes(codes: Ints, outcomes: Ints, groups: int, *, abstaining: bool) -> Ints:
    """(groups,) what more than half of the votes say, UNDECIDED where none has so many.

    `abstaining` is a vote of its own (of experts, ADR 71). Otherwise abstentions count only where nobody answered, as
    failures always do; abstaining then outranks failing.
    """
    counts = np.zeros((groups, 5), dtype=np.int64)
    np.add.at(counts, (codes, outcomes), 1)
    votes = counts[:, : 4 if abstaining else 3]
    most, cast = votes.max(axis=1), votes.sum(axis=1)
    winner = np.where(2 * most > cast, votes.argmax(axis=1), Outcome.UNDECIDED)
    silent = np.where(counts[:, 4] > 0, Outcome.UNAVAILABLE, Outcome.NONE)
    silent = np.where(counts[:, 3] > 0, Outcome.ABSTAIN, silent)
    return np.where(cast > 0, winner, silent).astype(np.int64)


def outcome_counts(outcomes: Ints) -> dict[str, int]:
    """How many units of each outcome but yes and no, by lower-case name."""
    kinds = (Outcome.UNCERTAIN, Outcome.ABSTAIN, Outcome.UNAVAILABLE, Outcome.UNDECIDED, Outcome.NONE)
    return {kind.name.lower(): int((outcomes == kind).sum()) for kind in kinds}
