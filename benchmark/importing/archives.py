"""Opening a zip or tar of documents from outside. Members are read one by one; nothing else is trusted."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, Self

import zstandard

from benchmark.importing.records import RecordError

MAX_MEMBERS = 2_000
MAX_BYTES = 50 * 1024 * 1024
MAX_RATIO = 100
# The list at an archive's end, which is read whole and costs ten times its size in memory: MAX_MEMBERS files with
# names of 200 letters, and as many hidden ones in addition, stay far below.
MAX_LIST_BYTES = 2 * 1024 * 1024
_CHUNK = 64 * 1024
_COMPRESSED: dict[bytes, Callable[[Path], io.BufferedIOBase]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_LONGEST_NAME = 255  # bytes, as file systems have it
_MOST_LEVELS = 20  # folders within folders
_SAYS_UTF8 = 0x800  # the flag of a member whose name is UTF-8 for certain
_RATIO_FROM = 1024 * 1024  # below this, a ratio says nothing: a short text packs to almost nothing
# What the standard library raises for bytes that are not an archive: IndexError at extra fields that end too early,
# ValueError and OverflowError at places beyond any file. A RecordError is a ValueError too and passes as it is.
_BROKEN = (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, IndexError, ValueError, OverflowError)
_ZSTANDARD = 93  # the method's number in the ZIP specification
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, and the lengths of name and extra field
_MAX_WINDOW = 64 * 1024 * 1024  # memory that a stream may ask for
MAX_MEMBER_BYTES = 64 * 1024 * 1024
TARS = (".tar", ".gz", ".tgz", ".bz2", ".xz")
_REGULAR = (0, 8)  # file types of Unix; 0 when the packer says none
_BROKEN_MEMBER = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)


class _Sparing(io.BufferedReader):
    """A file that refuses to be read in pieces as long as an excessive list of members, which ZipFile reads in one."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_LIST_BYTES:
            raise RecordError(f"the archive lists too many files; at most {MAX_MEMBERS:,} are read")
        return super().read(size)


def unpack(
    archive: Path,
    folder: Path,
    *,
    tree: bool = False,
    most_members: int = MAX_MEMBERS,
    most_bytes: int = MAX_BYTES,
) -> None:
    """Write the regular files of a zip into `folder`, flat under their last names or as a `tree`.

    Hidden files and folders, and what macOS adds, are passed over. Raises RecordError (field: the member) for
    a file that is not a zip, an encrypted or broken member, one that is not a regular file or whose path leads out of
    the archive, two of one name, and for more than `most_members` files, `most_bytes` in all or MAX_RATIO times the
    size of the archive.
    """
    try:
        with _Sparing(io.FileIO(archive)) as file, zipfile.ZipFile(file) as packed:
            members = []
            for member in packed.infolist():
                parts = PurePosixPath(member.filename).parts
                hidden = any(part.startswith((".", "__MACOSX")) for part in parts if part not in (".", ".."))
                if not member.is_dir() and not hidden:
                    members.append(member)
            if len(members) > most_members:
                raise RecordError(
                    f"the archive has {len(members):,} files; at most {most_members:,} are read"
                )
            left = min(most_bytes, max(_RATIO_FROM, MAX_RATIO * archive.stat().st_size))
            for member in members:
                place = _place_in_tree(member) if tree else PurePosixPath(member.filename).name[:200]
                left -= _write(packed, member, folder, place, left)
    except RecordError:
        raise
    except _BROKEN as error:
        raise RecordError(f"the file is not a readable zip archive: {error}") from error


class _Bounded(io.RawIOBase):
    """A stream that refuses to go on after so many bytes, whatever a header inside it asks for."""

    def __init__(self, source: io.BufferedIOBase, most: int) -> None:
        self._source, self._left = source, most

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        chunk = self._source.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(chunk)
        if self._left < 0:
            raise RecordError(f"unpacks to more than is read from an archive, or {MAX_RATIO} times its size")
        return chunk


def unpack_tar(
    archive: Path, folder: Path, *, most_members: int = MAX_MEMBERS, most_bytes: int = MAX_BYTES
) -> None:
    """The same as `unpack` for a tar, which may be compressed, as a tree; a file in gzip alone is one .tex file.

    Links, devices and whatever else is not a regular file are refused.
    """
    most = min(most_bytes, max(_RATIO_FROM, MAX_RATIO * archive.stat().st_size))
    count = 0
    try:
        with archive.open("rb") as file:
            start = file.read(6)
        decompress = next((opens for magic, opens in _COMPRESSED.items() if start.startswith(magic)), None)
        with decompress(archive) if decompress else archive.open("rb") as packed:
            head = packed.read(512)
            packed.seek(0)
            if isinstance(packed, gzip.GzipFile) and head[257:262] != b"ustar":
                content = _Bounded(packed, most).read()
                (folder / f"{archive.name.split('.')[0] or 'main'}.tex").write_bytes(content)
                return
            with tarfile.open(fileobj=_Bounded(packed, most), mode="r|") as members:
                for member in members:
                    place = _path_in_tree(member.name)
                    if member.isdir() or any(part.startswith(".") for part in PurePosixPath(place).parts):
                        continue
                    count += 1
                    if count > most_members:
                        raise RecordError(f"the archive has more than {most_members:,} files")
                    source = members.extractfile(member) if member.isreg() else None
                    if source is None:
                        raise RecordError("is not a regular file", field=place[:200])
                    _store(source, folder, place, most)
    except RecordError:
        raise
    except (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        raise RecordError(f"the file is not a readable tar archive: {error}") from error
    except (
        ValueError,
        OverflowError,
        RecursionError,
    ) as error:  # no number or an endless one, headers of headers
        raise RecordError("the file is not a readable tar archive: a header of it makes no sense") from error


class MemberReader:
    """Reads members of a zip into memory, one by one. A context manager.

    `names` are all of them in the order in which they were first written; of two of one name the later one is read.
    Raises RecordError as `unpack` does, also where a path that nobody reads leads out of the archive. Zstandard is
    read too, which Python's own module cannot before 3.14.
    """

    def __init__(self, archive: Path) -> None:
        self._archive = archive

    def __enter__(self) -> Self:
        self._file = _Sparing(io.FileIO(self._archive))
        try:
            self._packed = zipfile.ZipFile(self._file)
        except _BROKEN as error:
            self._file.close()
            if isinstance(error, RecordError):
                raise
            raise RecordError(f"the file is not a readable zip archive: {error}") from error
        try:
            for member in self._packed.infolist():
                _path_in_tree(member.filename)
        except RecordError:
            self.__exit__(None, None, None)
            raise
        self._members = {member.filename: member for member in self._packed.infolist()}
        self.names = list(self._members)
        self._left = max(_RATIO_FROM, MAX_RATIO * self._archive.stat().st_size)
        return self

    def __exit__(self, *raised: object) -> None:
        self._packed.close()
        self._file.close()

    def read(self, name: str) -> bytes:
        """The content of a member of at most MAX_MEMBER_BYTES."""
        member = self._members[name]
        if member.flag_bits & 1:
            raise RecordError("is encrypted", field=name[:200])
        if _kind(member) not in _REGULAR:
            raise RecordError("is not a regular file", field=name[:200])
        most = min(self._left, MAX_MEMBER_BYTES)
        try:
            if member.compress_type == _ZSTANDARD:
                content = self._zstandard(member, most)
            else:
                pieces, wanted = [], most + 1
                with self._packed.open(member) as source:
                    # in pieces: of a member that is not compressed ZipFile would read all in one
                    while wanted and (piece := source.read(min(_CHUNK, wanted))):
                        pieces.append(piece)
                        wanted -= len(piece)
                content = b"".join(pieces)
        except (*_BROKEN, *_BROKEN_MEMBER, zstandard.ZstdError) as error:
            raise RecordError(f"is broken: {error}", field=name[:200]) from error
        if len(content) > most:
            reason = f"unpacks to more than {MAX_MEMBER_BYTES >> 20} MB, or {MAX_RATIO} times the size of the archive"
            raise RecordError(reason, field=name[:200])
        self._left -= len(content)
        return content

    def _zstandard(self, member: zipfile.ZipInfo, most: int) -> bytes:
        """At most `most` + 1 bytes of a member that the standard library does not read, behind its local header."""
        self._file.seek(member.header_offset)
        header = self._file.read(_LOCAL_HEADER.size)
        if len(header) != _LOCAL_HEADER.size:
            raise zipfile.BadZipFile("the archive ends within a header")
        signature, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        if signature != b"PK\x03\x04":
            raise zipfile.BadZipFile("there is no member where the list says")
        self._file.seek(name_length + extra_length, io.SEEK_CUR)
        pieces = range(0, member.compress_size, _CHUNK)
        packed = b"".join(self._file.read(min(_CHUNK, member.compress_size - done)) for done in pieces)
        with zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).stream_reader(packed) as source:
            content = source.read(most + 1)
        if len(content) <= most and (len(content), zlib.crc32(content)) != (member.file_size, member.CRC):
            raise zipfile.BadZipFile("its length or its checksum is different")
        return content


def _kind(member: zipfile.ZipInfo) -> int:
    """The file type of Unix."""
    return member.external_attr >> 28


def _place_in_tree(member: zipfile.ZipInfo) -> str:
    """The path of a member below the folder, its name decoded as most packers mean it."""
    name = member.filename
    if not member.flag_bits & _SAYS_UTF8:
        with suppress(UnicodeError):  # macOS and many scripts write UTF-8 without saying so
            name = name.encode("cp437").decode("utf-8")
    return _path_in_tree(name)


def _path_in_tree(name: str) -> str:
    path = PurePosixPath(unicodedata.normalize("NFC", name))
    if path.is_absolute() or ".." in path.parts or len(path.parts) > _MOST_LEVELS:
        raise RecordError("leads out of the archive, or too deep into it", field=name[:200])
    return str(path)


def _write(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, name: str, left: int) -> int:
    if member.flag_bits & 1:
        raise RecordError("is encrypted", field=name)
    if _kind(member) not in _REGULAR:
        raise RecordError("is not a regular file", field=name)
    try:
        with packed.open(member) as source:
            return _store(source, folder, name, left)
    except _BROKEN_MEMBER as error:
        raise RecordError(f"is broken: {error}", field=name) from error


def _store(source: IO[bytes], folder: Path, name: str, left: int) -> int:
    """Write one member below the folder, at most `left` bytes; returns how many."""
    if not name or "\0" in name or "\\" in name:
        raise RecordError("is not a regular file", field=name)
    if any(len(part.encode("utf-8", "surrogatepass")) > _LONGEST_NAME for part in name.split("/")):
        raise RecordError(f"has a name longer than {_LONGEST_NAME} bytes", field=name[:200])
    written = 0
    try:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("xb") as target:
            while chunk := source.read(_CHUNK):
                written += len(chunk)
                if written > left:
                    raise RecordError(
                        f"unpacks to more than is read from an archive, or {MAX_RATIO} times its size",
                        field=name,
                    )
                target.write(chunk)
    except (FileExistsError, NotADirectoryError):
        raise RecordError("appears twice in the archive", field=name) from None
    return written
