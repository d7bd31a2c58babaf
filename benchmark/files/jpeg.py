"""JPEG and JPEG 2000 inside a PDF, without what they say about their origin: markers and boxes by a whitelist."""

import re
import struct
from collections.abc import Iterator

from benchmark.files.refused import Unreadable

_ALONE = {0xD8, 0xD9, 0x01, *range(0xD0, 0xD8)}  # markers without a length
_BEHIND_A_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7]")  # a marker other than a restart, and no escaped FF
_JFIF = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"


def bare_jpeg(data: bytes) -> bytes:
    """The JPEG without comments and applications' segments. Adobe's is kept: it says how CMYK is meant."""
    if data[:2] != b"\xff\xd8":
        raise Unreadable("A picture in the file is not the JPEG that it claims to be.")
    kept, at = [b"\xff\xd8"], 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            raise Unreadable("A JPEG picture in the file is broken.")
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker == 0xD9:
            break
        if marker in _ALONE:
            kept.append(data[at : at + 2])
            at += 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        segment, at = data[at : at + 2 + length], at + 2 + length
        if marker == 0xE0 and segment[4:9] == b"JFIF\0":
            kept.append(_JFIF)
        elif marker == 0xEE and segment[4:9] == b"Adobe" and len(segment) >= 16:
            kept.append(b"\xff\xee\x00\x0e" + segment[4:16])
        elif not (0xE0 <= marker <= 0xEF or marker == 0xFE):
            kept.append(segment)
        if marker == 0xDA:
            found = _BEHIND_A_SCAN.search(data, at)
            end = found.start() if found else len(data)
            kept.append(data[at:end])
            at = end
    return b"".join(kept) + b"\xff\xd9"


def bare_jpeg2000(data: bytes) -> bytes:
    """The boxes that decoding needs, and the codestream without its comments."""
    if data[:4] == b"\xff\x4f\xff\x51":
        return _bare_codestream(data)
    kept = []
    for name, content in _boxes(data):
        if name == b"jp2c":
            kept.append(_box(name, _bare_codestream(content)))
        elif name == b"jp2h":
            inside = (
                _box(inner, value)
                for inner, value in _boxes(content)
                if inner in (b"ihdr", b"bpcc", b"colr", b"pclr", b"cmap", b"cdef")
            )
            kept.append(_box(name, b"".join(inside)))
        elif name in (b"jP  ", b"ftyp"):
            kept.append(_box(name, content))
    return b"".join(kept)


def _box(name: bytes, content: bytes) -> bytes:
    if (
        name == b"colr" and content[:1] == b"\x02" and len(content) > 3
    ):  # a colour profile, which has a description
        content = b"\x01\x00\x00" + struct.pack(">I", 17 if b"GRAY" in content[:40] else 16)
    return struct.pack(">I", len(content) + 8) + name + content


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        head = 8
        if length == 1 and at + 16 <= len(data):
            (length,) = struct.unpack_from(">Q", data, at + 8)
            head = 16
        if length == 0:
            length = len(data) - at
        if length < head:
            raise Unreadable("A JPEG 2000 picture in the file is broken.")
        yield name, data[at + head : at + length]
        at += length


def _bare_codestream(data: bytes) -> bytes:
    kept, at = [data[:2]], 2
    while at + 4 <= len(data):
        marker, length = struct.unpack_from(">HH", data, at)
        if marker == 0xFF90:  # the first tile: from here on there are no comments
            break
        if marker != 0xFF64:
            kept.append(data[at : at + 2 + length])
        at += 2 + length
    end = data.rfind(b"\xff\xd9")
    return b"".join(kept) + data[at : end + 2 if end > at else len(data)]
