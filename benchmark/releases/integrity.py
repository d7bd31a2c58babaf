"""Hashes recomputed from what is stored, to compare with what was imported."""

from collections.abc import Iterator
from itertools import chain

from benchmark.canonical import instance_sha256, output_sha256
from benchmark.importing.keyindex import KeyIndex
from benchmark.importing.survey import output_key
from benchmark.models import Instance, Output, Release, Run
from benchmark.protocol import InstanceRecord, OutputRecord, PaperRecord, withheld_record

CHUNK = 500


def release_sha256(release: Release) -> str:
    """The release's hash from its rows; equals `release.sha256` unless someone has bypassed the guards."""
    rows = release.instances.select_related("paper").iterator(CHUNK)
    return _collection((row.key, instance_sha256(instance_record(row))) for row in rows)


def instance_record(row: Instance) -> InstanceRecord:
    """An instance as its file gave it."""
    paper = None
    if of := row.paper:
        paper = PaperRecord(key=of.key, title=of.title, year=of.year, identifiers=of.identifiers)
    return InstanceRecord(key=row.key, domain=row.domain, split=row.split, payload=row.payload, paper=paper)


def run_sha256(run: Run) -> str:
    """The run's hash from its rows; equals `run.sha256`."""
    rows = run.outputs.select_related("instance").iterator(CHUNK)
    hashed = ((output_key(row.instance.key, row.attempt), output_record_sha256(row)) for row in rows)
    return _collection(chain(hashed, _withheld_hashes(run)))


def stored_run_sha256(run: Run) -> str:
    """The run's hash from the stored hashes of its outputs, without reading a text."""
    return _collection(stored_hashes(run))


def output_record_sha256(row: Output) -> str:
    """The hash of an output, with its instance, from its row."""
    return output_sha256(output_record(row))


def output_record(row: Output) -> OutputRecord:
    """An output as its file gave it."""
    return OutputRecord(
        instance=row.instance.key,
        attempt=row.attempt,
        state=row.state,
        text=row.text,
        text_format=row.text_format,
        payload=row.payload,
    )


def stored_hashes(run: Run) -> Iterator[tuple[str, str]]:
    """Key and stored hash of everything that a run holds, what was not released included."""
    rows = run.outputs.values_list("instance__key", "attempt", "sha256").iterator(CHUNK)
    return chain(((output_key(key, attempt), sha256) for key, attempt, sha256 in rows), _withheld_hashes(run))


def withheld_hash(instance: str) -> tuple[str, str]:
    """Key and hash by which a run's hash covers that the output for an instance was not released."""
    record = withheld_record(instance)
    return output_key(instance, record.attempt), output_sha256(record)


def _withheld_hashes(run: Run) -> Iterator[tuple[str, str]]:
    return map(withheld_hash, run.unreleased.values_list("instance__key", flat=True).iterator(CHUNK))


def _collection(pairs: Iterator[tuple[str, str]]) -> str:
    with KeyIndex() as index:
        for key, sha256 in pairs:
            index.add(key, sha256)
        return index.sha256()
