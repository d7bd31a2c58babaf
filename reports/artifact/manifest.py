"""What a release and its runs consist of, by hash: so that an artifact says which files its labels are about.

The hashes chain: instances give the release's hash, outputs give their run's (benchmark/canonical.py).
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmark.canonical import collection_sha256
from benchmark.importing.survey import output_key
from benchmark.models import Release
from benchmark.releases.integrity import withheld_hash
from reports.core.datasets import PLAIN, OutputRow, Unreleased
from reports.scores.inputs import rows_as_json, rows_from_json

_CHUNK = 5000


@dataclass(frozen=True)
class InstanceHash:
    key: str
    sha256: str


@dataclass(frozen=True)
class RunHash:
    """A system's run with the hash over all its outputs."""

    system: str
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The instances of a release, by key, and the runs of one track, by system."""

    instances: tuple[InstanceHash, ...]
    runs: tuple[RunHash, ...]

    def as_json(self) -> dict[str, list[list[Any]]]:
        """Plain JSON values."""
        return {key: rows_as_json(getattr(self, key)) for key in _TABLES}

    def only(self, systems: Collection[str]) -> "Manifest":
        """The same with the runs of these systems alone."""
        return replace(self, runs=tuple(run for run in self.runs if run.system in systems))

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Manifest":
        """The inverse of as_json. Raises ValueError naming what does not fit."""
        return cls(
            **{key: rows_from_json(kind, document.get(key), key) for key, kind in _TABLES.items()}  # type: ignore[arg-type]
        )


_TABLES = {"instances": InstanceHash, "runs": RunHash}


def read_manifest(release: Release, track: str, condition: str = PLAIN) -> Manifest:
    """The hashes as they were stored at import."""
    instances = release.instances.order_by("key").values_list("key", "sha256")
    runs = release.runs.filter(track=track, condition=condition).order_by("system__slug")
    return Manifest(
        instances=tuple(InstanceHash(*row) for row in instances.iterator(chunk_size=_CHUNK)),
        runs=tuple(RunHash(*row) for row in runs.values_list("system__slug", "sha256")),
    )


def broken_chains(
    manifest: Manifest,
    release_sha256: str,
    outputs: Sequence[OutputRow],
    unreleased: Sequence[Unreleased] = (),
) -> Iterator[tuple[str, str, str]]:
    """(JSON path, expected, found) for every hash that does not follow from the hashes below it.

    A public record has no hash of an answer that it does not show, and so none of its run.
    """
    expected = collection_sha256(sorted((row.key, row.sha256) for row in manifest.instances))
    if expected != release_sha256:
        yield "inputs.release_sha256", expected, release_sha256
    of_system: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in outputs:
        of_system[row.system].append((output_key(row.instance, row.attempt), row.sha256))
    for mark in unreleased:
        of_system[mark.system].append(withheld_hash(mark.instance))
    for at, run in enumerate(manifest.runs):
        below = sorted(of_system.pop(run.system, []))
        expected = collection_sha256(below) if all(sha256 for _, sha256 in below) else ""
        if expected != run.sha256:
            yield f"manifest.runs[{at}][1]", expected, run.sha256
    for system in sorted(of_system):
        yield "manifest.runs", f"a run of {system}", "none"
