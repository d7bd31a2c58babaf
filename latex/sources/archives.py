"""Reading what an author submitted: one file or an archive, recognised by its first bytes, read in memory.

Nothing is written to disk, and no content raises an exception: a source that is refused has a code and a sentence.
"""

import hashlib
import io
import re
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Limits:
    """What is read of a source at most; sizes in bytes."""

    unpacked: int = 50_000_000
    ratio: int = 100  # times the size of the archive
    ratio_from: int = 1_000_000  # below this a ratio says nothing
    members: int = 2_000
    text: int = 10_000_000  # one file
    texts: int = 20_000_000  # all files: a letter takes up to four bytes of memory
    depth: int = 12  # folders within folders, the file included
    name: int = 255  # one part of a path
    header: int = 65_536  # of a tar: a long name or its extended attributes
    listing: int = 2_000_000  # of a zip: the list of its members


class Other(NamedTuple):
    """A file of the archive that is not read."""

    path: str
    size: int


class Note(NamedTuple):
    """Something that a reader of the source should know; of the file `path`."""

    code: str
    path: str
    sentence: str


@dataclass(frozen=True)
class Source:
    """What was submitted. `files` are its texts by path, `sha256` is of the bytes as they came.

    `form` is tex, tar, zip, pdf, postscript, html, withdrawn or unknown, with "gzip of " before it where it was
    packed. Where nothing can be read, `code` and `sentence` say why, and there are no files.
    """

    name: str
    form: str
    sha256: str
    files: dict[str, str] = field(default_factory=dict, repr=False)
    others: tuple[Other, ...] = ()
    notes: tuple[Note, ...] = ()
    code: str = ""
    sentence: str = ""


class _Member(NamedTuple):
    path: str
    size: int
    content: bytes | None  # None where it is not a text


_TEXTS = (".tex", ".ltx", ".latex", ".sty", ".cls", ".bbl", ".bib")
_NOT_TEX = {
    "pdf": "The source is a PDF, which has no LaTeX.",
    "postscript": "The source is PostScript, which has no LaTeX.",
    "html": "The source is a web page, which has no LaTeX.",
    "withdrawn": "The source is empty or only says that the paper was withdrawn.",
    "unknown": "The source is neither an archive nor LaTeX.",
}
_DECLARED = re.compile(rb"\\(?:usepackage|RequirePackage)[ \t]{0,9}\[([^\[\]]{1,80})\][ \t]{0,9}\{inputenc\}")
# Names of the package inputenc, and Python's for them.
_ENCODINGS = {
    "latin1": "latin-1", "latin2": "iso8859-2", "latin3": "iso8859-3", "latin4": "iso8859-4",
    "latin5": "iso8859-9", "latin9": "iso8859-15", "latin10": "iso8859-16", "ansinew": "cp1252",
    "cp1250": "cp1250", "cp1251": "cp1251", "cp1252": "cp1252", "cp1257": "cp1257", "cp437": "cp437",
    "cp850": "cp850", "cp852": "cp852", "cp865": "cp865", "cp866": "cp866", "koi8-r": "koi8-r",
    "koi8-u": "koi8-u", "applemac": "mac-roman",
}  # fmt: skip
_PACKED_KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError, IndexError,
               OverflowError)  # fmt: skip


class _Refused(Exception):
    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


def read(name: str, content: bytes, limits: Limits | None = None) -> Source:
    """The source in `content`. `name` decides nothing; it names the only file where there is no archive."""
    limits = limits or Limits()
    digest = hashlib.sha256(content).hexdigest()
    packed = ""
    form = "unknown"
    try:
        if len(content) > limits.unpacked:
            raise _Refused("too_large", f"The source has more than {limits.unpacked:,} bytes.")
        most = min(limits.unpacked, max(limits.ratio_from, limits.ratio * len(content)))
        if content.startswith(b"\x1f\x8b"):
            packed = "gzip of "
            stream = zlib.decompressobj(31)
            try:
                content = stream.decompress(content, most + 1)
            except zlib.error as error:
                raise _Refused("broken", "The gzip file is broken.") from error
            if len(content) > most:
                raise _Refused("too_large", f"The gzip file unpacks to more than {most:,} bytes.")
            if not stream.eof:
                raise _Refused("broken", "The gzip file ends too early.")
            if stream.unused_data.strip(b"\0"):
                raise _Refused("broken", "Something follows the end of the gzip file.")
        form = _form(content)
        if form in _NOT_TEX:
            code = form if form in ("withdrawn", "unknown") else f"{form}_only"
            raise _Refused(code, _NOT_TEX[form])
        if form == "tex":
            stem = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
            stem = re.sub(r"[^\w.-]", "_", stem)[:80].removesuffix(".gz").removesuffix(".tex").strip(".")
            members = iter([_Member(f"{stem or 'main'}.tex", len(content), content)])
        else:
            members = _of_tar(content, limits) if form == "tar" else _of_zip(content, limits, most)
        return _sorted_out(name, packed + form, digest, members, limits)
    except _Refused as refused:
        return Source(name, packed + form, digest, code=refused.code, sentence=refused.sentence)


def _form(content: bytes) -> str:
    start = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n\x04")
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if start.startswith(b"%!"):
        return "postscript"
    if start[:14].lower().startswith((b"<!doctype html", b"<html", b"<?xml")):
        return "html"
    if _header(content, 0) is not None:
        return "tar"
    if b"\0" in content:
        return "unknown"
    if len(content) < 5_000 and b"\\begin" not in content:
        said = content.lower()
        if not content.strip() or said.lstrip().startswith(b"%auto-ignore") or b"withdrawn" in said:
            return "withdrawn"
    return "tex" if b"\\" in content else "unknown"


def _header(content: bytes, at: int) -> tarfile.TarInfo | None:
    try:
        return tarfile.TarInfo.frombuf(content[at : at + 512], "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return None


def _of_tar(content: bytes, limits: Limits) -> Iterator[_Member]:
    """The regular files. The headers are followed one by one, because tarfile keeps whatever they claim in memory."""
    at, count, longer = 0, 0, ""
    while (info := _header(content, at)) is not None:
        count += 1
        if count > 2 * limits.members:
            raise _Refused("too_many_files", f"The archive has more than {limits.members:,} files.")
        start, size = at + 512, info.size
        if size < 0 or start + size > len(content):
            raise _Refused("broken", "The tar ends within a file, or a size in it is wrong.")
        at = start + (size + 511) // 512 * 512
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, b"x", b"X", b"g"):
            if size > limits.header:
                raise _Refused(
                    "header_too_large", f"A header of the tar has more than {limits.header:,} bytes."
                )
            if info.type == tarfile.GNUTYPE_LONGNAME:
                longer = content[start : start + size].removesuffix(b"\0").decode("utf-8", "surrogateescape")
            elif info.type in (b"x", b"X"):
                longer = _path_of_attributes(content[start : start + size]) or longer
            continue
        name, longer = longer or info.name, ""
        if info.isdir():
            continue
        if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE):
            raise _Refused(
                "not_a_file", f"{name[:200]!r} is a link, a device or something else that is not a file."
            )
        path = _path(name, limits)
        yield _Member(path, size, content[start : start + size] if _may_be_text(path, size, limits) else None)
    if content[at : at + 512].strip(b"\0"):
        raise _Refused("broken", "A header of the tar is broken.")


def _path_of_attributes(block: bytes) -> str:
    """The path among the extended attributes of a file: records of "length key=value"."""
    at, path = 0, ""
    while at < len(block) and block[at : at + 1] != b"\0":
        digits, blank, _ = block[at : at + 9].partition(b" ")
        if not blank or not digits.isdigit() or not len(digits) + 3 < int(digits) <= len(block) - at:
            raise _Refused("broken", "A header of the tar is broken.")
        key, _, value = block[at + len(digits) + 1 : at + int(digits) - 1].partition(b"=")
        if key == b"size" or key.startswith(b"GNU.sparse"):
            raise _Refused("not_a_file", "A header of the tar gives a file another size than it has.")
        if key == b"path":
            path = value.decode("utf-8", "surrogateescape")
        at += int(digits)
    return path


class _Sparing(io.BytesIO):
    """Bytes that refuse to be read in pieces as long as an excessive list of members, which ZipFile reads in one."""

    most = 0

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > self.most:
            raise _Refused("too_many_files", "The list of the zip's files is too long.")
        return super().read(size)


def _of_zip(content: bytes, limits: Limits, most: int) -> Iterator[_Member]:
    file = _Sparing(content)
    file.most = limits.listing
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                # The type in Unix: 8 is a file, 0 where the packer says none.
                kind = member.external_attr >> 28
                if member.is_dir() and kind in (0, 4):
                    continue
                if kind not in (0, 8):
                    raise _Refused("not_a_file", f"{member.filename[:200]!r} is a link or a device.")
                if member.flag_bits & 1:
                    raise _Refused("encrypted", f"{member.filename[:200]!r} is encrypted.")
                path = _path(member.orig_filename, limits)
                if not _may_be_text(path, member.file_size, limits):
                    yield _Member(path, member.file_size, None)
                    continue
                if member.compress_type not in _PACKED_KINDS:
                    raise _Refused("compression", f"{path[:200]!r} is compressed in a way that is not read.")
                pieces: list[bytes] = []
                with archive.open(member) as source:
                    while piece := source.read(65_536):
                        pieces.append(piece)
                        most -= len(piece)
                        if most < 0:
                            raise _Refused("too_large", "The zip unpacks to more than is read.")
                yield _Member(path, member.file_size, b"".join(pieces))
    except _BROKEN_ZIP as error:
        raise _Refused("broken", "The zip is broken.") from error


def _path(name: str, limits: Limits) -> str:
    """The path of a member, normalised; refused if it could mean another place than one in the archive."""
    try:
        name.encode()
    except UnicodeEncodeError:  # bytes that are not UTF-8: as old systems wrote them
        name = name.encode("utf-8", "surrogateescape").decode("latin-1")
    if name.startswith("/") or "\0" in name or "\\" in name or re.match("[A-Za-z]:", name):
        raise _Refused("bad_path", f"The path {name[:200]!r} is not one within the archive.")
    parts = [part for part in unicodedata.normalize("NFC", name).split("/") if part not in ("", ".")]
    if not parts or ".." in parts or len(parts) > limits.depth:
        raise _Refused("bad_path", f"The path {name[:200]!r} leads out of the archive, or too deep into it.")
    if any(len(part.encode()) > limits.name for part in parts):
        raise _Refused("bad_path", f"A name in the archive has more than {limits.name} bytes.")
    return "/".join(parts)


def _may_be_text(path: str, size: int, limits: Limits) -> bool:
    last = path.rpartition("/")[2]
    if last.startswith(".") or path.startswith("__MACOSX/"):
        return False
    named = last.lower().endswith(_TEXTS) or last.startswith("00README")
    if named and size > limits.text:
        raise _Refused("too_large", f"The text {path[:200]!r} has more than {limits.text:,} bytes.")
    return named or ("." not in last and size <= limits.text)


def _sorted_out(name: str, form: str, digest: str, members: Iterator[_Member], limits: Limits) -> Source:
    contents: dict[str, bytes] = {}
    others: dict[str, Other] = {}
    notes: list[Note] = []
    seen: set[str] = set()
    total = count = unpacked = 0
    for path, size, content in members:
        count += 1
        unpacked += size
        if count > limits.members:
            raise _Refused("too_many_files", f"The archive has more than {limits.members:,} files.")
        if unpacked > limits.unpacked:
            raise _Refused("too_large", f"The archive unpacks to more than {limits.unpacked:,} bytes.")
        if path in seen:
            notes.append(
                Note("twice", path, "The archive has this file more than once; the last one counts.")
            )
            total -= len(contents.pop(path, b""))
            others.pop(path, None)
        seen.add(path)
        binary = content is None or b"\0" in content
        if content is None or binary or ("." not in path.rpartition("/")[2] and b"\\" not in content):
            if content is not None and path.lower().endswith(_TEXTS):
                notes.append(Note("binary", path, "The file is not text, whatever its name says."))
            others[path] = Other(path, size)
            continue
        total += len(content)
        if total > limits.texts:
            raise _Refused("too_large", f"The texts of the archive have more than {limits.texts:,} bytes.")
        contents[path] = content
    everywhere = next((found for text in contents.values() if (found := _DECLARED.search(text))), None)
    files = {}
    for path in list(contents):
        content = contents.pop(path)
        try:
            files[path] = content.decode("utf-8")
        except UnicodeDecodeError:
            declared = _DECLARED.search(content) or everywhere
            said = [part.strip() for part in declared[1].decode("latin-1").split(",")] if declared else []
            encoding = next((_ENCODINGS[part] for part in said if part in _ENCODINGS), "latin-1")
            try:
                files[path] = content.decode(encoding)
            except UnicodeDecodeError:
                encoding = "latin-1"
                files[path] = content.decode(encoding)
            notes.append(Note("encoding", path, f"The file is not UTF-8; it was read as {encoding}."))
        if files[path].startswith("\ufeff"):
            notes.append(Note("byte_order_mark", path, "The file begins with a byte order mark."))
    if not any(path.lower().endswith(_TEXTS[:3]) or "." not in path.rpartition("/")[2] for path in files):
        pdf = any(other.path.lower().endswith(".pdf") for other in others.values())
        raise _Refused("pdf_only" if pdf else "no_tex", "The archive has no LaTeX file.")
    return Source(name, form, digest, files, tuple(others.values()), tuple(notes))
