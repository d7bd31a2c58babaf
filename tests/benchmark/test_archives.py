"""Zips that somebody else packed: members are written flat, and whatever is hostile or broken is refused."""

import gzip
import io
import random
import struct
import tarfile
import tracemalloc
import zipfile
from collections import Counter
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED

import pytest

from benchmark.importing import archives
from benchmark.importing.records import RecordError
from tests.benchmark.files import packed

pytestmark = pytest.mark.no_database


def packed_by(method: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("p1.tex", "a" * 500)
        archive.writestr("pé.tex", "a line\n" * 300)
    return file.getvalue()


def unpacked(tmp_path: Path, content: bytes) -> list[str]:
    archive, folder = tmp_path / "a.zip", tmp_path / "unpacked"
    archive.write_bytes(content)
    folder.mkdir()
    archives.unpack(archive, folder)
    return sorted(path.name for path in folder.iterdir())


def test_members_are_written_flat_under_their_last_names(tmp_path):
    content = packed(**{"../../etc/p1.tex": "a", "/p2.tex": "b", ".hidden": "c", "__MACOSX/p3.tex": "d"})
    assert unpacked(tmp_path, content) == ["p1.tex", "p2.tex"]
    assert not (tmp_path.parent / "etc").exists()


def link() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        member = zipfile.ZipInfo("p1.tex")
        member.external_attr = 0o120777 << 16  # a symbolic link as Unix packs it
        archive.writestr(member, "/etc/passwd")
    return file.getvalue()


def long_list(members: int) -> bytes:
    """Nothing but a list of members and its end, as somebody writes it who wants it to be read."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 3, 20, *[0] * 8, 1, *[0] * 6) + b"a"
    size = len(entry) * members
    return entry * members + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 5, 5, size, 0, 0)


def wide_list(size: int | None = None) -> bytes:
    """The same with a size that only the wide record at the end tells; `size` is a lie."""
    entries = long_list(60_000)[:-22]
    place = len(entries)
    wide = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 5, 5, size or place, 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, place, 1)
    return entries + wide + locator + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 5, 5, *[0xFFFFFFFF] * 2, 0)


def list_after_a_comment() -> bytes:
    content = long_list(60_000)
    return content[:-2] + struct.pack("<H", 7) + b"comment"


def far_away() -> bytes:
    """A member of which the list says that it begins behind 2**64 bytes."""
    content = packed(**{"a.tex": "a"})
    place = content.index(b"PK\1\2")
    entry, end = bytearray(content[place:-22]), bytearray(content[-22:])
    extra = struct.pack("<HHQ", 1, 8, 2**64 - 1)
    struct.pack_into("<H", entry, 30, len(extra))
    struct.pack_into("<L", entry, 42, 0xFFFFFFFF)
    entry[46 + len("a.tex") : 46 + len("a.tex")] = extra
    struct.pack_into("<L", end, 12, len(entry))
    return bytes(content[:place] + entry + end)


def broken_lzma() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("p1.tex", "a" * 500)
    content = bytearray(file.getvalue())
    content[45] ^= 0xFF  # the name ends at 36; nine bytes of settings follow, then the coded text
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (lambda: b"no zip", "not a readable zip"),
        (link, "not a regular file"),
        (lambda: packed(**{"a/p1.tex": "a", "b/p1.tex": "b"}), "twice"),
        (lambda: packed(p1__tex="0" * 20_000_000), "100 times its size"),
        (lambda: packed(**{f"p{number}.tex": "a" for number in range(2001)}), "at most 2,000"),
        (lambda: packed(p1__tex="abc")[:-30], "not a readable zip"),
        (lambda: long_list(60_000), "lists too many files"),
        (list_after_a_comment, "lists too many files"),
        (wide_list, "lists too many files"),
        (lambda: wide_list(2**64 - 1), "not a readable zip"),
        (far_away, "not a readable zip"),
        (lambda: packed(**{"pé.tex": "a"}).replace("é".encode(), b"\xc3\x28"), "not a readable zip"),
        (lambda: packed(**{"π" * 140 + ".tex": "a"}), "longer than 255 bytes"),
        (lambda: broken_lzma(), "is broken"),
    ],
)
def test_hostile_archives_are_refused(tmp_path, content, words):
    with pytest.raises(RecordError, match=words):
        unpacked(tmp_path, content())


def attributes(body: bytes) -> bytes:
    """A header of attributes for the member that follows it in a tar."""
    info = tarfile.TarInfo("attributes")
    info.type, info.size = tarfile.XHDTYPE, len(body)
    return info.tobuf(tarfile.USTAR_FORMAT) + body + bytes(-len(body) % 512)


def tar_with(headers: bytes) -> bytes:
    info = tarfile.TarInfo("a.tex")
    return headers + info.tobuf(tarfile.USTAR_FORMAT) + bytes(1024)


@pytest.mark.parametrize(
    "headers",
    [
        attributes(b"22 GNU.sparse.map=a,b\n"),
        attributes(b"9" * 5_000 + b" a=b\n"),
        attributes(b"10 path=a\n") * 3_000,
    ],
    ids=["holes that are not numbers", "a length of 5,000 digits", "3,000 headers in a chain"],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_a_malformed_tar_is_refused(tmp_path, headers, compressed):
    content = tar_with(headers)
    archive, folder = tmp_path / "a.tar", tmp_path / "unpacked"
    archive.write_bytes(gzip.compress(content) if compressed else content)
    folder.mkdir()
    said = "not a readable tar archive: (a header of it makes no sense|invalid header)"  # the second by Python 3.11.2
    with pytest.raises(RecordError, match=said):
        archives.unpack_tar(archive, folder)


def test_a_member_of_a_zip_that_begins_far_away_is_broken(tmp_path):
    archive = tmp_path / "a.zip"
    archive.write_bytes(far_away())
    with archives.MemberReader(archive) as members, pytest.raises(RecordError, match="is broken"):
        members.read("a.tex")


def test_a_long_list_is_refused_without_being_read(tmp_path):
    """Memory stays below the list's own length; a list just below the limit is read."""
    most = archives.MAX_LIST_BYTES // 47  # bytes of an entry
    with pytest.raises(RecordError, match="at most 2,000 are read"):
        unpacked(tmp_path, long_list(most))  # by their number, so the list was read
    archive = tmp_path / "long.zip"
    archive.write_bytes(long_list(400_000))
    tracemalloc.start()
    try:
        with pytest.raises(RecordError, match="lists too many files"):
            archives.unpack(archive, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < archive.stat().st_size / 10
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_an_archive_in_which_bytes_were_changed_is_read_or_refused_and_nothing_else(tmp_path_factory):
    """2,000 changes at random over the four ways to pack: no other exception than the refusal."""
    chance = random.Random(1)
    outcomes = Counter()
    sound = [packed_by(method) for method in (ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA)]
    folder = tmp_path_factory.mktemp("fuzz")
    for number in range(2000):
        content = bytearray(chance.choice(sound))
        for _ in range(chance.choice([1, 1, 3])):
            content[chance.randrange(len(content))] = chance.choice([0, 0x7F, 0xFF, chance.randrange(256)])
        place = folder / str(number)
        place.mkdir()
        try:
            unpacked(place, bytes(content))
            outcomes["read"] += 1
        except RecordError:
            outcomes["refused"] += 1
    assert outcomes["read"] > 100
    assert outcomes["refused"] > 100
