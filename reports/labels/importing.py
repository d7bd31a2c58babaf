"""import_labels: published or earlier labels, expert and judge, from the canonical label table."""

from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from accounts.models import User
from accounts.trail import record
from annotation.importing.decisions import import_decisions
from annotation.importing.grades import import_grades
from annotation.models import Campaign
from benchmark.models import Release
from benchmark.protocols import get_protocol
from judging.runs.actions import imported_judge, store_published
from reports.labels.reading import LabelReader


@dataclass
class ImportedLabels:
    """What an import found and stored; with `dry_run` nothing was stored."""

    expert_labels: int = 0
    judge_labels: int = 0
    decisions: int = 0
    new_grades: int = 0
    new_verdicts: int = 0
    new_decisions: int = 0
    campaigns: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    dry_run: bool = False

    @property
    def changed(self) -> bool:
        return bool(self.new_grades or self.new_verdicts or self.new_decisions)


class _DryRun(Exception):
    """Rolls the transaction of a dry run back."""


def import_labels(
    *, actor: User | None, path: Path, release: Release, dry_run: bool = False
) -> ImportedLabels:
    """Store every label of the file, or none. Raises Refused listing up to 20 faults by line and field."""
    report = ImportedLabels(dry_run=dry_run)
    try:
        with transaction.atomic():
            _import(actor, path, release, report)
            if dry_run:
                raise _DryRun
            if report.changed:
                details = {
                    "file": path.name,
                    "grades": report.new_grades,
                    "verdicts": report.new_verdicts,
                    "decisions": report.new_decisions,
                }
                record(actor=actor, verb="import labels", target=release, details=details)
    except _DryRun:
        pass
    return report


def _import(actor: User | None, path: Path, release: Release, report: ImportedLabels) -> None:
    reader = LabelReader(release, get_protocol(release.benchmark.protocol))
    reader.read(path)
    decisions = reader.published_decisions()
    known = set(Campaign.objects.filter(slug__in=decisions).values_list("slug", flat=True))
    for (campaign, track), grades in reader.expert_grades().items():
        rubric = reader.rubric_of[campaign]
        report.new_grades += import_grades(
            actor=actor,
            release=release,
            slug=campaign,
            rubric=rubric,
            kind=rubric.kind,
            track=track,
            grades=grades,
        )
        report.campaigns.append(campaign)
    for slug, decided in decisions.items():
        report.new_decisions += import_decisions(slug=slug, decisions=decided, new=slug not in known)
        report.decisions += len(decided)
    for (slug, version), verdicts in reader.verdicts.items():
        judge = imported_judge(
            actor=actor, slug=slug, protocol=release.benchmark.protocol, published_as=version
        )
        report.new_verdicts += store_published(judge=judge, verdicts=verdicts)
        report.judges.append(judge.label)
    report.expert_labels = sum(len(rows) for rows in reader.expert_rows.values())
    report.judge_labels = sum(len(verdicts) for verdicts in reader.verdicts.values())
