"""What people sent, as rows of labels and comments: tables as they are, reports of referees read into them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path, PurePosixPath

from annotation.campaigns.naming import objection_to
from benchmark.collecting.documents import Member, content_of, members_of
from benchmark.collecting.paths import Names
from benchmark.collecting.staging import slug_of
from benchmark.importing.records import RecordError
from benchmark.models import Output, Release, System
from benchmark.subjects import Subject
from reports.labels.comment_reading import COMMENT_CHECKS
from reports.labels.evaluated import evaluated_rows, is_of_evaluator
from reports.labels.faults import Fault, LabelRow
from reports.labels.importing import LabelTables
from reports.labels.reading import label_rows_of
from reports.referees.markdown import read_markdown
from reports.referees.marked import marks_of_pdf
from reports.referees.report import ABSTAINED, RefereeReport
from reports.referees.tex import read_tex
from stats.tables.columns import Check, form_of
from stats.tables.labels import CHECKS
from stats.tables.peeking import peek
from stats.tables.raw_rows import TableError

MARKED = ".pdf"
TABLES = (".csv", ".jsonl", ".ndjson")
EVALUATION = ".json"
READERS = {".md": read_markdown, ".tex": read_tex}
_ONLY_OF_COMMENTS = {"quote", "severity", "block", "anchor", "prefix", "suffix"}
_ATTEMPT = re.compile(r"(?P<system>.+)/(?P<attempt>[1-9]\d{0,2})")


@dataclass
class Sent:
    """What was sent, in rows; `passed_over` are files that say how to read the others."""

    labels: list[Iterator[LabelRow]] = field(default_factory=list)
    comments: list[Iterator[LabelRow]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    reports: int = 0

    def tables(self, name: str) -> LabelTables:
        """Everything that was read. Without any comments or reports, labels are compared without comments."""
        comments = chain(*self.comments) if self.comments else None
        return LabelTables(name, chain(*self.labels), comments, tuple(self.faults))


def read_sent(folder: Path, name: str, release: Release, campaign: str) -> Sent:
    """The files below a folder: tables by their columns, everything else as reports.

    Reports that name no campaign belong to `campaign`. What can be read as neither is a fault of the whole.
    """
    sent = Sent()
    named = _Names(release)
    members = members_of(folder, name)
    marked = {member.path[: -len(MARKED)]: member for member in members if member.suffix == MARKED}
    for member in members:
        if PurePosixPath(member.path).stem.lower() == "readme":
            sent.passed_over.append(member.path)
            continue
        pdf = (
            marked.pop(str(PurePosixPath(member.path).with_suffix("")), None)
            if member.suffix in READERS
            else None
        )
        try:
            if member.suffix in TABLES and not is_of_evaluator(member.file, release):
                _take_table(sent, member)
            elif member.suffix in (*TABLES, EVALUATION):
                sent.labels.append(iter(evaluated_rows(member.file, release, member.path)))
            elif member.suffix in READERS:
                report = READERS[member.suffix](content_of(member))
                _take_report(sent, member, report, named, campaign, pdf)
            elif member.suffix != MARKED:
                raise RecordError(
                    "is neither a table (.csv, .jsonl), a report (.md, .tex) nor an evaluator's result file (.json)"
                )
        except RecordError as error:
            own_field = "" if error.field == member.shown else error.field
            sent.faults.append(Fault(error.line, own_field, error.reason, member.path))
    for member in marked.values():
        reason = "there is no report of the same name (.md, .tex) that says whose marks these are"
        sent.faults.append(Fault(0, "", reason, member.path))
    if not sent.labels and not sent.faults:
        sent.faults.append(Fault(0, "", "there is neither a table of labels nor a report", name))
    return sent


def _take_table(sent: Sent, member: Member) -> None:
    try:
        with member.file.open("rb") as stream:
            header = peek(stream, form=form_of(member.file)).header
    except TableError as error:
        raise RecordError(str(error), line=error.line or 0) from error
    if _ONLY_OF_COMMENTS.intersection(header):
        sent.comments.append(label_rows_of(member.file, COMMENT_CHECKS, member.path))
    else:
        sent.labels.append(label_rows_of(member.file, CHECKS, member.path))


class _Names:
    """Problems and systems by the names that people give them."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self._problems = Names(release.instances.values_list("key", flat=True))
        runs = Output.objects.filter(run__release=release)
        rows = runs.values_list("run__system__slug", "run__track", "run__condition").distinct()
        self._arms = {Subject("", *row[:1], 1, *row[1:]).arm for row in rows}
        self._slugs = dict(System.objects.values_list("name", "slug"))

    def subject(self, problem: str, submission: str) -> str:
        """The name of the output; of one that does not exist if there is none."""
        found = _ATTEMPT.fullmatch(submission)
        system, attempt = (found["system"], found["attempt"]) if found else (submission, "1")
        known = [
            name for name in (system, self._slugs.get(system, ""), slug_of(system)) if name in self._arms
        ]
        return f"{self._problems.match(problem) or problem}/{(known or [system])[0]}/{attempt}"


def _take_report(
    sent: Sent, member: Member, report: RefereeReport, named: _Names, campaign: str, pdf: Member | None
) -> None:
    """Its answers and comments as rows; with those of the marked PDF that lies next to it, if there is one."""
    head = report.head
    campaign = head.fields.get("campaign") or campaign
    if objection := objection_to(campaign):
        raise RecordError(objection, line=1, field="campaign")
    try:
        moment = head.moment
    except ValueError as error:
        raise RecordError("is not a date such as 2026-11-02", line=1, field="date") from error
    common = {
        "campaign": campaign,
        "subject": named.subject(head.fields["problem"], head.fields["submission"]),
        "rater": head.fields["referee"],
        "rater_kind": "expert",
        "created_at": moment,
    }
    labels = []
    for number, answer in enumerate(head.answers):
        abstained = answer.value.lower() == ABSTAINED
        cells = {
            **common,
            "question": answer.question,
            "value": "" if abstained else answer.value,
            "state": "abstain" if abstained else "answered",
            "rubric_version": head.fields.get("form", ""),
            "comment": report.summary if number == 0 else "",
        }
        labels.append(_row(cells, CHECKS, answer.line, member.path))
    comments = [
        _row(
            {
                **common,
                "anchor": "whole" if one.whole else "",
                "quote": one.exact,
                "prefix": one.prefix,
                "suffix": one.suffix,
                "severity": one.severity,
                "kind": one.kind,
                "text": one.text,
            },
            COMMENT_CHECKS,
            one.line,
            member.path,
        )
        for one in report.comments
    ]
    if pdf:
        try:
            marks = marks_of_pdf(pdf, common["subject"], named.release)
        except RecordError as error:
            sent.faults.append(Fault(0, "", error.reason, pdf.path))
            marks = []
        comments += [_row({**common, **cells}, COMMENT_CHECKS, 0, pdf.path) for cells in marks]
    sent.labels.append(iter(labels))
    sent.comments.append(iter(comments))
    sent.reports += 1


def _row(cells: dict[str, str], checks: Mapping[str, Check], line: int, file: str) -> LabelRow:
    """A row as a table would have it. Raises RecordError for a cell that a table could not have."""
    found = dict.fromkeys(checks, "")
    for name, cell in cells.items():
        try:
            found[name] = checks[name](cell)
        except ValueError as error:
            raise RecordError(str(error), line=line, field=name) from error
    return LabelRow(line, found, file)
