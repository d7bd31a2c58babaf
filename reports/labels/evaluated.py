"""Verdicts in a result file of a benchmark's own evaluator, as rows of the label table."""

import re
from pathlib import Path

from benchmark.importing.keyindex import KeyIndex
from benchmark.importing.progress import silent
from benchmark.importing.records import RecordError
from benchmark.importing.survey import survey_outputs
from benchmark.models import Release
from benchmark.protocols import get_protocol
from benchmark.subjects import Subject
from reports.labels.faults import LabelRow
from stats.tables.labels import CHECKS

PUBLISHED = "as published"
_NOT_IN_SLUG = re.compile(r"[^a-z0-9_]+")


def is_of_evaluator(path: Path, release: Release) -> bool:
    """Whether the file is one of the release's own evaluator with at least one verdict or fault."""
    read = get_protocol(release.benchmark.protocol).read_verdicts
    return read is not None and next(iter(read(path)), None) is not None


def evaluated_rows(path: Path, release: Release, file: str) -> list[LabelRow]:
    """The verdicts about the run that was imported from this very file, each named after the judge in it.

    Raises RecordError if the protocol has no such files, the file has no verdict or a fault, or its outputs are not
    those of exactly one run of the release.
    """
    read = get_protocol(release.benchmark.protocol).read_verdicts
    if read is None:
        raise RecordError(f"{release.benchmark.name} has no evaluator whose files are known")
    records = list(read(path))
    if faults := [one for one in records if isinstance(one, RecordError)]:
        raise faults[0]
    if not records:
        raise RecordError("holds no verdict of the benchmark's evaluator")
    with KeyIndex() as instances, KeyIndex() as index:
        for key in release.instances.values_list("key", flat=True):
            instances.add(key, "")
        outputs = get_protocol(release.benchmark.protocol).read_outputs(path)
        sha256 = survey_outputs(outputs, index, instances, silent).sha256
    runs = list(release.runs.filter(sha256=sha256).select_related("system"))
    if not runs:
        raise RecordError("its outputs are not a run of this release; import them first, from the same file")
    if len(runs) > 1:
        names = ", ".join(sorted(run.system.slug for run in runs))
        raise RecordError(f"several runs have exactly these outputs: {names}")
    run, rows = runs[0], []
    for record in records:
        assert not isinstance(record, RecordError)
        cells = {
            "question": record.predicate,
            "subject": str(
                Subject(record.instance, run.system.slug, record.attempt, run.track, run.condition)
            ),
            "rater": _NOT_IN_SLUG.sub("-", record.judge.lower()).strip("-")[:100] or "judge",
            "rater_kind": "judge",
            "vote": "1",
            "value": record.value,
            "state": "answered",
            "confidence": "" if record.confidence is None else repr(float(record.confidence)),
            "comment": record.reason,
            "judge_version": f"{record.judge}, {PUBLISHED}"[:200],
        }
        rows.append(LabelRow(record.line, {name: CHECKS[name](cells.get(name, "")) for name in CHECKS}, file))
    return rows
