"""What a row of a label file must say to be a decision of an adjudicator."""

from collections.abc import Iterable, Iterator, Mapping

from annotation.models import Cause
from benchmark.rubrics import Question
from benchmark.subjects import PairSubject, parse_subject
from reports.labels.faults import Fault, LabelRow
from stats.tables.labels import DECISION_MARKS

# What only those who grade have.
_OF_GRADERS = ("stratum", "stratum_size", "sample_size", "vote", "confidence", "seconds", "judge_version")


def decision_complaints(row: LabelRow, question: Question) -> Iterator[tuple[str, str]]:
    """(column, reason) for everything that a decision cannot be; its question and value are on the rubric."""
    for column in _OF_GRADERS:
        if row[column]:
            yield column, "a decision has none"
    if row["state"] not in ("", "answered") or not question.scale.has_values:
        yield "question", "only an answer on a scale can be decided"
    elif question.canonical(row["value"]) not in question.scale.judgments:
        yield "value", "a decision says what is the case; it cannot leave it open"
    if row["cause"] and row["cause"] not in Cause.values:
        yield "cause", f"{row['cause']!r} is not one of {', '.join(Cause.values)}"
    if row["overrules"] == "yes" and not (row["cause"] and row["comment"]):
        yield "overrules", "a decision that overrules every grader needs a cause and a comment"
    if row["order"] != ("1" if isinstance(parse_subject(row["subject"]), PairSubject) else ""):
        yield "order", "a decision about a pair is in the order of its name, 1, and any other has none"


def complaints_of_graders(row: LabelRow) -> Iterator[tuple[str, str]]:
    """(column, reason) for every column of decisions that a grader or judge fills."""
    for column in ("cause", *DECISION_MARKS):
        if row[column]:
            yield column, "belongs to the decision of an adjudicator"


def ungraded(
    decisions: Mapping[str, Iterable[LabelRow]], grades: Iterable[tuple[str, str, str, str]]
) -> list[Fault]:
    """Decisions on what nobody graded in this file; `grades` begin with campaign and subject."""
    graded = {(campaign, subject) for campaign, subject, _, _ in grades}
    return [
        Fault(
            row.line,
            "subject",
            f"is decided without a grade of it in {campaign}; import them together",
            row.file,
        )
        for campaign, rows in decisions.items()
        for row in rows
        if (campaign, row["subject"]) not in graded
    ]
