"""Clean copies of foreign PDFs and pictures: what they keep, what they lose, and what is refused."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
import pytest
from PIL import Image

from accounts.refusal import Refused
from benchmark.files.bilevel import pixels_of
from benchmark.files.child import CPU_SECONDS
from benchmark.files.fonts import bare_cff, bare_map, bare_sfnt, bare_type1
from benchmark.files.jpeg import bare_jpeg2000
from benchmark.files.process import WALL_SECONDS, cleaned
from tests.benchmark import hostile_pdfs
from tests.benchmark.pdfs import (
    PARAGRAPH,
    everything_in,
    fax,
    huge_png,
    jbig2,
    jpeg,
    paper,
    planted,
    png,
    striped,
)

WORD = "zqplanted"
ROOT = Path(__file__).resolve().parents[2]


def rendered(data: bytes) -> list[bytes]:
    """The pixels of each page at 72 dpi, without annotations."""
    document = pdfium.PdfDocument(data)
    return [bytes(page.render(draw_annots=False).buffer) for page in document]


def words_of(data: bytes) -> list[str]:
    return [page.get_textpage().get_text_range() for page in pdfium.PdfDocument(data)]


def test_no_word_survives_that_a_reader_does_not_see() -> None:
    told, count = planted(WORD)
    planted_words = set(re.findall(WORD.encode() + rb"\d{3}", everything_in(told)))
    assert count > 130
    assert len(planted_words) > 115
    made = cleaned(told)
    assert WORD.encode() not in everything_in(made.data)
    assert any(WORD in word for word in made.dropped)
    assert not any(WORD in word for word in (*made.words, *made.kept))


def test_the_copy_looks_and_reads_like_the_original() -> None:
    told = paper(PARAGRAPH, "Second page. " + PARAGRAPH, "Ελληνικά, кириллица and ∑∫√")
    made = cleaned(told)
    assert rendered(made.data) == rendered(told)
    assert words_of(made.data) == words_of(told) == made.words
    assert made.pages == [(419.53, 595.28, 0, 0, 419.53, 595.28)] * 3
    assert made.kept[:3] == [
        "1. Section",
        "2. Section",
        "3. Section",
    ]  # titles of the outline are read, so scanned


@pytest.mark.slow
def test_the_same_file_gives_the_same_bytes_and_its_copy_is_its_own_copy() -> None:
    once, again = cleaned(paper(PARAGRAPH)), cleaned(paper(PARAGRAPH))
    assert once.data == again.data
    assert cleaned(once.data).data == once.data


def test_links_inside_the_file_stay_and_others_go() -> None:
    pdf = pikepdf.open(io.BytesIO(paper(PARAGRAPH, PARAGRAPH)))
    inside = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Link,
        Rect=[10, 10, 50, 20],
        A=pikepdf.Dictionary(
            S=pikepdf.Name.GoTo, D=pikepdf.Array([pdf.pages[1].obj, pikepdf.Name.XYZ, 0, 99, None])
        ),
    )
    outside = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Link,
        Rect=[10, 10, 50, 20],
        A=pikepdf.Dictionary(S=pikepdf.Name.URI, URI="https://example.org"),
    )
    pdf.pages[0].obj.Annots = pikepdf.Array([inside, outside])
    target = io.BytesIO()
    pdf.save(target)
    copy = pikepdf.open(io.BytesIO(cleaned(target.getvalue()).data))
    (link,) = copy.pages[0].obj.Annots
    assert link.Dest[0].objgen == copy.pages[1].obj.objgen
    assert "/A" not in link


@pytest.mark.parametrize("kind", ["FreeText", "Ink", "Stamp", "Widget"])
def test_what_readers_see_of_an_annotation_is_drawn_on_the_page(kind: str) -> None:
    pdf = pikepdf.open(io.BytesIO(paper(PARAGRAPH, PARAGRAPH)))
    first, second = (page.obj for page in pdf.pages)
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    looks = pikepdf.Stream(pdf, b"BT /F 20 Tf 10 30 Td (Therefore QED) Tj ET")
    looks.update(
        pikepdf.Dictionary(Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 200, 100])
    )
    looks.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))

    def annotation(kind: str, **values: Any) -> pikepdf.Dictionary:
        place = pikepdf.Array([100, 300, 300, 400])
        return pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name("/" + kind), Rect=place, **values
        )

    drawn = pikepdf.Dictionary(N=pdf.make_indirect(looks))
    seen = pdf.make_indirect(annotation(kind, F=4, AP=drawn, T=f"{WORD}1", Contents=f"{WORD}2"))
    if kind == "Widget":
        seen.FT = pikepdf.Name.Tx
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([seen]))
    layer = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name="Off"))
    pdf.Root.OCProperties = pikepdf.Dictionary(OCGs=[layer], D=pikepdf.Dictionary(OFF=[layer]))
    first.Annots = pikepdf.Array(
        [
            seen,
            annotation("Text", F=4, AP=drawn, Contents=f"{WORD}3"),  # the icon of a note
            annotation("Stamp", F=2, AP=drawn),  # hidden
            annotation("Stamp", F=4, AP=drawn, OC=layer),
            annotation("Link", Dest=pikepdf.Array([second, pikepdf.Name.Fit])),
        ]
    )
    told = io.BytesIO()
    pdf.save(told)
    made = cleaned(told.getvalue())
    assert [page.count("Therefore QED") for page in made.words] == [1, 0]
    assert WORD.encode() not in everything_in(made.data)
    seen = pdfium.PdfDocument(made.data)[0].render(draw_annots=False).to_pil().convert("L")
    assert (
        seen.crop((100, 195, 300, 295)).getextrema()[0] < 100
    )  # black letters in the box, from the top of the page
    copy = pikepdf.open(io.BytesIO(made.data))
    assert [one.Subtype for one in copy.pages[0].obj.Annots] == [pikepdf.Name.Link]


def test_words_that_nobody_sees_are_read_for_the_scan() -> None:
    pdf = pikepdf.open(io.BytesIO(paper(PARAGRAPH)))
    page = pdf.pages[0]
    page.Resources.Font.Plain = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    hidden = b"BT /Plain 9 Tf 3 Tr 10 10 Td (invisible) Tj ET BT /Plain 9 Tf 0 Tr 1 g 10 90 Td (white) Tj ET"
    page.contents_add(hidden + b" BT /Plain 9 Tf 9000 10 Td (outside) Tj ET")
    target = io.BytesIO()
    pdf.save(target)
    read = " ".join(cleaned(target.getvalue()).words)
    assert all(word in read for word in ("invisible", "white", "outside"))


def test_what_is_in_a_layer_that_is_off_is_not_in_the_copy() -> None:
    layers = b"/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>"
    content = b"/OC /L BDC BT /F 20 Tf 20 20 Td (secret) Tj ET EMC BT /F 20 Tf 20 90 Td (shown) Tj ET"
    told = hostile_pdfs.document(
        b"<</Type/Catalog/Pages 2 0 R%b>>" % layers,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>"
        b"/Properties<</L 6 0 R>>>>>>",
        hostile_pdfs.stream(content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/OCG/Name(Layer)>>",
    )
    made = cleaned(told)
    assert rendered(made.data) == rendered(told)
    assert "secret" not in words_of(made.data)[0]
    assert "secret" not in made.words[0]


def test_a_copy_that_would_look_different_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, so that the cleaner can be made to lose something."""
    from benchmark.files import copying, pdf
    from benchmark.files.refused import Unreadable

    monkeypatch.setattr(copying.Copy, "font", lambda self, source: None)
    with pytest.raises(Unreadable, match="Page 1 would look different"):
        pdf.clean_pdf(paper(PARAGRAPH))


# --- fonts and pictures, by their bytes


def test_a_type_1_program_keeps_its_codes_and_loses_its_notices() -> None:
    head = (
        b"%!PS-AdobeFont-1.0: Secret\n%%Title: Secret\n9 dict dup begin /FontInfo 3 dict dup begin\n"
        b"/Notice (Copyright \\(c\\) Secret) readonly def /FullName (Secret) def /Who (Secret) def end def\n"
        b"/FontName /Secret def /PaintType 0 def /FontMatrix [0.001 0 0 0.001 0 0] def\n"
        b"/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for dup 65 /A put readonly def\n"
        b"/FontBBox {-1 -2 3 4} readonly def currentdict end\ncurrentfile eexec\n"
    )
    made, length = bare_type1(head + b"\x80\x81binary" + b"\n" + b"0" * 512 + b"\ncleartomark % Secret")
    assert b"Secret" not in made
    assert b"dup 65 /A put" in made[:length]
    assert b"{-1 -2 3 4}" in made[:length]
    assert made[length:] == b"\x80\x81binary\n"


def test_a_cff_program_keeps_its_length_and_loses_its_names() -> None:
    def index(*entries: bytes) -> bytes:
        offsets, at = b"\x01", 1
        for entry in entries:
            at += len(entry)
            offsets += bytes([at])
        return len(entries).to_bytes(2, "big") + b"\x01" + offsets + b"".join(entries)

    # the first of the own strings (391) is a glyph's name, the second (392) the notice: operator 1
    top = b"\x1c\x01\x88\x01"
    data = b"\x01\0\x04\x01" + index(b"Secret") + index(top) + index(b"alpha", b"Secret too") + b"rest"
    made = bare_cff(data)
    assert len(made) == len(data)
    assert b"Secret" not in made
    assert b"alpha" in made
    assert made.endswith(b"rest")


@pytest.mark.parametrize("clean", [bare_cff, bare_sfnt, bare_type1])
def test_a_broken_font_is_refused(clean: Any) -> None:
    from benchmark.files.refused import Unreadable

    for data in (b"", b"\0", b"\x01\0\x04\x01\xff\xff\x04", b"OTTO\xff\xff" + b"\0" * 9):
        with pytest.raises(Unreadable):
            clean(data)


def test_a_map_of_characters_keeps_its_codes_only() -> None:
    made = bare_map(
        b"%!Secret\n/CMapName /Secret def /Registry (Secret) def 1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"2 beginbfrange <41> <42> [<0041> <0042>] % Secret\n<43> <44> <0043> endbfrange\n"
        b"1 beginbfchar <45> <0045> endbfchar"
    )
    assert b"Secret" not in made
    assert b"2 beginbfrange\n<41> <42> [ <0041> <0042> ] <43> <44> <0043>\nendbfrange" in made
    assert b"1 beginbfchar\n<45> <0045>\nendbfchar" in made


def test_a_jpeg_2000_keeps_what_decoding_needs() -> None:
    target = io.BytesIO()
    Image.linear_gradient("L").save(target, "JPEG2000")
    picture = target.getvalue()
    secret = b"\0\0\0\x1euuid" + b"0" * 16 + b"Secret"
    at = picture.index(b"jp2c") - 4
    made = bare_jpeg2000(picture[:at] + secret + picture[at:])
    assert b"Secret" not in made
    shown, wanted = Image.open(io.BytesIO(made)), Image.open(io.BytesIO(picture))
    assert shown.tobytes() == wanted.tobytes()


def test_pictures_lose_everything_but_their_pixels() -> None:
    made = cleaned(png(WORD))
    assert made.dropped == [WORD]
    assert WORD.encode() not in made.data
    shown = Image.open(io.BytesIO(made.data))
    assert (shown.format, shown.size, shown.convert("RGBA").getpixel((3, 3))) == (
        "WEBP",
        (16, 8),
        (0, 0, 255, 128),
    )
    photograph = cleaned(jpeg(WORD, WORD))
    assert WORD in photograph.dropped
    assert WORD.encode() not in photograph.data
    assert photograph.pages == [(16, 16)]


@pytest.mark.parametrize(("encoding", "picture"), [("/CCITTFaxDecode", fax), ("/JBIG2Decode", jbig2)])
def test_a_scan_keeps_its_pixels_and_nothing_else(encoding: str, picture: Callable[[str], bytes]) -> None:
    parameters = (
        pikepdf.Dictionary(K=-1, Columns=16, Rows=16) if "CCITT" in encoding else pikepdf.Dictionary()
    )
    told = bytes(
        255 - byte for byte in striped().tobytes()
    )  # the TIFF that `fax` takes apart has white for black
    assert pixels_of(picture(WORD), encoding, parameters, 16, 16) == told


@pytest.mark.parametrize(("font", "inner"), [("Identity-H", WORD), (f"{WORD}-H", "CIDFontType2")])
def test_a_font_names_only_maps_and_kinds_that_readers_have(font: str, inner: str) -> None:
    pdf = pikepdf.new()
    descendant = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name(f"/{inner}"), BaseFont=pikepdf.Name.Helvetica
    )
    composite = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type0, BaseFont=pikepdf.Name.Helvetica,
        Encoding=pikepdf.Name(f"/{font}"), DescendantFonts=pikepdf.Array([pdf.make_indirect(descendant)]),
    )  # fmt: skip
    page = pdf.add_blank_page(page_size=(200, 200))
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=pdf.make_indirect(composite)))
    page.Contents = pikepdf.Stream(pdf, b"0 0 50 50 re f BT /F 12 Tf 20 100 Td <00410042> Tj ET")
    told = io.BytesIO()
    pdf.save(told)
    assert WORD.encode() not in everything_in(cleaned(told.getvalue()).data)


def test_a_photograph_is_shown_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # lying on its right side
    target = io.BytesIO()
    Image.new("RGB", (40, 20)).save(target, "JPEG", exif=exif)
    assert cleaned(target.getvalue()).pages == [(20, 40)]


@pytest.mark.parametrize("transparent", [None, 65535])
def test_the_greys_of_a_picture_with_sixteen_bits_stay_greys(transparent: int | None) -> None:
    target = io.BytesIO()
    greys = Image.new("I;16", (3, 1))
    for place, grey in enumerate((0, 32768, 65535)):
        greys.putpixel((place, 0), grey)
    greys.save(target, "PNG", **({} if transparent is None else {"transparency": transparent}))
    shown = Image.open(io.BytesIO(cleaned(target.getvalue()).data)).convert("RGBA")
    pixels = [shown.getpixel((place, 0)) for place in range(3)]
    assert pixels[:2] == [(0, 0, 0, 255), (128, 128, 128, 255)]
    assert pixels[2][3] == (255 if transparent is None else 0)


# --- limits


@dataclass(frozen=True)
class Tried:
    """What became of each hostile file, by its name, and the most memory that any took, in KB."""

    refused: dict[str, list[str]]  # code and reason, or nothing where there is a copy with pages
    broken: dict[str, list[str]]
    memory: int


@pytest.fixture(scope="module")
def tried() -> Tried:
    """Every hostile file once, in a process of its own, because a child begins with the size of the process that
    starts it."""
    script = """
import json, resource
from accounts.refusal import Refused
from benchmark.files.process import cleaned
from tests.benchmark import hostile_pdfs

def end_of(data):
    try:
        return [] if cleaned(data).pages else ["no pages", ""]
    except Refused as refusal:
        return [refusal.code, refusal.reason]

files = hostile_pdfs.refused(), hostile_pdfs.broken()
ends = [{name: end_of(data) for name, data in some} for some in files]
print(json.dumps([*ends, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return Tried(*json.loads(done.stdout))


@pytest.mark.slow
def test_hostile_files_end_in_a_sentence(tried: Tried) -> None:
    assert all(tried.refused.values())
    told = {name: reason for name, (_, reason) in tried.refused.items()}
    assert all(reason.endswith(".") for reason in told.values())
    assert told["a page of a kilometre"] == "Page 1 is 3000000 by 3000000 points large."
    assert told["a hundred thousand pages"] == "The file has 100,000 pages; 1 to 500 are read."


@pytest.mark.slow
def test_broken_files_are_copied_or_refused(tried: Tried) -> None:
    assert {name: end for name, end in tried.broken.items() if end and end[0] != "bad_file"} == {}


def test_no_hostile_file_takes_200_megabytes(tried: Tried) -> None:
    assert tried.memory < 200 * 1024


def test_a_file_that_takes_for_ever_is_stopped() -> None:
    with pytest.raises(Refused, match="took longer than 0"):
        cleaned(paper(PARAGRAPH), seconds=0.05)
    assert CPU_SECONDS < 0.6 * WALL_SECONDS  # a loaded machine refuses no good file


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a PDF, PNG or JPEG"),
        (b"PK\x03\x04", "not a PDF, PNG or JPEG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PDF, PNG or JPEG"),
        (huge_png(60_000), "more than 20 million pixels"),
        (png(WORD)[:40], "broken"),
    ],
)
def test_what_is_no_such_file_is_refused_in_words(data: bytes, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        cleaned(data)


def test_a_file_with_a_password_is_refused_and_one_without_needs_none() -> None:
    def locked(**passwords: str) -> bytes:
        target = io.BytesIO()
        pikepdf.open(io.BytesIO(paper(PARAGRAPH))).save(target, encryption=pikepdf.Encryption(**passwords))
        return target.getvalue()

    with pytest.raises(Refused, match="password"):
        cleaned(locked(owner="o", user="u"))
    assert b"/Encrypt" not in cleaned(locked(owner="o", user="")).data


@pytest.mark.slow
def test_no_request_loads_what_reads_foreign_files() -> None:
    script = (
        "import django, sys; django.setup(); import config.urls, config.celery; "
        "from django.urls import get_resolver; get_resolver().url_patterns; "
        "print(sorted({'pikepdf', 'pypdfium2', 'benchmark.files.pdf', 'benchmark.files.images'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
