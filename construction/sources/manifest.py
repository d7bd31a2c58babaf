"""The manifest: a table (CSV) that says what is known of the papers in files. Pure."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from accounts.refusal import Refused
from benchmark.citations.identifiers import doi
from stats.tables.raw_rows import separator_of

COLUMNS = (
    "file", "key", "version", "title", "authors", "year", "category", "domain", "licence", "published_title",
    "published_authors", "published_year", "published_venue", "published_doi",
)  # fmt: skip
_MOST_BYTES = 20_000_000
_LONGEST = {
    "file": 300, "key": 200, "version": 20, "title": 1000, "category": 100, "domain": 100, "licence": 100,
    "published_title": 1000, "published_venue": 500, "published_doi": 300,
}  # fmt: skip
_MOST_AUTHORS = 5_000


@dataclass(frozen=True)
class Fault:
    """What is wrong with a line of a manifest; line 1 is the header, and `field` is empty for a line as a whole."""

    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}{f', {self.field}' if self.field else ''}: {self.reason}"


class FaultyManifest(Refused):
    """A manifest that was refused as a whole, with all its `faults`."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        first = faults[0]
        super().__init__(first.reason, code="bad_manifest", line=first.line, field=first.field or "manifest")

    def further(self) -> dict[str, object]:
        return {"faults": [asdict(fault) for fault in self.faults]}

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


@dataclass(frozen=True)
class Published:
    """The published paper of a source, as somebody gave it."""

    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    doi: str = ""


@dataclass(frozen=True)
class ManifestRow:
    """What is known about one source. Empty fields are not known; `line` is its line in the table, 0 without one."""

    file: str = ""
    key: str = ""
    version: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    category: str = ""
    domain: str = ""
    licence: str = ""
    published: Published | None = None
    line: int = field(default=0, compare=False)

    def as_json(self) -> dict[str, object]:
        """For a row of the database."""
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "ManifestRow":
        """What `as_json` gave."""
        published = said["published"]
        made = Published(**{**published, "authors": tuple(published["authors"])}) if published else None
        return cls(**{**said, "authors": tuple(said["authors"]), "published": made})


def read_manifest(content: bytes) -> list[ManifestRow]:
    """The rows of a CSV file in UTF-8, with commas, semicolons or tabs. Raises FaultyManifest with all faults."""
    if len(content) > _MOST_BYTES:
        raise FaultyManifest([Fault(1, "", f"a manifest has at most {_MOST_BYTES // 1_000_000} MB")])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FaultyManifest([Fault(line, "", "is not UTF-8; save the table as CSV in UTF-8")]) from None
    if "\0" in text:
        raise FaultyManifest(
            [Fault(text[: text.index("\0")].count("\n") + 1, "", "contains a NUL character")]
        )
    separator = separator_of(text.partition("\n")[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[ManifestRow] = []
    faults: list[Fault] = []
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        faults += _of_header(names)
        if faults:
            raise FaultyManifest(faults)
        end = reader.line_num
        for cells in reader:
            line, end = end + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(names):
                reason = f"has {len(cells)} cells, and the header has {len(names)}"
                faults.append(Fault(line, "", reason))
                continue
            rows.append(_row(dict(zip(names, (cell.strip() for cell in cells), strict=True)), line, faults))
    except csv.Error as error:
        faults.append(Fault(reader.line_num or 1, "", f"is not CSV: {error}"))
    files, keys = dict[str, int](), dict[tuple[str, str], int]()
    for row in rows:
        if row.file and (first := files.setdefault(row.file, row.line)) != row.line:
            faults.append(Fault(row.line, "file", f"{row.file[:80]!r} is named on line {first} already"))
        if row.key and (first := keys.setdefault((row.key, row.version), row.line)) != row.line:
            reason = f"{row.key[:80]}{row.version} is named on line {first} already"
            faults.append(Fault(row.line, "key", reason))
    if not rows and not faults:
        faults.append(Fault(1, "", "has no rows below the header"))
    if faults:
        raise FaultyManifest(sorted(faults, key=lambda fault: fault.line))
    return rows


def row_of(name: str, rows: Iterable[ManifestRow]) -> ManifestRow | None:
    """The row for a file: of its whole path, else of its last name."""
    by_file = {row.file: row for row in rows if row.file}
    return by_file.get(name) or by_file.get(PurePosixPath(name).name)


def missing_files(rows: Iterable[ManifestRow], names: Iterable[str]) -> list[tuple[int, str]]:
    """(line, file) of the rows whose file is not among these."""
    there = {wanted for name in names for wanted in (name, PurePosixPath(name).name)}
    return [(row.line, row.file) for row in rows if row.file and row.file not in there]


def _of_header(names: list[str]) -> list[Fault]:
    if not names:
        return [Fault(1, "", "is empty")]
    known = ", ".join(COLUMNS)
    faults = [
        Fault(1, name[:60] or "header", f"unknown column; known are {known}")
        for name in names
        if name not in COLUMNS
    ]
    faults += [Fault(1, name, "appears twice") for name in sorted(set(names)) if names.count(name) > 1]
    if not faults and not {"file", "key"} & set(names):
        faults.append(Fault(1, "header", "needs a column file or key, which says what its rows are about"))
    return faults


def _row(said: Mapping[str, str], line: int, faults: list[Fault]) -> ManifestRow:
    for name, most in _LONGEST.items():
        if len(said.get(name, "")) > most:
            faults.append(Fault(line, name, f"has more than {most:,} characters"))
    if not said.get("file") and not said.get("key"):
        faults.append(Fault(line, "file", "is empty, and so is key: give one of them"))
    years: dict[str, int | None] = {}
    latest = datetime.now(UTC).year + 1
    for name in ("year", "published_year"):
        text = said.get(name, "")
        is_year = text.isascii() and text.isdigit() and 1500 <= int(text[:9]) <= latest
        if text and not is_year:
            faults.append(Fault(line, name, f"{text[:40]!r} is not a year from 1500 to {latest}"))
        years[name] = int(text) if is_year else None
    people = {}
    for name in ("authors", "published_authors"):
        people[name] = tuple(filter(None, (one.strip() for one in said.get(name, "").split(";"))))
        if len(people[name]) > _MOST_AUTHORS or any(len(one) > 300 for one in people[name]):
            faults.append(
                Fault(line, name, "separate the names with semicolons; each has at most 300 characters")
            )
    published = None
    if any(said.get(name) for name in COLUMNS if name.startswith("published_")):
        if not said.get("published_title"):
            faults.append(
                Fault(line, "published_title", "is empty, but other fields of the published paper are given")
            )
        given = said.get("published_doi", "")
        if given and not doi(given):
            faults.append(Fault(line, "published_doi", f"{given[:80]!r} is not a DOI"))
        published = Published(
            said.get("published_title", ""), people["published_authors"], years["published_year"],
            said.get("published_venue", ""), doi(given),
        )  # fmt: skip
    plain = {
        name: said.get(name, "")
        for name in ("file", "key", "version", "title", "category", "domain", "licence")
    }
    if plain["version"].isdecimal():  # "v2", as arXiv writes it and names of files have it
        plain["version"] = f"v{plain['version']}"
    return ManifestRow(**plain, authors=people["authors"], year=years["year"], published=published, line=line)
