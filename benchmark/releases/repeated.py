"""Versions of one paper and duplicates in a stored release."""

from functools import lru_cache

from benchmark.models import Instance, Release
from benchmark.overlaps import OverlapIndex, Overlaps
from benchmark.protocols import get_protocol

_CHUNK = 500


def overlaps_of(release: Release) -> Overlaps:
    """What the release has more than once; computed once for each content while the process lives."""
    return _overlaps(release.sha256, release.pk, release.benchmark.protocol)


@lru_cache(maxsize=100)
def _overlaps(content_sha256: str, pk: int, protocol: str) -> Overlaps:
    passage_of = get_protocol(protocol).passage_of
    fields = ("key", "paper__key", "payload") if passage_of else ("key", "paper__key")
    with OverlapIndex(passage_of) as index:
        for key, paper, *payload in Instance.objects.filter(release=pk).values_list(*fields).iterator(_CHUNK):
            index.add(key, paper, payload[0] if payload else {})
        return index.found()
