"""What is read of attached files. Originals are joined for staff only: blinded requests cannot read them."""

from collections.abc import Iterable

from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from benchmark.models import Attachment, Instance, Output, OutputState, Release
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol

FILES = "files"
WITHOUT = ("copy__data", "copy__words", "copy__kept")


def attachments() -> QuerySet[Attachment]:
    """Attachments in order with their copies, but without words and bytes."""
    return Attachment.objects.select_related("copy").defer(*WITHOUT).order_by("number")


def load_files(rows: Iterable[Output | Instance], *, named: bool = False) -> None:
    """Give each of these rows of one model its `files`, with one query; `named` for staff, with their names."""
    wanted = attachments()
    if named:
        wanted = wanted.select_related("original").defer(*WITHOUT, "original__data")
    prefetch_related_objects(list(rows), Prefetch("attachments", wanted, to_attr=FILES))


def files_of(row: Output | Instance) -> list[Attachment]:
    """The files of an output or instance; without a query where they were loaded."""
    if not hasattr(row, FILES):
        load_files([row])
    found: list[Attachment] = getattr(row, FILES)
    return found


def no_files(row: Output | Instance) -> None:
    """Note that the row has no file, which is known from elsewhere."""
    setattr(row, FILES, [])


def only_in_files(release: Release) -> list[int]:
    """Answered outputs with nothing to read but attached files: people read them, judges cannot."""
    protocol = get_protocol(release.benchmark.protocol)
    rows = Output.objects.filter(run__release=release, state=OutputState.ANSWERED, text="")
    return [
        row.pk
        for row in rows.filter(attachments__isnull=False).distinct()
        if not protocol.output_parts(row.payload, row.text, row.text_format)[0].text.strip()
    ]


def takes_files_alone(rules: Protocol) -> bool:
    """Whether an output of this protocol may be a PDF alone."""
    return "in_files" in rules.output_line.model_fields


def nothing_to_read(release: Release) -> QuerySet[Output]:
    """Answered outputs whose text was to be in a file, and which have none yet."""
    rows = Output.objects.filter(
        run__release=release, state=OutputState.ANSWERED, text="", attachments__isnull=True
    )
    return rows if takes_files_alone(get_protocol(release.benchmark.protocol)) else rows.none()
