"""What experts wrote next to their labels: comments on passages and on answers, and flags. No score depends on it.

Raters have the numbers that they have in the labels of the same artifact, and only remarks on outputs that are labelled
there are in it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from accounts.models import User
from annotation.models import Flag
from benchmark.models import Release
from benchmark.subjects import Subject
from reports.core.datasets import answers_on_outputs, numbered_experts
from reports.labels.comments import comment_rows
from reports.scores.inputs import Inputs, rows_as_json, rows_from_json


@dataclass(frozen=True)
class PassageComment:
    """A comment on a passage: of a block of the text from `start` to `end`, or of a page of an attached PDF."""

    subject: str
    campaign: str
    rater: str
    block: str
    start: int
    end: int
    page: str
    quote: str
    severity: str
    kind: str
    text: str


@dataclass(frozen=True)
class AnswerComment:
    subject: str
    campaign: str
    rater: str
    question: str
    step: str
    text: str


@dataclass(frozen=True)
class FlagRow:
    """What an expert flagged at the item: something in the problem or in an output that gives the answer away."""

    subject: str
    campaign: str
    rater: str
    kind: str
    link: str
    note: str


Remark = AnswerComment | FlagRow | PassageComment
_TABLES: Mapping[str, type[Remark]] = {"answers": AnswerComment, "flags": FlagRow, "passages": PassageComment}


def remarks_from_json(document: Mapping[str, Any], inputs: Inputs) -> None:
    """Raises ValueError for tables that do not fit, and for a remark of somebody who labelled nothing there."""
    if unknown := sorted(set(document) - set(_TABLES)):
        raise ValueError(f"remarks has parts that are not known: {', '.join(unknown)}")
    known = labelled(inputs)
    for name, table in document.items():
        rows: tuple[Remark, ...] = rows_from_json(_TABLES[name], table, f"remarks.{name}")
        for at, row in enumerate(rows):
            if (row.subject, row.campaign, row.rater) not in known:
                raise ValueError(f"remarks.{name}[{at}]: {row.rater} labelled nothing there")


def labelled(inputs: Inputs) -> frozenset[tuple[str, str, str]]:
    """Subject, campaign and rater of every label."""
    return frozenset((row.subject, row.campaign, row.rater) for row in (*inputs.labels, *inputs.in_sight))


def read_remarks(release: Release, inputs: Inputs) -> dict[str, list[list[Any]]]:
    """The tables that have rows, as JSON. Raises Refused while the words of a comment's passage are being prepared."""
    experts = numbered_experts(release, inputs.track, inputs.condition)
    known = labelled(inputs)
    names = {user.rater: experts[user.pk] for user in User.objects.filter(pk__in=experts)}
    passages = (
        PassageComment(
            str(row["subject"]),
            campaign.slug,
            names.get(str(row["rater"]), ""),
            str(row["block"]),
            int(str(row["start"])),
            int(str(row["end"])),
            str(row["page"]),
            *(str(row[column]) for column in ("quote", "severity", "kind", "text")),
        )
        for campaign in inputs.campaigns
        for row in comment_rows(release, campaign=campaign.slug, identities=True)
    )
    tables: dict[str, Iterable[Remark]] = {
        "answers": _on_outputs(
            AnswerComment,
            answers_on_outputs(release, inputs.track, inputs.condition).exclude(comment=""),
            ("question", "step", "comment"),
            inputs,
            experts,
        ),
        "flags": _on_outputs(
            FlagRow,
            Flag.objects.filter(
                grade__superseded_by=None,
                grade__assignment__item__second=None,
                grade__assignment__item__output__run__release=release,
                grade__assignment__item__output__run__track=inputs.track,
                grade__assignment__item__output__run__condition=inputs.condition,
            ),
            ("kind", "link", "note"),
            inputs,
            experts,
        ),
        "passages": passages,
    }
    found = {}
    for name, rows in tables.items():
        kept = [row for row in rows if (row.subject, row.campaign, row.rater) in known]
        if kept:
            found[name] = rows_as_json(sorted(kept, key=lambda row: tuple(vars(row).values())))
    return found


def _on_outputs(
    kind: type[AnswerComment] | type[FlagRow],
    rows: QuerySet[Any],
    columns: Sequence[str],
    inputs: Inputs,
    experts: Mapping[int, str],
) -> Iterator[AnswerComment | FlagRow]:
    """Rows of grades of single outputs, with what their `columns` say."""
    item = "grade__assignment__item"
    for key, system, attempt, campaign, rater, *said in rows.values_list(
        f"{item}__instance__key",
        f"{item}__output__run__system__slug",
        f"{item}__output__attempt",
        f"{item}__campaign__slug",
        "grade__assignment__reviewer",
        *columns,
    ):
        subject = str(Subject(key, system, attempt, inputs.track, inputs.condition))
        yield kind(subject, campaign, experts.get(rater, ""), *said)
