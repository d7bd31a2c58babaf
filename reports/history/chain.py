"""The chain of history: each sealed row's hash goes into the next link, so that no past row changes unseen.

Guards already refuse changes (accounts/database/guards.py); the chain finds what got past them: a restored table, a
guard lifted by somebody with the database's password. Anyone who kept an old head (position and hash) can check
that everything up to it is still as it was.

Sealing runs behind the requests, so that submits do not wait for one another. A row that commits late, with a
lower number than one that is sealed already, is sealed by a later pass.
"""

import datetime as dt
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypedDict, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from reports.history.kinds import BY_KEY, KINDS, HistoryKind, hashes
from reports.models import HistoryLink

START = "0" * 64  # what comes before the first link
BATCH = 500
LATE_ROWS = 100_000  # how far below the last sealed row of a table late ones are looked for

T = TypeVar("T")


@dataclass(frozen=True)
class Head:
    """Where the chain ends: how many links, and the hash of the last."""

    position: int
    chain: str

    def __str__(self) -> str:
        return f"{self.position}:{self.chain}"


@dataclass(frozen=True)
class HistoryFault:
    """Something that does not fit, at a position of the chain (0: in rows that no link covers)."""

    position: int
    words: str

    def __str__(self) -> str:
        return f"link {self.position}: {self.words}" if self.position else self.words


def head() -> Head:
    """The last link; position 0 and START of an empty chain."""
    last = HistoryLink.objects.order_by("-position").values_list("position", "chain").first()
    return Head(*last) if last else Head(0, START)


def chained(before: str, kind: str, version: int, row: int, sha256: str) -> str:
    """The hash of a link: SHA-256 of "before kind version row hash", with blanks between."""
    return hashlib.sha256(f"{before} {kind} {version} {row} {sha256}".encode()).hexdigest()


def seal() -> int:
    """Link every row that is not in the chain yet; returns how many.

    Two sealers at once want the same position: one of them is refused by the database and leaves the rest to
    the other.
    """
    sealed = 0
    for kind in KINDS:
        last = HistoryLink.objects.filter(kind=kind.key).aggregate(last=Max("row"))["last"] or 0
        version = len(kind.versions)
        unsealed = _open_rows(kind, last - LATE_ROWS).order_by("pk").values_list("pk", flat=True)
        for rows in _batches(list(unsealed.iterator())):
            try:
                with transaction.atomic():
                    end, links = head(), []
                    for row, sha256 in hashes(kind.versions[-1], rows).items():
                        chain = chained(end.chain, kind.key, version, row, sha256)
                        end = Head(end.position + 1, chain)
                        link = {"kind": kind.key, "version": version, "row": row, "sha256": sha256}
                        links.append(HistoryLink(position=end.position, chain=chain, **link))
                    HistoryLink.objects.bulk_create(links)
            except IntegrityError:
                return sealed
            sealed += len(links)
    return sealed


class History(TypedDict):
    """Head, time of the last link, and counts by kind."""

    head: str
    sealed_at: dt.datetime | None
    sealed: dict[str, int]
    waiting: dict[str, int]


def history_document() -> History:
    """What the chain covers now."""
    last = HistoryLink.objects.order_by("-position").values_list("sealed_at", flat=True).first()
    counted = dict(HistoryLink.objects.values_list("kind").annotate(links=Count("pk")).order_by())
    return {
        "head": str(head()),
        "sealed_at": last,
        "sealed": {kind.key: counted.get(kind.key, 0) for kind in KINDS},
        "waiting": waiting(),
    }


def waiting() -> dict[str, int]:
    """How many rows of each kind no link covers yet."""
    return {kind.key: _open_rows(kind).count() for kind in KINDS}


def faults() -> Iterator[HistoryFault]:
    """Every link that does not follow from the one before it or from the row it names."""
    before, position = START, 0
    links = HistoryLink.objects.order_by("position").iterator(chunk_size=BATCH)
    for batch in _batches(links):
        # today's hash of what each link names
        now: dict[int, str] = {}
        of_table = defaultdict(list)
        for link in batch:
            of_table[link.kind, link.version].append(link)
        for (kind, version), members in of_table.items():
            found = hashes(BY_KEY[kind].versions[version - 1], [link.row for link in members])
            now |= {link.pk: found[link.row] for link in members if link.row in found}
        for link in batch:
            position += 1
            if link.position != position:
                yield HistoryFault(link.position, f"is where link {position} should be: one is missing")
                position = link.position
            if link.chain != chained(before, link.kind, link.version, link.row, link.sha256):
                yield HistoryFault(position, "does not follow from the link before it")
            if now.get(link.pk) != link.sha256:
                state = "is not what was sealed" if link.pk in now else "is gone"
                yield HistoryFault(position, f"{link.kind} {link.row} {state}")
            before = link.chain


def fault_of(expected: Head) -> HistoryFault | None:
    """What is wrong with a head that somebody kept: None if the chain still has it."""
    if expected.position == 0:
        return None if expected.chain == START else HistoryFault(0, "a chain without links has another start")
    link = HistoryLink.objects.filter(position=expected.position).first()
    if link is None:
        return HistoryFault(expected.position, "is not there; the chain is shorter than it was")
    if link.chain != expected.chain:
        return HistoryFault(expected.position, f"is {link.chain}, and was {expected.chain}")
    return None


def _batches(members: Iterable[T]) -> Iterator[tuple[T, ...]]:
    several = iter(members)
    return iter(lambda: tuple(islice(several, BATCH)), ())


def _open_rows(kind: HistoryKind, above: int = 0) -> QuerySet[Any]:
    links = HistoryLink.objects.filter(kind=kind.key, row=OuterRef("pk"))
    return kind.model._default_manager.filter(~Exists(links), pk__gt=above)
