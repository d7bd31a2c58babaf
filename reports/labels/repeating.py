"""Labels that a file has twice: equal ones are one label, others contradict each other."""

from dataclasses import replace

from benchmark.subjects import PairSubject, parse_subject
from reports.labels.faults import LabelRow
from reports.labels.moments import moment_of
from stats.tables.labels import ADJUDICATOR, COLUMNS, DECISION_MARKS

UNSPECIFIED_CAMPAIGN = "imported"
# What a row is about, whose it is, and what all labels of a campaign share: the rest is what was said.
_ABOUT = (
    "release", "campaign", "question", "subject", "instance", "system", "attempt", "step", "cluster", "domain", "rater",
    "rater_kind", "vote", "order", "judge_version", "rubric_version",
)  # fmt: skip
# What is stored of a label, the most important first; its value is compared as the scale writes it.
_FIRST = ("value", "state", "confidence", "comment", "created_at", "seconds")
_SAID = (*_FIRST, *(name for name in COLUMNS if name not in (*_FIRST, *_ABOUT)))
_MEANT = {"state": "answered", **dict.fromkeys(DECISION_MARKS, "no")}  # by an empty cell
_NUMBERS = ("confidence", "seconds")


def without_defaults(row: LabelRow) -> LabelRow:
    """The row without an order where there is only one, and with the vote of a judge that says none: the first."""
    pair = isinstance(parse_subject(row["subject"]), PairSubject)
    order = row["order"] if pair else ""
    vote = (row["vote"] or "1") if row["rater_kind"] == "judge" else ""
    if (order, vote) == (row["order"], row["vote"]):
        return row
    return replace(row, cells={**row.cells, "order": order, "vote": vote})


def identity(row: LabelRow) -> tuple[str, ...]:
    """Equal for two rows that can only be one label. A question is decided once, by any adjudicator, and amended
    once."""
    about = row["rater_kind"], row["subject"], row["question"], row["step"]
    if row["rater_kind"] == "judge":
        return *about, row["rater"], row["judge_version"], row["vote"], row["order"]
    campaign = row["campaign"] or UNSPECIFIED_CAMPAIGN
    if row["rater_kind"] == ADJUDICATOR:
        return *about, campaign, row["amendment"] or "no"
    return *about, campaign, row["rater"], row["order"]


def contradiction(first: LabelRow, row: LabelRow, values: tuple[str, str]) -> tuple[str, str] | None:
    """The column in which a label says something else the second time, and both cells; None for equal ones.

    `values` are those of both rows as their scale writes them.
    """
    columns = (*_SAID, "rater") if row["rater_kind"] == ADJUDICATOR else _SAID
    for column in columns:
        told = values if column == "value" else (_meant(column, first), _meant(column, row))
        if told[0] != told[1]:
            shown = [
                one["value"] or one["state"] if column == "value" else one[column] for one in (first, row)
            ]
            there, here = (repr(cell if len(cell) <= 60 else f"{cell[:59]}…") for cell in shown)
            return column, f"the same label is already in {first.place} and says {there}; here it says {here}"
    return None


def _meant(column: str, row: LabelRow) -> object:
    cell = row[column] or _MEANT.get(column, "")
    if column == "created_at":
        return moment_of(cell)
    return float(cell) if cell and column in _NUMBERS else cell
