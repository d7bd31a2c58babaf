"""import_labels: published or earlier labels, expert and judge, with their comments, from the canonical tables."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from accounts.models import User
from accounts.trail import record
from annotation.importing.comments import PlacedComment
from annotation.importing.decisions import import_decisions
from annotation.importing.grades import import_grades
from annotation.models import Campaign
from benchmark.importing.progress import Progress, silent
from benchmark.importing.records import RecordError
from benchmark.models import Release
from benchmark.protocols import get_protocol
from benchmark.releases.queries import quarantined
from judging.runs.actions import VerdictsDiffer, imported_judge, store_published, store_published_steps
from reports.labels.comment_reading import COMMENT_CHECKS, CommentReader
from reports.labels.evaluated import evaluated_rows, is_of_evaluator
from reports.labels.faults import BadLabels, Fault, LabelRow
from reports.labels.reading import LabelReader, label_rows_of


@dataclass
class ImportedLabels:
    """What an import found and stored; with `dry_run` nothing was stored. `comments` are at their places.

    `repeated` rows of labels and comments say again what a row before them says; they count once. `undecided` outputs
    with new labels wait in quarantine for a decision; once they have labels their texts stay as they are.
    """

    expert_labels: int = 0
    judge_labels: int = 0
    decisions: int = 0
    repeated: int = 0
    new_grades: int = 0
    new_verdicts: int = 0
    new_decisions: int = 0
    new_comments: int = 0
    undecided: int = 0
    campaigns: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    raters: list[str] = field(default_factory=list)
    comments: list[PlacedComment] = field(default_factory=list)
    dry_run: bool = False

    @property
    def changed(self) -> bool:
        return bool(self.new_grades or self.new_verdicts or self.new_decisions)


@dataclass(frozen=True)
class LabelTables:
    """The rows of labels and of comments that come together. `comments` is None if there is no such table: a campaign
    that already exists is then compared without them. `faults` were found before there were rows."""

    name: str
    labels: Iterable[LabelRow]
    comments: Iterable[LabelRow] | None = None
    faults: tuple[Fault, ...] = ()


class _DryRun(Exception):
    """Rolls the transaction of a dry run back."""


def import_labels(
    *, actor: User | None, path: Path, release: Release, comments: Path | None = None, dry_run: bool = False
) -> ImportedLabels:
    """Store every label of one file and every comment of the other, or nothing.

    A file of the benchmark's own evaluator is recognised. Raises BadLabels by line and field.
    """
    remarks = None if comments is None else label_rows_of(comments, COMMENT_CHECKS, comments.name)
    file = path.name if comments else ""
    if path.suffix.lower() == ".json" or is_of_evaluator(path, release):
        try:
            labels: Iterable[LabelRow] = evaluated_rows(path, release, file)
        except RecordError as error:
            raise BadLabels([Fault(error.line, error.field, error.reason, file)]) from error
    else:
        labels = label_rows_of(path, file=file)
    tables = LabelTables(path.name, labels, remarks)
    return import_tables(actor=actor, tables=tables, release=release, dry_run=dry_run)


def import_tables(
    *,
    actor: User | None,
    tables: LabelTables,
    release: Release,
    dry_run: bool = False,
    progress: Progress = silent,
) -> ImportedLabels:
    """The same for rows. Comments are put at their places first, which renders texts; then all is stored at once.

    For commands and workers. Raises BadLabels with everything that does not fit, and Refused for a campaign that exists
    with other labels.
    """
    reader = LabelReader(release, get_protocol(release.benchmark.protocol))
    reader.read(tables.labels)
    faults, remarks = [*tables.faults, *reader.faults], CommentReader(reader)
    if tables.comments is not None and not faults:  # a label that was refused would refuse its comments too
        remarks.read(tables.comments)
        faults += remarks.faults
    if faults:
        raise BadLabels(faults)
    placed = None if tables.comments is None else remarks.by_grade(progress)
    repeated = reader.repeated + remarks.repeated
    report = ImportedLabels(dry_run=dry_run, comments=remarks.placed, repeated=repeated)
    try:
        with transaction.atomic():
            # two imports at once: the second one finds what the first has stored
            Release.objects.select_for_update().get(pk=release.pk)
            known = set(Campaign.objects.filter(slug__in=reader.decisions).values_list("slug", flat=True))
            waiting = set(quarantined(release).values_list("pk", flat=True))
            for (campaign, track), grades in reader.expert_grades(placed).items():
                rubric = reader.rubric_of[campaign]
                new = import_grades(
                    actor=actor,
                    release=release,
                    slug=campaign,
                    rubric=rubric,
                    kind=rubric.kind,
                    track=track,
                    grades=grades,
                )
                report.new_grades += new
                report.new_comments += sum(len(grade.comments or ()) for grade in grades) if new else 0
                if new:
                    graded = {one.pk for grade in grades for one in (grade.output, grade.second) if one}
                    report.undecided += len(graded & waiting)
                    waiting -= graded
                report.campaigns.append(campaign)
                report.raters = sorted({*report.raters, *(grade.rater for grade in grades)})
            _store_judgements(actor, reader, release, report, known)
            if dry_run:
                raise _DryRun
            if report.changed:
                details = {
                    "file": tables.name,
                    "grades": report.new_grades,
                    "comments": report.new_comments,
                    "verdicts": report.new_verdicts,
                    "decisions": report.new_decisions,
                }
                record(actor=actor, verb="import labels", target=release, details=details)
    except _DryRun:
        pass
    return report


def _store_judgements(
    actor: User | None, reader: LabelReader, release: Release, report: ImportedLabels, known: set[str]
) -> None:
    """The decisions of adjudicators and the verdicts of judges, in the transaction that stored the grades; the
    campaigns in `known` were there before."""
    for slug, decided in reader.published_decisions().items():
        report.new_decisions += import_decisions(slug=slug, decisions=decided, new=slug not in known)
        report.decisions += len(decided)
    for slug, version in dict.fromkeys([*reader.verdicts, *reader.steps]):
        judge = imported_judge(
            actor=actor, slug=slug, protocol=release.benchmark.protocol, published_as=version
        )
        verdicts, steps = reader.verdicts.get((slug, version), []), reader.steps.get((slug, version), [])
        try:
            report.new_verdicts += store_published(judge=judge, verdicts=verdicts)
            report.new_verdicts += store_published_steps(judge=judge, steps=[step for _, step in steps])
        except VerdictsDiffer as refusal:
            raise BadLabels(
                [Fault(said.line, field, reason, said.file) for said, field, reason in refusal.differing]
            ) from refusal
        report.judges.append(judge.label)
    report.expert_labels = sum(len(rows) for rows in reader.expert_rows.values())
    on_steps = sum(len(steps) for steps in reader.steps.values())
    report.judge_labels = sum(len(verdicts) for verdicts in reader.verdicts.values()) + on_steps
