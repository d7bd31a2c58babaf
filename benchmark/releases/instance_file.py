"""The instances of a release, and the outputs of a run, as JSON Lines files with the same bytes on every machine.

A line is the canonical JSON that a hash is taken of (benchmark/canonical.py): its SHA-256, without the line feed, is
that of the instance or output. Lines are in the order of their keys, by code point. Both files are imported again as
they are (benchmark/importing/exported.py).
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from accounts.refusal import Refused
from benchmark.canonical import instance_content, output_content
from benchmark.models import Instance, Release, Run
from benchmark.protocol import withheld_record
from benchmark.protocols import get_protocol
from benchmark.releases.integrity import instance_record, output_record
from canonical import canonical_json

MEDIA_TYPE = "application/jsonlines"
_CHUNK = 500


@dataclass(frozen=True)
class FileFacts:
    """Hash and size in bytes of a file."""

    sha256: str
    size: int


def instance_lines(release: Release) -> Iterator[bytes]:
    """The lines of the file, each with its line feed."""
    order = sorted(release.instances.values_list("key", "pk"))
    for row in _by_chunks(release, [pk for _, pk in order]):
        yield canonical_json(instance_content(instance_record(row))) + b"\n"


def output_lines(run: Run) -> Iterator[bytes]:
    """The outputs of a run in the same way, by instance and attempt, with those that were not released."""
    order: list[tuple[str, int, int]] = [
        *run.outputs.values_list("instance__key", "attempt", "pk"),
        *((key, 0, 0) for key in run.unreleased.values_list("instance__key", flat=True)),
    ]
    order.sort()
    for start in range(0, len(order), _CHUNK):
        chunk = order[start : start + _CHUNK]
        rows = run.outputs.select_related("instance").in_bulk([pk for *_, pk in chunk if pk])
        for key, _, pk in chunk:
            record = output_record(rows[pk]) if pk else withheld_record(key)
            yield canonical_json(output_content(record)) + b"\n"


def published_lines(release: Release) -> Iterator[str]:
    """The instances as lines of the file that their benchmark publishes, by key, with the numbers in it by their size.

    Raises Refused where the protocol has no such format.
    """
    write = get_protocol(release.benchmark.protocol).published_line
    if write is None:
        raise Refused(f"{release.benchmark.protocol} has no published format of its own.", code="no_format")
    order = [
        (re.sub(r"\d+", lambda number: number[0].zfill(20), key), pk)
        for key, pk in release.instances.values_list("key", "pk")
    ]
    return (write(row.payload) + "\n" for row in _by_chunks(release, [pk for _, pk in sorted(order)]))


def _by_chunks(release: Release, keys: Sequence[int]) -> Iterator[Instance]:
    """The instances with these primary keys, in their order."""
    for start in range(0, len(keys), _CHUNK):
        rows = release.instances.select_related("paper").in_bulk(keys[start : start + _CHUNK])
        yield from (rows[pk] for pk in keys[start : start + _CHUNK])


def file_facts(release: Release) -> FileFacts:
    """Hash and size of the file; computed once for each content while the process lives."""
    return _facts(release.sha256, release.pk)


@lru_cache(maxsize=100)
def _facts(content_sha256: str, pk: int) -> FileFacts:
    total, size = hashlib.sha256(), 0
    for line in instance_lines(Release.objects.get(pk=pk)):
        total.update(line)
        size += len(line)
    return FileFacts(total.hexdigest(), size)
