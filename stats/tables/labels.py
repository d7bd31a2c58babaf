"""The canonical label table: one row says what one rater answered about one subject.

Import, export and `analyse` share it. Columns that a file lacks are empty; unknown columns are refused by
name, or renamed first.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import compress
from typing import BinaryIO

import numpy as np

from stats.core.bootstrap import Ints
from stats.core.scale import NOT_ASSESSED
from stats.tables.cells import number_in
from stats.tables.columns import Check, Column, Form, Table, read_table
from stats.tables.names import same_name
from stats.tables.raw_rows import TableError

MOST_UNITS = 1_000_000_000  # up to here a score is computed at once; larger sizes are refused by line
MOST_SEARCHES = 1000  # while one item is graded
PARTS = ("instance", "system", "attempt", "step")
STATES = ("answered", "abstain", "unavailable")
GRADERS = ("expert", "judge")
ADJUDICATOR = "adjudicator"
RATER_KINDS = (*GRADERS, ADJUDICATOR)
DECISION_MARKS = ("overrules", "informed", "amendment")
_YES_NO = ("yes", "no")
# Long, mostly distinct texts that no analysis reads.
_UNREAD = ("comment", "created_at")


def one_of(*allowed: str) -> Check:
    """The check of a cell that holds one of these words, in any case, or nothing."""

    def check(cell: str) -> str:
        text = cell.strip().lower()
        if text and text not in allowed:
            raise ValueError(f"must be {', '.join(allowed)} or empty, not {cell!r}")
        return text

    return check


def _whole(cell: str) -> str:
    text = cell.strip()
    if text and not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ValueError(f"must be a whole number, 0 or more, or empty, not {cell!r}")
    return str(int(text)) if text else ""


def _whole_up_to(most: int, what: str) -> Check:
    """The check of a whole number that is at most `most`, which is `what`."""

    def check(cell: str) -> str:
        text = _whole(cell)
        if text and int(text) > most:
            raise ValueError(f"is more than {most:,}, {what}")
        return text

    return check


_size = _whole_up_to(MOST_UNITS, "the most units that a stratum may have")


def _number(cell: str) -> str:
    text = cell.strip()
    if text and math.isnan(number_in(text)):
        raise ValueError(f"must be a number or empty, not {cell!r}")
    return text


@dataclass(frozen=True)
class LabelColumn:
    """One column of the label table, as docs/exports.md lists it.

    `since` is the version of the table that added it. `check` reads a cell and raises ValueError. A blinded table shows
    the column only if `blind` is set. Cells that are `ours` (numbers, times, our own words) never begin like a formula;
    in all others, which can hold text from outside, a spreadsheet gets such a beginning quoted.
    """

    name: str
    type: str
    meaning: str
    since: int = 1
    check: Check = str.strip
    blind: bool = False
    ours: bool = False


# New columns go to the end. Without `blind` on purpose: system, attempt and stratum name the author or the judge's
# verdict, and the sizes of a stratum tell which one it is; subject and order are made opaque by reports/labels/rows.py.
LABEL_COLUMNS = (
    LabelColumn("release", "name", "the release", blind=True),
    LabelColumn("campaign", "name", "the campaign; empty for verdicts", blind=True),
    LabelColumn("question", "key", "question of the rubric, or predicate of the judge", blind=True),
    LabelColumn(
        "subject",
        "text",
        "`instance/system/attempt`, with track and condition if they are not the usual ones; for "
        "a pair `instance/system|system/attempt`, in alphabetical order; for an instance "
        "`instance/-/0`; an opaque name when blinded",
    ),
    LabelColumn("instance", "key", "the problem", blind=True),
    LabelColumn(
        "system", "name", "who wrote the output; for a pair `left|right` as shown; empty when blinded"
    ),
    LabelColumn("attempt", "whole number from 1", "the attempt; empty when blinded", ours=True),
    LabelColumn("step", "text", "the step of a proof, if the label is about one", blind=True),
    LabelColumn(
        "cluster",
        "key",
        "the paper (an arXiv number without version), or the instance if it has none: what intervals resample",
        blind=True,
    ),
    LabelColumn("domain", "key", "field of mathematics", blind=True),
    LabelColumn("stratum", "text", "stratum of the draw; empty when blinded"),
    LabelColumn(
        "stratum_size",
        "whole number",
        "outputs in the stratum (N_h); empty when blinded",
        check=_size,
        ours=True,
    ),
    LabelColumn(
        "sample_size",
        "whole number",
        "how many of them were drawn (n_h); empty when blinded",
        check=_size,
        ours=True,
    ),
    LabelColumn(
        "rater",
        "text",
        "an expert, by a name that says nothing about the person (`r-` and ten letters) or as an "
        "imported file had it; or the name of a judge",
        check=same_name,
        blind=True,
    ),
    LabelColumn(
        "rater_kind",
        "expert, judge, adjudicator (since 2)",
        "whose label it is; an adjudicator's row is the final value",
        check=one_of(*RATER_KINDS),
        blind=True,
        ours=True,
    ),
    LabelColumn("vote", "whole number from 1", "which of a judge's votes", check=_whole, ours=True),
    LabelColumn(
        "order",
        "1, 2",
        "for a pair: 1 if it was shown in the order of its name, 2 if the sides were exchanged "
        "(relative to an arbitrary name when blinded); for a judge: the order of presentation",
        check=one_of("1", "2"),
        ours=True,
    ),
    LabelColumn("value", "text", "the answer on the question's scale", blind=True),
    LabelColumn(
        "state",
        "answered, abstain, unavailable",
        "state of the label; unparsed replies are unavailable",
        check=one_of(*STATES),
        blind=True,
        ours=True,
    ),
    LabelColumn("confidence", "number from 0 to 1", "", check=str, blind=True),
    LabelColumn(
        "seconds", "whole number", "active seconds of the whole grade", check=_number, blind=True, ours=True
    ),
    LabelColumn(
        "comment",
        "text",
        "the expert's comment, the judge's reason, the adjudicator's note",
        check=str,
        blind=True,
    ),
    LabelColumn("created_at", "ISO 8601 with zone", "when it was given", blind=True, ours=True),
    LabelColumn("judge_version", "text", "version of the judge", check=same_name),
    LabelColumn("rubric_version", "text", "version of the rubric", blind=True),
    LabelColumn(
        "cause",
        "gap_overlooked, gap_seen_wrongly, reading_of_rubric, severity, reference_wrong, "
        "statement_wrong, outside_field, slip, other",
        "for a decision: why the graders differed, if the adjudicator gave a reason",
        since=2,
        ours=True,
    ),
    LabelColumn(
        "overrules",
        "yes, no",
        "for a decision: no grader gave this value; it then has a cause and a comment",
        since=2,
        check=one_of(*_YES_NO),
        ours=True,
    ),
    LabelColumn(
        "informed",
        "yes, no",
        "for a decision: the adjudicator was able to see systems",
        since=2,
        check=one_of(*_YES_NO),
        ours=True,
    ),
    LabelColumn(
        "amendment",
        "yes, no",
        "for a decision: made after the unblinding, not part of the primary scores",
        since=2,
        check=one_of(*_YES_NO),
        ours=True,
    ),
    LabelColumn(
        "verdict_seen",
        "yes, no",
        "for an expert's label of a single output: a judge's verdict on it was in sight; empty if "
        "none was to be shown or nothing is known. Labels with “yes” are not part of the primary "
        "scores",
        since=3,
        check=one_of(*_YES_NO),
        blind=True,
        ours=True,
    ),
    LabelColumn(
        "searches",
        "whole number to 1000",
        "for an expert's label: how often its grader searched while grading; empty if the campaign had no search",
        since=4,
        check=_whole_up_to(MOST_SEARCHES, "where the grading page stops counting"),
        ours=True,
    ),
)
COLUMNS = tuple(column.name for column in LABEL_COLUMNS)
CHECKS: Mapping[str, Check] = {column.name: column.check for column in LABEL_COLUMNS}
SHOWN_BLIND = frozenset(column.name for column in LABEL_COLUMNS if column.blind)


def read_labels(stream: BinaryIO, *, form: Form = "csv", renaming: Mapping[str, str] | None = None) -> Table:
    """A label table for analysis, states filled in and subjects named.

    An empty state becomes `answered`, or the state that the value itself names; an empty subject becomes its parts
    `instance|system|attempt`. Each step of a subject is a subject of its own, `subject/step`; where no cluster is
    given, the steps of one subject are one. Answers that a step was not assessed are left out, as by the site.
    Raises TableError naming line and column.
    """
    table = read_table(stream, CHECKS, form=form, renaming=renaming, unread=_UNREAD)
    columns = dict(table.columns)
    # An empty state is the one that the value names, or else answered; a contradiction of the two is refused.
    state, value = table["state"], table["value"]
    said, meant = _codes_of(state, STATES), _codes_of(value, STATES[1:], first=1)
    filled = np.where(said >= 0, said, np.where(meant >= 0, meant, 0)).astype(np.int32)
    empty = value.is_in("")
    for wrong, message in (
        ((filled == 0) & empty, "is empty although the state is answered"),
        ((filled == 0) & (meant >= 0), "names a state although the state is answered"),
        ((filled > 0) & ~empty & (meant != filled), "is given although nothing was answered"),
    ):
        if wrong.any():
            raise TableError(message, line=int(table.lines[int(np.argmax(wrong))]), column="value")
    columns["state"] = Column(filled, STATES)
    subject, step, cluster = table["subject"], table["step"], table["cluster"]
    missing = np.flatnonzero(subject.is_in(""))
    if missing.size:
        parts = [table[name] for name in PARTS]
        nameless = np.all([part.is_in("")[missing] for part in parts], axis=0)
        if nameless.any():
            line = int(table.lines[missing[int(np.argmax(nameless))]])
            why = "is empty, and so are instance, system, attempt, step"
            raise TableError(why, line=line, column="subject")
        wholes = (
            "|".join(part.values[part.codes[row]] for part in parts[:-1]).rstrip("|") for row in missing
        )
        subject = columns["subject"] = _replaced(subject, missing, wholes)
    steps = np.flatnonzero(~step.is_in(""))
    if steps.size:
        named = [subject.values[code] for code in subject.codes[steps]]
        ids = [step.values[code] for code in step.codes[steps]]
        columns["subject"] = _replaced(subject, steps, map("/".join, zip(named, ids, strict=True)))
        alone = cluster.is_in("")[steps]
        columns["cluster"] = _replaced(cluster, steps[alone], compress(named, alone))
    return Table(columns, table.lines).select(step.is_in("") | ~value.is_in(NOT_ASSESSED))


def _replaced(column: Column, rows: Ints, texts: Iterable[str]) -> Column:
    """The column with these texts in these rows."""
    values = {value: code for code, value in enumerate(column.values)}
    codes = column.codes.copy()
    for row, text in zip(rows, texts, strict=True):
        codes[row] = values.setdefault(text, len(values))
    return Column(codes, tuple(values))


def arms_in(subjects: Iterable[str]) -> set[str]:
    """The tracks and conditions that subjects name, `instance/system@track+condition/attempt`; "" for none."""
    parts = (subject.rsplit("/", 2) for subject in subjects)
    return {arm.partition("@")[2] for found in parts if len(found) == 3 for arm in found[1].split("|")}


def independent(table: Table) -> tuple[Table, dict[str, int]]:
    """The rows of those who judged by themselves, and how many others were left out: decisions, labels in sight.

    An adjudicator has read the grades and is not a further grader; a grader who had a judge's verdict in sight is not
    an independent one. No agreement and no comparison counts either.
    """
    decisions = table["rater_kind"].is_in(ADJUDICATOR)
    in_sight = table["verdict_seen"].is_in("yes")
    counts = {"decisions": int(decisions.sum()), "in_sight": int(in_sight.sum())}
    return table.select(~(decisions | in_sight)), counts


def _codes_of(column: Column, names: tuple[str, ...], *, first: int = 0) -> np.ndarray:
    """(rows,) position of the text in `names` counted from `first`, -1 for any other text."""
    places = {name: at for at, name in enumerate(names, first)}
    return np.array([places.get(value, -1) for value in column.values], dtype=np.int64)[column.codes]
