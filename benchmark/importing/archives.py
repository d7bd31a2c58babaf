"""Opening a zip of documents from outside. Members are read one by one; nothing else is trusted."""

import io
import lzma
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from benchmark.importing.records import RecordError

MAX_MEMBERS = 2_000
MAX_BYTES = 50 * 1024 * 1024
MAX_RATIO = 100
# The list at an archive's end, which is read whole and costs ten times its size in memory: MAX_MEMBERS files with
# names of 200 letters, and as many hidden ones in addition, stay far below.
MAX_LIST_BYTES = 2 * 1024 * 1024
_CHUNK = 64 * 1024
_LONGEST_NAME = 255  # bytes, as file systems have it
_RATIO_FROM = 1024 * 1024  # below this, a ratio says nothing: a short text packs to almost nothing
# What the standard library raises for bytes that are not an archive; IndexError at extra fields that end too early.
_BROKEN = (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, UnicodeDecodeError, IndexError)
_BROKEN_MEMBER = (zipfile.BadZipFile, zlib.error, lzma.LZMAError)


class _Sparing(io.BufferedReader):
    """A file that refuses to be read in pieces as long as an excessive list of members, which ZipFile reads in one."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_LIST_BYTES:
            raise RecordError(f"the archive lists too many files; at most {MAX_MEMBERS:,} are read")
        return super().read(size)


def unpack(archive: Path, folder: Path) -> int:
    """Write the regular files of a zip into `folder`, flat, under their last names; returns how many.

    Hidden files and folders, and what macOS adds, are passed over. Raises RecordError (field: the member) for
    a file that is not a zip, an encrypted or broken member, one that is not a regular file, two of one name, and for
    more than MAX_MEMBERS files, MAX_BYTES in all or MAX_RATIO times the size of the archive.
    """
    try:
        with _Sparing(io.FileIO(archive)) as file, zipfile.ZipFile(file) as packed:
            members = []
            for member in packed.infolist():
                parts = PurePosixPath(member.filename).parts
                hidden = any(part.startswith((".", "__MACOSX")) for part in parts if part not in (".", ".."))
                if not member.is_dir() and not hidden:
                    members.append(member)
            if len(members) > MAX_MEMBERS:
                raise RecordError(f"the archive has {len(members):,} files; at most {MAX_MEMBERS:,} are read")
            left = min(MAX_BYTES, max(_RATIO_FROM, MAX_RATIO * archive.stat().st_size))
            for member in members:
                left -= _write(packed, member, folder, left)
            return len(members)
    except _BROKEN as error:
        raise RecordError(f"the file is not a readable zip archive: {error}") from error


def _write(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left: int) -> int:
    name = PurePosixPath(member.filename).name[:200]
    if member.flag_bits & 1:
        raise RecordError("is encrypted", field=name)
    kind = (
        member.external_attr >> 28
    )  # the file type of Unix: 8 is a regular file, 0 when the packer says none
    if kind not in (0, 8) or not name or "\0" in name or "\\" in name:
        raise RecordError("is not a regular file", field=name)
    if len(name.encode()) > _LONGEST_NAME:
        raise RecordError(f"has a name longer than {_LONGEST_NAME} bytes", field=name)
    written = 0
    try:
        with packed.open(member) as source, (folder / name).open("xb") as target:
            while chunk := source.read(_CHUNK):
                written += len(chunk)
                if written > left:
                    raise RecordError(
                        f"unpacks to more than {MAX_BYTES >> 20} MB, or {MAX_RATIO} times its size",
                        field=name,
                    )
                target.write(chunk)
    except FileExistsError:
        raise RecordError("appears twice in the archive", field=name) from None
    except _BROKEN_MEMBER as error:
        raise RecordError(f"is broken: {error}", field=name) from error
    return written
