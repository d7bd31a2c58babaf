"""Hashes of content: the same content has the same hash, however its file was written.

A record's hash is SHA-256 over its canonical JSON (sorted keys, no spaces, UTF-8). The hash of a release or a
run is SHA-256 over the lines `key TAB hash LF` of its records in the order of their keys (by code point).
"""

import hashlib
from collections.abc import Iterable

from benchmark.protocol import InstanceRecord, OutputRecord, PaperRecord
from canonical import sha256_of


def paper_content(paper: PaperRecord) -> dict[str, object]:
    """The fields of a paper that are hashed."""
    return {
        "key": paper.key,
        "title": paper.title,
        "year": paper.year,
        "identifiers": dict(paper.identifiers),
    }


def instance_content(record: InstanceRecord) -> dict[str, object]:
    """The fields of an instance that are hashed, with its paper."""
    return {
        "instance": record.key,
        "domain": record.domain,
        "split": record.split,
        "paper": paper_content(record.paper) if record.paper else None,
        "payload": record.payload,
    }


def instance_sha256(record: InstanceRecord) -> str:
    """The hash of an instance with its paper."""
    return sha256_of(instance_content(record))


def output_content(record: OutputRecord) -> dict[str, object]:
    """The fields of an output that are hashed."""
    return {
        "instance": record.instance,
        "attempt": record.attempt,
        "state": record.state,
        "text": record.text,
        "text_format": record.text_format,
        "payload": record.payload,
    }


def output_sha256(record: OutputRecord) -> str:
    """The hash of an output; its run and system are not part of it."""
    return sha256_of(output_content(record))


def collection_sha256(pairs: Iterable[tuple[str, str]]) -> str:
    """The hash of (key, hash) pairs, which must come in the order of their keys."""
    total = hashlib.sha256()
    for key, sha256 in pairs:
        total.update(f"{key}\t{sha256}\n".encode())
    return total.hexdigest()
