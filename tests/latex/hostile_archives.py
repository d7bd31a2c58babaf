"""Some forty archives that somebody made to harm, or that broke on their way, and what must be said of each."""

import gzip
import io
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable

PAPER = b"\\documentclass{article}\\begin{document}Text.\\end{document}\n"


def tar(*members: tuple[str, bytes], kind: int = tarfile.PAX_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=kind) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def special(kind: bytes, to: str = "") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo("main.tex")
        info.type, info.linkname = kind, to
        archive.addfile(info)
    return packed.getvalue()


def header(kind: bytes, size: int, body: bytes) -> bytes:
    info = tarfile.TarInfo("main.tex")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT) + body + bytes(-len(body) % 512)


def attributes(key: str, value: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("main.tex")
        info.size, info.pax_headers = len(PAPER), {key: value}
        archive.addfile(info, io.BytesIO(PAPER))
    return packed.getvalue()


def zipped(*members: tuple[str, bytes], kind: int = zipfile.ZIP_DEFLATED, mode: int = 0o100644) -> bytes:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", kind) as archive:
        warnings.simplefilter("ignore")  # two members of one name
        for name, content in members:
            info = zipfile.ZipInfo("x")
            info.filename, info.external_attr, info.compress_type = name, mode << 16, kind
            archive.writestr(info, content)
    return packed.getvalue()


def encrypted() -> bytes:
    content = bytearray(zipped(("main.tex", PAPER)))
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def far_away() -> bytes:
    """A member of which the list says that it begins behind 2**64 bytes."""
    content = zipped(("main.tex", PAPER))
    place = content.index(b"PK\x01\x02")
    entry, end = bytearray(content[place:-22]), bytearray(content[-22:])
    struct.pack_into("<H", entry, 30, 12)
    struct.pack_into("<L", entry, 42, 0xFFFFFFFF)
    entry[54:54] = struct.pack("<HHQ", 1, 8, 2**64 - 1)
    struct.pack_into("<L", end, 12, len(entry))
    return bytes(content[:place] + entry + end)


def long_listing() -> bytes:
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65_000, 65_000, 40_000_000, 4, 0)
    return b"PK\x03\x04" + bytes(40_000_000) + end


ZEROS = bytes(11_000_000)
MANY = [(f"{n}.tex", b"\\a") for n in range(2_001)]
# Name: how it is made, the code that it must get.
ARCHIVES: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "withdrawn"),
    "blank": (lambda: b" \n", "withdrawn"),
    "gzip of nothing": (lambda: gzip.compress(b""), "withdrawn"),
    "withdrawn": (lambda: b"%auto-ignore\r\nThis paper has been withdrawn.", "withdrawn"),
    "pdf": (lambda: b"%PDF-1.5\n\\documentclass{article}", "pdf_only"),
    "pdf in gzip": (lambda: gzip.compress(b"%PDF-1.5"), "pdf_only"),
    "pdf in tar": (lambda: tar(("a.pdf", b"%PDF-1.5")), "pdf_only"),
    "postscript": (lambda: b"%!PS-Adobe-3.0\n\\documentclass", "postscript_only"),
    "html": (lambda: b"<!DOCTYPE html><p>\\documentclass", "html_only"),
    "bytes": (lambda: bytes(range(256)) * 50, "unknown"),
    "gzip bomb": (lambda: gzip.compress(bytes(60_000_000)), "too_large"),
    "gzip in gzip": (lambda: gzip.compress(gzip.compress(PAPER)), "unknown"),
    "gzip cut off": (lambda: gzip.compress(PAPER)[:-20], "broken"),
    "gzip with a wrong checksum": (lambda: gzip.compress(PAPER)[:-8] + bytes(8), "broken"),
    "gzip with a tail": (lambda: gzip.compress(PAPER) + b"tail", "broken"),
    "a hundred thousand gzips": (lambda: gzip.compress(b"\\a") * 100_000, "broken"),
    "tar with ..": (lambda: tar(("../main.tex", PAPER)), "bad_path"),
    "tar with an absolute path": (lambda: tar(("/main.tex", PAPER)), "bad_path"),
    "tar with a backslash": (lambda: tar(("..\\main.tex", PAPER)), "bad_path"),
    "tar too deep": (lambda: tar(("a/" * 12 + "main.tex", PAPER)), "bad_path"),
    "tar with a name of 300 bytes": (lambda: tar(("a" * 300 + ".tex", PAPER)), "bad_path"),
    "tar with a symbolic link": (lambda: special(tarfile.SYMTYPE, "/etc/passwd"), "not_a_file"),
    "tar with a hard link": (lambda: special(tarfile.LNKTYPE, "a"), "not_a_file"),
    "tar with a fifo": (lambda: special(tarfile.FIFOTYPE), "not_a_file"),
    "tar with a device": (lambda: special(tarfile.CHRTYPE), "not_a_file"),
    "tar with a sparse file": (lambda: header(tarfile.GNUTYPE_SPARSE, 10, bytes(10)), "not_a_file"),
    "tar with .. behind attributes": (lambda: attributes("path", "../main.tex"), "bad_path"),
    "tar with a NUL behind attributes": (lambda: attributes("path", "a\0.tex"), "bad_path"),
    "tar with another size": (lambda: attributes("size", "99999999999"), "not_a_file"),
    "tar with broken attributes": (lambda: header(b"x", 9, b"99999 a=b"), "broken"),
    "tar with a name of a megabyte": (lambda: header(b"L", 1_000_000, b"a" * 1_000_000), "header_too_large"),
    "tar with a size beyond its end": (lambda: header(b"0", 8**10, PAPER), "broken"),
    "tar with too many files": (lambda: tar(*MANY), "too_many_files"),
    "tar with a text too long": (lambda: gzip.compress(tar(("a.tex", ZEROS)), 0), "too_large"),
    "zip with ..": (lambda: zipped(("a/../../main.tex", PAPER)), "bad_path"),
    "zip with a NUL": (lambda: zipped(("main.tex\0.png", PAPER)), "bad_path"),
    "zip with a link": (lambda: zipped(("main.tex", b"/etc/passwd"), mode=0o120777), "not_a_file"),
    "zip that is encrypted": (encrypted, "encrypted"),
    "zip bomb": (lambda: zipped(*((f"{n}.tex", ZEROS[:9_000_000]) for n in range(5))), "too_large"),
    "zip with bzip2": (lambda: zipped(("main.tex", PAPER), kind=zipfile.ZIP_BZIP2), "compression"),
    "zip cut off": (lambda: zipped(("main.tex", PAPER))[:-30], "broken"),
    "zip with a member behind its end": (far_away, "broken"),
    "zip with a list of 40 MB": (long_listing, "too_many_files"),
    "zip with too many files": (lambda: zipped(*MANY), "too_many_files"),
}
