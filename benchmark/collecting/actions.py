"""Import of what an upload gives: all problems and outputs of it, or nothing. The dry run renders them too."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import transaction

from accounts.models import AuditEvent, User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.collecting.mapping import Reading, check_mapping
from benchmark.collecting.showing import FIRST, show, summarise
from benchmark.collecting.staging import MOST_FAULTS, Attached, Fault, Staged, stage, summary_of
from benchmark.files.actions import attach
from benchmark.importing.keyindex import KeyIndex
from benchmark.importing.outputs import import_outputs
from benchmark.importing.progress import Progress, silent
from benchmark.importing.survey import BadFile, survey_outputs, survey_release
from benchmark.models import Instance, Output, Release, System
from benchmark.protocol import InstanceRecord, OutputRecord, Protocol
from benchmark.protocols import get_protocol
from benchmark.releases.actions import import_release
from benchmark.releases.queries import quarantined

VERB = "import_files"


class FaultyFiles(Refused):
    """An upload that was refused as a whole; `faults` are {file, line, field, reason}."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        kinds = len(summarise(faults))
        many = f"{len(faults):,} problem{'s' * (len(faults) != 1)}"
        super().__init__(
            f"{many} of {kinds} kind{'s' * (kinds != 1)}. Nothing was imported.", code="bad_file"
        )


def import_files(
    *,
    actor: User | None,
    folder: Path,
    name: str,
    release: str,
    protocol: str,
    reading: Reading,
    dry_run: bool,
    progress: Progress,
) -> dict[str, Any]:
    """Import the unpacked upload in `folder`, whose file was called `name`, as `reading` says; returns the report.

    A release that does not exist is made from the problems that come along, by the rules of `protocol`. Raises Refused:
    FaultyFiles with every fault's place, or what import_release and import_outputs raise.
    """
    stored = Release.objects.select_related("benchmark").filter(name=release).first()
    rules = get_protocol(stored.benchmark.protocol if stored else protocol)
    known = set(stored.instances.values_list("key", flat=True)) if stored else None
    check_mapping(reading, rules, known)
    with TemporaryDirectory(dir=folder.parent) as place:
        staged = stage(folder, Path(place), reading, rules, known, name)
        if staged.problems is None and not staged.runs and not staged.faults:
            raise Refused(
                "Nothing in it fits the pattern, so there is nothing to import.", code="nothing_fits"
            )
        if reading.table == "problems" and stored:
            raise Refused(
                f"The release {release} exists; its problems cannot be added to.", code="release_exists"
            )
        faults = staged.faults + _faults_of(staged, rules)
        if faults:
            raise FaultyFiles(faults[:MOST_FAULTS])
        if dry_run:
            return _dry_run(staged, rules, stored, release, reading, progress)
        with transaction.atomic():
            return _import(actor, staged, rules, stored, release, reading, name, progress)


def remembered_mapping(release: Release) -> Mapping[str, Any]:
    """How the last file of this release was mapped; nothing for the first one."""
    events = AuditEvent.objects.filter(
        verb=VERB, target_kind=release._meta.label_lower, target_key=str(release.pk)
    )
    last = events.order_by("-pk").first()
    found: Mapping[str, Any] = last.details.get("mapping", {}) if last else {}
    return found


def _faults_of(staged: Staged, rules: Protocol) -> list[Fault]:
    """What the checks of the protocol and of the import find wrong, at the places of the upload."""
    faults: list[Fault] = []
    if staged.problems and not staged.problems.count and not staged.faults:
        raise Refused(
            "No problem was found where the pattern of problems looks for them.", code="no_problems"
        )
    with KeyIndex() as instances:
        for key in staged.keys:
            instances.add(key, "")
        for lines in filter(None, [staged.problems, *staged.runs.values()]):
            with KeyIndex() as index:
                try:
                    if lines is staged.problems and lines.count:
                        survey_release(rules.read_release(lines.path), index, silent, MOST_FAULTS)
                    elif lines.count:
                        survey_outputs(rules.read_outputs(lines.path), index, instances, silent, MOST_FAULTS)
                except BadFile as bad:
                    faults += [lines.fault(error) for error in bad.errors]
    return faults


def _dry_run(
    staged: Staged,
    rules: Protocol,
    stored: Release | None,
    release: str,
    reading: Reading,
    progress: Progress,
) -> dict[str, Any]:
    runs = []
    for slug, lines in staged.runs.items():
        states = Counter(
            each.state if isinstance(each, OutputRecord) else "failed"
            for each in rules.read_outputs(lines.path)
        )
        changed = True
        if stored:  # the run may exist, with these outputs or with others
            found = import_outputs(
                actor=None, path=lines.path, release=stored, system=slug, track=reading.track, dry_run=True
            )
            changed = found.changed
        runs.append(
            {"system": slug, "name": lines.name, "states": dict(sorted(states.items())), "changed": changed}
        )
    return {
        **_report(staged, rules, stored, release, runs),
        "shown": asdict(show(_texts(staged, rules), progress=progress)),
        "dry_run": True,
    }


def _import(
    actor: User | None,
    staged: Staged,
    rules: Protocol,
    stored: Release | None,
    release: str,
    reading: Reading,
    name: str,
    progress: Progress,
) -> dict[str, Any]:
    if staged.problems and stored is None:
        import_release(
            actor=actor,
            protocol=rules.name,
            path=staged.problems.path,
            name=release,
            source=name,
            progress=progress,
            most_faults=MOST_FAULTS,
        )
    target = Release.objects.get(name=release)
    known = set(System.objects.filter(slug__in=staged.runs).values_list("slug", flat=True))
    runs = []
    for slug, lines in staged.runs.items():
        report = import_outputs(
            actor=actor,
            path=lines.path,
            release=target,
            system=slug,
            system_name="" if slug in known else lines.name[:200],
            track=reading.track,
            progress=progress,
            most_faults=MOST_FAULTS,
        )
        runs.append({"system": slug, "name": lines.name, "states": report.states, "changed": report.changed})
    abstained = {"abstained": staged.blank[:MOST_FAULTS]} if staged.blank and reading.blank_abstains else {}
    for subject, one in attachments_found(staged, target):
        attach(actor=actor, subject=subject, name=one.name, data=one.file.read_bytes(), made=one.made)
    details = {"file": name, "mapping": reading.as_json(), **abstained}
    record(actor=actor, verb=VERB, target=target, details=details)
    return {
        **_report(staged, rules, stored, release, runs),
        "quarantined": quarantined(target).count(),
        "dry_run": False,
    }


def attachments_found(staged: Staged, release: Release) -> Iterator[tuple[Output | Instance, Attached]]:
    """Each file that came along, with the stored output or problem that it belongs to."""
    for (system, problem, attempt), files in staged.attachments.items():
        instance = release.instances.get(key=problem)
        subject: Output | Instance = instance
        if system:
            subject = Output.objects.get(
                run__release=release, run__system__slug=system, instance=instance, attempt=attempt
            )
        for one in files:
            yield subject, one


def _report(
    staged: Staged, rules: Protocol, stored: Release | None, release: str, runs: list[dict[str, Any]]
) -> dict[str, Any]:
    is_new = stored is None
    return {
        "release": release,
        "protocol": rules.name,
        "new": is_new,
        "instances": staged.problems.count if staged.problems and is_new else 0,
        "runs": runs,
        "changed": is_new or any(run["changed"] for run in runs),
        "pictures": len(staged.missing),
        "missing": staged.missing[:FIRST],
        **summary_of(staged),
    }


def _texts(staged: Staged, rules: Protocol) -> Iterator[tuple[str, str, str]]:
    """Every text that people will read, with the place that it comes from."""
    if staged.problems and staged.problems.count:
        for each in rules.read_release(staged.problems.path):
            if isinstance(each, InstanceRecord):
                for part in rules.instance_parts(each.payload):
                    yield staged.problems.place(each.line), part.text, part.text_format
    for lines in staged.runs.values():
        for output in rules.read_outputs(lines.path):
            if isinstance(output, OutputRecord) and output.state == "answered":
                for part in rules.output_parts(output.payload, output.text, output.text_format):
                    yield lines.place(output.line), part.text, part.text_format
