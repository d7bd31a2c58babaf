"""PDFs that try to exhaust, confuse or deceive the program that opens them; each is some kilobytes long."""

import random
import zlib
from collections.abc import Iterator

from tests.benchmark.pdfs import PARAGRAPH, paper


def document(*objects: bytes, root: bytes = b"1 0 R") -> bytes:
    """A PDF of these objects, numbered from 1."""
    out, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return (
        out
        + head
        + table
        + b"trailer<</Size %d/Root %b>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, root, start)
    )


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<<%b/Length %d>>stream\n%b\nendstream" % (entries, len(data), data)


def one_page(content: bytes, more: bytes = b"", *others: bytes, box: bytes = b"0 0 300 300") -> bytes:
    return document(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[%b]/Contents 4 0 R%b>>" % (box, more),
        content,
        *others,
    )


def refused() -> Iterator[tuple[str, bytes]]:
    """Those that must be refused."""
    packer = zlib.compressobj(9)
    squeezed = b"".join(packer.compress(b"0 0 m " * 50_000) for _ in range(1_000)) + packer.flush()
    yield "a content of 300 MB", one_page(stream(squeezed, b"/Filter/FlateDecode"))
    yield "squeezed twice", one_page(stream(zlib.compress(squeezed, 9), b"/Filter[/FlateDecode/FlateDecode]"))
    yield (
        "a hundred thousand pages",
        document(
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[%b]/Count 100000>>" % (b"3 0 R " * 100_000),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]>>",
        ),
    )
    yield "deep nesting of states", one_page(stream(b"q " * 3_000_000))
    picture = b"/Type/XObject/Subtype/Image/Width 60000/Height 60000/BitsPerComponent 8/ColorSpace/DeviceRGB"
    yield (
        "a picture of three billion pixels",
        one_page(
            stream(b"/I Do"),
            b"/Resources<</XObject<</I 5 0 R>>>>",
            stream(zlib.compress(b"\0" * 1000), picture + b"/Filter/FlateDecode"),
        ),
    )
    yield "a page of a kilometre", one_page(stream(b""), box=b"0 0 3000000 3000000")
    yield "a page of one point", one_page(stream(b""), box=b"0 0 1 1")
    forms = [
        stream(
            b"/F Do " * 10,
            b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F %d 0 R>>>>" % (6 + n),
        )
        for n in range(40)
    ]
    yield (
        "forms in forms in forms",
        one_page(stream(b"/F Do " * 10), b"/Resources<</XObject<</F 5 0 R>>>>", *forms, stream(b"")),
    )
    yield (
        "a tree of pages that contains itself",
        document(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R]/Count 1>>"),
    )
    yield "arrays in arrays", document(b"<</Type/Catalog/Pages 2 0 R>>", b"[" * 1_000_000)
    yield "no pages at all", document(b"<</Type/Catalog>>")
    yield "something in front of the PDF", b"GIF89a" + paper(PARAGRAPH)
    yield "a script with a PDF behind it", b"<script>alert(1)</script>\n" + paper(PARAGRAPH)
    yield "nothing but its first line", b"%PDF-1.7\n"
    tiling = b"/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep .001/YStep .001/Resources<<>>"
    yield (
        "a pattern of a hundred million tiles",
        one_page(
            stream(b"/Pattern cs /P scn 0 0 300 300 re f"),
            b"/Resources<</Pattern<</P 5 0 R>>>>",
            stream(b"0 0 1 1 re f", tiling),
        ),
    )


def broken() -> Iterator[tuple[str, bytes]]:
    """A good file, cut off and with bytes changed: refused or copied, whichever."""
    good, chance = paper(PARAGRAPH), random.Random(7)
    for share in range(1, 9):
        yield f"cut off at {share} tenths", good[: len(good) * share // 10]
    for number in range(17):
        changed = bytearray(good)
        for _ in range(3 + 10 * number):
            changed[chance.randrange(9, len(changed))] = chance.randrange(256)
        yield f"{3 + 10 * number} bytes changed", bytes(changed)
