"""Import of a system's outputs as one run: all or nothing, idempotent by the hash of its content."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.canonical import output_sha256
from benchmark.collecting.translating import translated
from benchmark.foreign.recognising import tool_of
from benchmark.identities.actions import scan_identities
from benchmark.importing.batches import check_slug, checked_batches, existing
from benchmark.importing.exported import output_records
from benchmark.importing.keyindex import KeyIndex
from benchmark.importing.progress import Progress, silent
from benchmark.importing.records import RecordError
from benchmark.importing.survey import MAX_ERRORS, BadFile, Survey, output_key, survey_outputs
from benchmark.models import Output, OutputState, ProtocolFlag, Release, Run, System, UnreleasedOutput
from benchmark.protocol import NOT_RELEASED, OutputRecord
from benchmark.protocols import get_protocol
from benchmark.releases.differences import describe
from benchmark.releases.integrity import stored_hashes
from benchmark.releases.queries import quarantined
from benchmark.tuples.actions import add_runs
from benchmark.tuples.retrieval import frozen_retrieval, tuple_named, with_sources


@dataclass(frozen=True)
class OutputsReport:
    """What an import of outputs did, or would do.

    `without_output` counts instances that have none and are not marked as not released, `quarantined` outputs of the
    release that are waiting for a decision about what reveals their author, `flagged` outputs of the run that break a
    rule of the protocol, or may (None before it is imported), `retrieval` the digest of the artifact that decided which
    sources the outputs were shown.
    """

    release: str
    system: str
    track: str
    condition: str
    sha256: str
    outputs: int
    states: dict[str, int]
    without_output: int
    changed: bool
    dry_run: bool
    quarantined: int = 0
    flagged: int | None = None
    retrieval: str = ""


def import_outputs(
    *,
    actor: User | None,
    path: Path,
    release: Release,
    system: str,
    track: str = "raw",
    condition: str = "",
    system_name: str = "",
    family: str = "",
    ids: str = "",
    key: str = "",
    dry_run: bool = False,
    tuple_name: str = "",
    config: Mapping[str, object] | None = None,
    progress: Progress = silent,
    most_faults: int = MAX_ERRORS,
) -> OutputsReport:
    """Read a file or folder of outputs into the run of `system` on `release`, completely or not at all.

    Files of other tools are recognised (benchmark/foreign); in those, `key` is the column that names the problem, and
    `ids` a pattern for names that hold more than that.

    A system that is not known yet is created, with the name `system_name` (its slug if empty) and `family`; `config`
    says how its outputs were made, and the identity scan looks for the models that it names. The same
    content again changes nothing. The run joins the frozen tuple `tuple_name`; if that has a frozen retrieval artifact,
    the artifact decides which sources each output was shown. Raises Refused: BadFile with every fault's line and field,
    up to `most_faults`, or when the run already has other outputs.
    """
    check_slug(system, "system")
    known = set(System.objects.filter(slug__iexact=system).values_list("slug", flat=True))
    if known and system not in known:
        reason = f"There is a system {min(known)}, and {system} differs from it in capital letters only"
        raise Refused(reason, code="system_differs", field="system")
    check_slug(track, "track", limit=50)
    if condition:
        check_slug(condition, "condition", limit=50)
    joined = tuple_named(release, tuple_name) if tuple_name else None
    frozen = frozen_retrieval(joined) if joined else None
    rules, source = get_protocol(release.benchmark.protocol), existing(path)
    with TemporaryDirectory() as folder, KeyIndex() as instances, KeyIndex() as index:
        for name, sha256 in release.instances.values_list("key", "sha256").iterator():
            instances.add(name, sha256)
        keys = {name for name, _ in instances.pairs()} if tool_of(source) else ()
        lines = translated(source, Path(folder), rules, keys, system=system, ids=ids, key=key)
        source = lines.path if lines else source
        try:
            records = with_sources(rules, frozen, output_records(rules, source))
            survey = survey_outputs(records, index, instances, progress, most_faults)
        except BadFile as bad:
            raise BadFile([lines.moved(one) for one in bad.errors], more=bad.more) if lines else bad from bad
        runs = Run.objects.filter(release=release, track=track, condition=condition, system__slug=system)
        stored = runs.first()
        if stored and stored.sha256 != survey.sha256:
            where = " ".join(part for part in (release.name, track, condition) if part)
            found = describe(survey.index, stored_hashes(stored))
            raise Refused(f"{system} has other outputs on {where}: {found}", code="run_differs")
        if stored is None and not dry_run:
            run = Run(release=release, track=track, condition=condition, sha256=survey.sha256)
            run.config = dict(config or {})
            author = System(slug=system, name=system_name or system, family=family)
            records = with_sources(rules, frozen, output_records(rules, source))
            _store(actor, run, author, survey, records, progress)
        if not dry_run:  # also what an import that was broken off has stored
            scan_identities(release=release, progress=progress)
        if joined and not dry_run:
            add_runs(actor=actor, row=joined, runs=runs)
        flagged = Output.objects.filter(run__in=runs, protocol_flags__isnull=False).distinct()
        return OutputsReport(
            release=release.name,
            system=system,
            track=track,
            condition=condition,
            sha256=survey.sha256,
            outputs=len(index) - survey.counts[NOT_RELEASED],
            states=dict(sorted(survey.counts.items())),
            without_output=len(instances) - survey.groups,
            changed=stored is None,
            dry_run=dry_run,
            quarantined=quarantined(release).count(),
            flagged=flagged.count() if runs.exists() else None,
            retrieval=frozen.digest if frozen else "",
        )


@transaction.atomic
def _store(
    actor: User | None,
    run: Run,
    author: System,
    survey: Survey,
    records: Iterable[OutputRecord | RecordError],
    progress: Progress,
) -> None:
    names = {"name": author.name, "family": author.family}
    system, created = System.objects.get_or_create(slug=author.slug, defaults=names)
    for field, given in names.items():
        if not created and given not in ("", author.slug, getattr(system, field)):
            reason = f"system {author.slug} is known with {field} {getattr(system, field)!r}, not {given!r}"
            raise Refused(reason, code="system_differs")
    run.system = system
    try:
        with transaction.atomic():
            run.save(force_insert=True)
    except IntegrityError as error:
        raise Refused(f"a run of {author.slug} was imported at the same time", code="busy") from error

    def identify(output: OutputRecord) -> tuple[str, str]:
        return output_key(output.instance, output.attempt), output_sha256(output)

    for batch in checked_batches(records, survey.index, identify, progress):
        keys = {row.instance for row, _ in batch}
        instances = dict(run.release.instances.filter(key__in=keys).values_list("key", "pk"))
        UnreleasedOutput.objects.bulk_create(
            UnreleasedOutput(run=run, instance_id=instances[row.instance])
            for row, _ in batch
            if row.state == NOT_RELEASED
        )
        outputs = Output.objects.bulk_create(
            Output(
                run=run,
                instance_id=instances[row.instance],
                attempt=row.attempt,
                state=row.state,
                text=row.text,
                text_format=row.text_format,
                payload=row.payload,
                sha256=sha256,
            )
            for row, sha256 in batch
            if row.state != NOT_RELEASED
        )
        flag_outputs(run, outputs)
    withheld = survey.counts[NOT_RELEASED]
    counts = {"outputs": len(survey.index) - withheld, "system": author.slug, "sha256": run.sha256}
    if withheld:
        counts["not_released"] = withheld
    record(actor=actor, verb="import_outputs", target=run, details=counts)


def flag_outputs(run: Run, outputs: Sequence[Output]) -> None:
    """Store what the protocol finds in these new outputs of `run`, a batch of them; three statements at most."""
    find = get_protocol(run.release.benchmark.protocol).flag_output
    answered = [output for output in outputs if output.state == OutputState.ANSWERED]
    if find is None or not answered:
        return
    ids = {output.instance_id for output in answered}
    payloads = dict(run.release.instances.filter(pk__in=ids).values_list("pk", "payload"))
    ProtocolFlag.objects.bulk_create(
        ProtocolFlag(output=output, kind=flag.kind, certain=flag.certain, reason=flag.reason)
        for output in answered
        for flag in find(payloads[output.instance_id], output.payload)
    )
