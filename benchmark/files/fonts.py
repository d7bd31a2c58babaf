"""Font programs and character maps inside a PDF, without names, notices and comments. For the child process."""

import itertools
import re
import struct

from benchmark.files.refused import Unreadable

_TABLES = frozenset(
    b"cmap,cvt ,fpgm,glyf,head,hhea,hmtx,loca,maxp,prep,OS/2,post,CFF ,vhea,vmtx,gasp,VORG".split(b",")
)
_MATRIX = re.compile(rb"/FontMatrix\s*\[([-+0-9.eE\s]{1,200})\]")
_BOX = re.compile(rb"/FontBBox\s*[\[{]([-+0-9.eE\s]{1,200})[\]}]")
_PAINT = re.compile(rb"/PaintType\s+([02])\b")
_CODE = re.compile(rb"dup\s+(\d{1,3})\s*/([^\s/\[\]{}()<>%]{1,100})\s+put")
_TRAILER = re.compile(rb"(?:0\s*){400,}cleartomark.*\Z", re.DOTALL)
_MAP_COMMENT = re.compile(r"%[^\r\n]*")
_SECTION = re.compile(
    r"begin(codespacerange|bfchar|bfrange|cidchar|cidrange|notdefrange)(.*?)end\1", re.DOTALL
)
_MAP_TOKEN = re.compile(r"<[0-9A-Fa-f\s]*>|\[|\]|\d+")
_USES = re.compile(r"/([\w-]{1,40})\s+usecmap")
_PREDEFINED = re.compile(
    r"(?:Identity|Uni(?:GB|CNS|JIS|KS)[\w-]*|[\w-]*(?:EUC|RKSJ|GBK|B5pc|HKscs|KSC)[\w-]*)-[HV]"
)
_WRITING = re.compile(r"/WMode\s+([01])\b")


def bare_type1(data: bytes) -> tuple[bytes, int]:
    """A Type 1 program without notices, names and trailer, and the length of its first, readable part."""
    eexec = data.find(b"eexec")
    if eexec < 0:
        raise Unreadable("A font in the file is broken.")
    start = eexec + 5
    while start < len(data) and data[start] in b" \t\r\n" and start < eexec + 8:
        start += 1
    readable = data[:eexec]
    matrix, box, paint = _MATRIX.search(readable), _BOX.search(readable), _PAINT.search(readable)
    encoding = b"StandardEncoding"
    if codes := _CODE.findall(readable):
        named = b"\n".join(b"dup %b /%b put" % code for code in codes)
        encoding = b"256 array\n0 1 255 {1 index exch /.notdef put} for\n" + named + b"\nreadonly"
    head = b"\n".join(
        [
            b"%!PS-AdobeFont-1.0: F\n11 dict begin\n/FontName /F def\n/FontType 1 def",
            b"/PaintType %b def" % (paint[1] if paint else b"0"),
            b"/FontMatrix [%b] readonly def" % (matrix[1].strip() if matrix else b"0.001 0 0 0.001 0 0"),
            b"/Encoding %b def" % encoding,
            b"/FontBBox {%b} readonly def" % (box[1].strip() if box else b"0 0 0 0"),
            b"currentdict end\ncurrentfile eexec\n",
        ]
    )
    return head + _TRAILER.sub(b"", data[start:]), len(head)


def bare_sfnt(data: bytes) -> bytes:
    """A TrueType or OpenType program with the tables that drawing needs."""
    if data[:4] not in (b"\0\1\0\0", b"true", b"OTTO") or len(data) < 12:
        raise Unreadable("A font in the file is broken.")
    (count,) = struct.unpack_from(">H", data, 4)
    tables = []
    for number in range(count):
        at = 12 + 16 * number
        if at + 16 > len(data):
            break
        name, _, offset, length = struct.unpack_from(">4sIII", data, at)
        if name in _TABLES:
            content = data[offset : offset + length]
            tables.append((name, bare_cff(content) if name == b"CFF " else content))
    if not tables:
        raise Unreadable("A font in the file is broken.")
    entry, search = 12 + 16 * len(tables), 1
    while search * 2 <= len(tables):
        search *= 2
    head = struct.pack(
        ">4sHHHH", data[:4], len(tables), search * 16, search.bit_length() - 1, (len(tables) - search) * 16
    )
    body = b""
    for name, content in sorted(tables):
        padded = content + b"\0" * (-len(content) % 4)
        checksum = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        head += struct.pack(">4sIII", name, checksum, entry + len(body), len(content))
        body += padded
    return head + body


def bare_cff(data: bytes) -> bytes:
    """A CFF program whose names and notices are overwritten where they are, so that no offset changes."""
    program = bytearray(data)
    try:
        names, at = _index(program, program[2])
        tops, at = _index(program, at)
        strings, _ = _index(program, at)
        for start, end in names:
            program[start:end] = b"F" * (end - start)
        is_cid = False
        telling: set[int] = set()
        needed: set[int] = set()
        for start, end in tops:
            for operator, operands in _dictionary(program, start, end):
                if operator == 0x0C1E:  # ROS: a CID font
                    is_cid = True
                    needed |= set(operands[:2])
                elif operator in (0, 1, 2, 3, 4, 0x0C00, 0x0C15, 0x0C16):
                    telling |= set(operands)
        for number, (start, end) in enumerate(strings, start=391):
            if number not in needed and (is_cid or number in telling):
                program[start:end] = b"x" * (end - start)
    except (IndexError, struct.error, ValueError):
        raise Unreadable("A font in the file is broken.") from None
    return bytes(program)


def _index(data: bytearray, at: int) -> tuple[list[tuple[int, int]], int]:
    """The places of an INDEX's entries, and where it ends."""
    (count,) = struct.unpack_from(">H", data, at)
    if not count:
        return [], at + 2
    size = data[at + 2]
    offsets = [
        int.from_bytes(data[at + 3 + size * number : at + 3 + size * (number + 1)], "big")
        for number in range(count + 1)
    ]
    base = at + 2 + size * (count + 1)
    return [(base + a, base + b) for a, b in itertools.pairwise(offsets)], base + offsets[-1]


def _dictionary(data: bytearray, at: int, end: int) -> list[tuple[int, list[int]]]:
    """Operators of a DICT with their whole operands; real numbers are passed over."""
    found: list[tuple[int, list[int]]] = []
    operands: list[int] = []
    while at < end:
        first = data[at]
        at += 1
        if first <= 21:
            if first == 12:
                first, at = 0x0C00 + data[at], at + 1
            found.append((first, operands))
            operands = []
        elif first == 28:
            operands.append(struct.unpack_from(">h", data, at)[0])
            at += 2
        elif first == 29:
            operands.append(struct.unpack_from(">i", data, at)[0])
            at += 4
        elif first == 30:
            while data[at] & 0x0F != 0x0F and data[at] >> 4 != 0x0F:
                at += 1
            at += 1
        elif first <= 246:
            operands.append(first - 139)
        elif first <= 250:
            operands.append((first - 247) * 256 + data[at] + 108)
            at += 1
        else:
            operands.append(-(first - 251) * 256 - data[at] - 108)
            at += 1
    return found


def bare_map(data: bytes) -> bytes:
    """A character map with its codes only: no comments, no names."""
    source = _MAP_COMMENT.sub("", data.decode("latin-1"))
    uses, writing = _USES.search(source), _WRITING.search(source)
    parts = ["/CIDInit /ProcSet findresource begin 12 dict begin begincmap"]
    if uses and _PREDEFINED.fullmatch(uses[1]):
        parts.append(f"/{uses[1]} usecmap")
    parts.append("/CMapName /M def /CMapType 2 def")
    if writing:
        parts.append(f"/WMode {writing[1]} def")
    for section in _SECTION.finditer(source):
        tokens = _MAP_TOKEN.findall(section[2])
        entries = {"codespacerange": 2, "bfchar": 2, "cidchar": 2}.get(section[1], 3)
        operands, inside = 0, False
        for part in tokens:  # an array counts as one operand
            inside = part == "[" or (inside and part != "]")
            operands += not inside
        parts.append(f"{operands // entries} begin{section[1]}\n{' '.join(tokens)}\nend{section[1]}")
    parts.append("endcmap CMapName currentdict /CMap defineresource pop end end")
    return "\n".join(parts).encode("ascii")
