"""Import of a release: all or nothing, idempotent by the hash of its content."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.canonical import instance_sha256
from benchmark.importing.batches import check_slug, checked_batches, existing
from benchmark.importing.exported import release_records
from benchmark.importing.keyindex import KeyIndex
from benchmark.importing.progress import Progress, silent
from benchmark.importing.records import RecordError
from benchmark.importing.survey import MAX_ERRORS, Survey, survey_release
from benchmark.models import Benchmark, Instance, Paper, Release
from benchmark.overlaps import Overlaps
from benchmark.protocol import InstanceRecord, Protocol
from benchmark.protocols import get_protocol
from benchmark.releases.differences import describe


@dataclass(frozen=True)
class ImportReport:
    """What an import of a release did, or would do. `changed` is false if it already existed.

    `papers` counts as the file does, `overlaps` says which of them are one, and which instances are duplicates.
    """

    release: str
    protocol: str
    sha256: str
    instances: int
    papers: int
    domains: dict[str, int]
    changed: bool
    dry_run: bool
    overlaps: Overlaps


def import_release(
    *,
    actor: User | None,
    protocol: str,
    path: Path,
    name: str,
    is_sample: bool = False,
    source: str = "",
    dry_run: bool = False,
    progress: Progress = silent,
    most_faults: int = MAX_ERRORS,
) -> ImportReport:
    """Read a release file into the release `name`, completely or not at all.

    `source` is what the file was called where it came from; if empty, the last part of `path`.
    The same content under the same name again changes nothing. Raises Refused: BadFile with every fault's
    line and field, up to `most_faults`, or when the name already has other content.
    """
    check_slug(name, "release")
    rules, file = get_protocol(protocol), existing(path)
    with KeyIndex() as index:
        survey = survey_release(release_records(rules, file), index, progress, most_faults, rules.passage_of)
        stored = Release.objects.select_related("benchmark").filter(name=name).first()
        if stored and stored.benchmark.protocol != rules.name:
            reason = f"release {name} belongs to protocol {stored.benchmark.protocol}"
            raise Refused(reason, code="release_differs")
        if stored and stored.sha256 != survey.sha256:
            found = describe(survey.index, stored.instances.values_list("key", "sha256").iterator())
            raise Refused(f"release {name} has other content: {found}", code="release_differs")
        if stored is None and not dry_run:
            release = Release(
                name=name, sha256=survey.sha256, source=source or file.name, is_sample=is_sample
            )
            _store(actor, release, rules, survey, release_records(rules, file), progress)
        return ImportReport(
            release=name,
            protocol=protocol,
            sha256=survey.sha256,
            instances=len(index),
            papers=survey.groups,
            domains=dict(sorted(survey.counts.items())),
            changed=stored is None,
            dry_run=dry_run,
            overlaps=survey.overlaps,
        )


@transaction.atomic
def _store(
    actor: User | None,
    release: Release,
    rules: Protocol,
    survey: Survey,
    records: Iterable[InstanceRecord | RecordError],
    progress: Progress,
) -> None:
    release.benchmark, _ = Benchmark.objects.get_or_create(
        slug=rules.name, defaults={"name": rules.title, "protocol": rules.name}
    )
    try:
        with transaction.atomic():
            release.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(f"release {release.name} was imported at the same time", code="busy") from error

    def identify(instance: InstanceRecord) -> tuple[str, str]:
        return instance.key, instance_sha256(instance)

    for batch in checked_batches(records, survey.index, identify, progress):
        papers = {row.paper.key: row.paper for row, _ in batch if row.paper}
        of_this_batch = release.papers.filter(key__in=papers).values_list("key", "pk")
        known = set(of_this_batch.values_list("key", flat=True))  # those of earlier batches
        Paper.objects.bulk_create(
            Paper(
                release=release,
                key=paper.key,
                title=paper.title,
                year=paper.year,
                identifiers=dict(paper.identifiers),
            )
            for key, paper in papers.items()
            if key not in known
        )
        paper_ids = dict(of_this_batch)
        Instance.objects.bulk_create(
            Instance(
                release=release,
                key=row.key,
                paper_id=paper_ids[row.paper.key] if row.paper else None,
                domain=row.domain,
                split=row.split,
                payload=row.payload,
                sha256=sha256,
            )
            for row, sha256 in batch
        )
    counts = {"instances": len(survey.index), "papers": survey.groups, "sha256": release.sha256}
    record(actor=actor, verb="import_release", target=release, details=counts)
