"""Querysets of sources: lists with their counts, what was found in one, and its statements."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from construction.models import Pairing, Reading, Source, SourceState
from construction.reading.pairs import Pair
from latex import OUTLINE_VERSION

READ_AGAIN = ("too_slow", "too_long", "too_large", "not_read")  # codes that a better program may not give


def listed() -> QuerySet[Source]:
    """Sources in the order of their keys, with what was counted in them."""
    counts = ("statements", "proofs", "paired", "citations", "formulas", "version")
    rows = Source.objects.select_related("reading", "publication").only(
        "key", "version", "sha256", "name", "form", "title", "authors", "year", "category", "domain", "licence",
        "state", "code", "sentence", "main", "added_at", *(f"reading__{name}" for name in counts),
        "publication__found", "publication__decision",
    )  # fmt: skip
    return rows.order_by("key", "version")


def stale() -> QuerySet[Source]:
    """Sources that this program should read again."""
    current = Reading.objects.filter(source=OuterRef("pk"), version=OUTLINE_VERSION)
    readable = Q(state=SourceState.READABLE) & ~Exists(current)
    return Source.objects.filter(readable | Q(state=SourceState.UNREADABLE, code__in=READ_AGAIN))


def counted_by(field: str) -> list[tuple[str, int]]:
    """The values of a field with how many sources have each; "" is unknown."""
    rows = Source.objects.values_list(field).annotate(times=Count("pk")).order_by("-times", field)
    return list(rows)


def pairs_of(sources: Collection[Source]) -> dict[int, list[Pair]]:
    """What people say about proofs of these sources, by source and in the order of the files."""
    found: dict[int, list[Pair]] = {source.pk: [] for source in sources}
    fields = ("proof_file", "proof_start", "statement_file", "statement_start")
    rows = Pairing.objects.filter(source__in=sources).order_by("source", *fields)
    for source, *pair in rows.values_list("source", *fields):
        found[source].append(tuple(pair))
    return found


def statements_of(sources: QuerySet[Source]) -> Iterator[Mapping[str, Any]]:
    """Every statement of readable sources with its places and its text in standard LaTeX."""
    readable = sources.filter(state=SourceState.READABLE).select_related("reading").order_by("key", "version")
    for source in readable.iterator(chunk_size=20):
        reading = getattr(source, "reading", None)
        for one in reading.outline["statements"] if reading else ():
            (file, start, end), *more = one["places"]
            yield {
                "source": source.key, "version": source.version, "licence": source.licence, "kind": one["kind"],
                "number": one["number"], "title": one["title"], "labels": one["labels"], "file": file, "start": start,
                "end": end, "more": more, "text": one["text"],
            }  # fmt: skip
