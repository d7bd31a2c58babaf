"""Where the files of records are: written once at publishing, below a name that nobody can ask for until complete.

What changes later is written next to them: bands on the pages, the badge of what is withdrawn, the list of all records,
feeds. It follows from the rows, so that `manage.py write_records` can write it again at any time.
"""

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape

from accounts.refusal import Refused
from reports.models import PublicRecord
from reports.records.declared import Declared
from reports.records.site import BAND, NEWER, OLDER, archive_name, build, site_address, style_sheet

_UNFINISHED = ".unfinished-"  # how names of what is being written begin
_LEFT_AFTER = 24 * 3600.0  # seconds; writing takes a few
NEWEST = ".newest"  # in the folder of a name: the number of the version to which its address leads
_NO_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")  # characters that no XML can hold


def root() -> Path:
    return Path(settings.RECORD_DIR)


def write_version(row: PublicRecord, files: Mapping[str, bytes]) -> None:
    """Put the files of a version in their place, all at once; those that are there stay, if they are the version's."""
    if not is_written(row):
        put_in_place(row, write_aside(row, files))


def write_aside(row: PublicRecord, files: Mapping[str, bytes]) -> Path:
    """Write the files next to their place, in a folder that nobody can ask for, and return it.

    Raises Refused where they cannot be written: the disk is full, or the folder belongs to another user.
    """
    parent = root() / row.name
    waiting = None
    try:
        parent.mkdir(parents=True, exist_ok=True)
        waiting = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=parent))
        for name, content in files.items():
            path = waiting / "made" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        if waiting:
            shutil.rmtree(waiting, ignore_errors=True)
        raise Refused(
            f"The files of the record cannot be written: {error.strerror}.", code="no_files"
        ) from error
    return waiting


def put_in_place(row: PublicRecord, waiting: Path) -> None:
    """Move what `write_aside` wrote to its place, unless the files of the version are there."""
    place = root() / row.name / str(row.version)
    try:
        if is_written(row):
            return
        if place.exists():  # of a database that is gone
            shutil.rmtree(place)
        (waiting / "made").rename(place)
    except OSError:
        if not is_written(row):  # else somebody was faster, with the same bytes
            raise
    finally:
        shutil.rmtree(waiting, ignore_errors=True)


def is_written(row: PublicRecord) -> bool:
    """Whether the files of the version are in their place."""
    archive = root() / row.name / str(row.version) / f"{row.name}-{row.version}.zip"
    return archive.is_file() and hashlib.sha256(archive.read_bytes()).hexdigest() == row.archive_sha256


def write_missing() -> list[str]:
    """Write the files of every version that has none, and all that changes later. Returns the names of the versions.

    Raises Refused, at the end, where this code makes other bytes than were published: then only a backup has them.
    """
    written, others = [], []
    for row in PublicRecord.objects.select_related("artifact__release__benchmark").order_by(
        "name", "version"
    ):
        if is_written(row):
            continue
        declared = Declared.from_json(row.declared)
        files = build(row.artifact.release, row.artifact.content, declared)
        found = hashlib.sha256(files[archive_name(declared)]).hexdigest()
        if found != row.archive_sha256:
            others.append(str(row))
        else:
            write_version(row, files)
            written.append(str(row))
    for name in PublicRecord.objects.order_by("name").values_list("name", flat=True).distinct():
        refresh(name)
    write_list()
    _remove_left()
    if others:
        raise Refused(
            f"{', '.join(others)}: published by other code, which made other files; restore them from a backup.",
            code="other_files",
        )
    return written


@contextmanager
def _in_turn() -> Iterator[None]:
    """Of two who write what follows from the rows the second reads them after the first has written."""
    root().mkdir(parents=True, exist_ok=True)
    with (root() / ".turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


@_in_turn()
def _remove_left() -> None:
    """Remove what processes that died were writing: texts of records that may never have been published."""
    before = time.time() - _LEFT_AFTER
    for path in list(root().rglob(f"{_UNFINISHED}*")):
        if path.stat().st_mtime >= before:
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@_in_turn()
def refresh(name: str) -> None:
    """Bands on the pages of all versions of a name, badges of withdrawn ones, where its address leads, and its feed."""
    rows = list(PublicRecord.objects.filter(name=name).order_by("version"))
    current = [row for row in rows if row.withdrawn_at is None] or rows
    newest = current[-1]
    versions = [(row, Declared.from_json(row.declared)) for row in reversed(rows)]
    for row, declared in versions:
        folder = root() / name / str(row.version)
        if not (folder / archive_name(declared)).is_file():
            continue  # lost; `write_records` writes it again and comes back here
        context = {
            "row": row,
            "newest": newest if newest.version > row.version and not newest.withdrawn_at else None,
            "site": site_address(declared),
        }
        others = [
            render_to_string("reports/records/_versions.html", {"versions": some})
            for some in (
                [one for one in versions if one[0].version > row.version],
                [one for one in versions if one[0].version < row.version],
            )
        ]
        added = (
            (BAND, render_to_string("reports/records/_band.html", context)),
            (NEWER, others[0]),
            (OLDER, others[1]),
        )
        with zipfile.ZipFile(folder / archive_name(declared)) as packed:
            prefix = f"{name}-{row.version}/"
            for entry in packed.namelist():
                if entry.endswith(".html"):
                    page = packed.read(entry).decode()
                    for place, html in added:
                        page = page.replace(place, html)
                    _replace(folder / entry.removeprefix(prefix), page.encode())
        if row.withdrawn_at:
            badge = {"basis": "withdrawn", "record": declared}
            _replace(folder / "badge.svg", render_to_string("reports/records/badge.svg", badge).encode())
    _replace(root() / name / NEWEST, str(newest.version).encode())
    _replace(root() / name / "feed.atom", _feed(f"Versions of {name}", rows, f"{name}/"))


@_in_turn()
def write_list() -> None:
    """The list of all records with its feed: of each name the version to which its address leads."""
    rows = list(PublicRecord.objects.order_by("-published_at", "-pk"))
    newest: dict[str, PublicRecord] = {}
    for row in sorted(rows, key=lambda row: (row.withdrawn_at is None, row.version)):
        newest[row.name] = row
    listed = [
        {"row": row, "record": Declared.from_json(row.declared), "address": f"{row.name}/{row.version}/"}
        for row in sorted(newest.values(), key=lambda row: row.published_at, reverse=True)
    ]
    page = render_to_string("reports/records/list.html", {"listed": listed})
    _replace(root() / "index.html", page.encode())
    _replace(root() / "record.css", style_sheet())
    icon = Path(settings.BASE_DIR) / "static" / "img" / "touchstone.svg"
    _replace(root() / "touchstone.svg", icon.read_bytes())
    _replace(root() / "feed.atom", _feed("Public records", rows, ""))


def _feed(title: str, rows: list[PublicRecord], below: str) -> bytes:
    """An Atom feed with an entry for every version, newest first; a withdrawal changes the entry."""
    site = f"{settings.SITE_URL}{reverse('record-list')}{below}"
    feed = Atom1Feed(title, site, "", feed_url=f"{site}feed.atom", author_name="Touchstone")
    for row in sorted(rows, key=lambda row: (row.published_at, row.version), reverse=True):
        declared = Declared.from_json(row.declared)
        withdrawn = "Withdrawn: " if row.withdrawn_at else ""
        plain = "First publication." if row.version == 1 else "New version."
        said = row.withdrawn_reason or declared.changes or plain
        feed.add_item(
            _NO_XML.sub("", f"{withdrawn}{declared.title}, version {row.version}"),
            declared.address,
            escape(_NO_XML.sub("", said)),  # a summary is HTML
            unique_id=declared.address,
            pubdate=row.published_at,
            updateddate=row.withdrawn_at or row.published_at,
        )
    return feed.writeString("utf-8").encode()


def _replace(path: Path, content: bytes) -> None:
    """Write a file so that readers see the old one or the new one; one that is the same keeps its date."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, waiting = tempfile.mkstemp(prefix=_UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.chmod(waiting, 0o644)
        os.replace(waiting, path)
    except OSError:
        os.unlink(waiting)
        raise
