"""A PDF without a trace of its origin: a new file made of a list of what may be in it. For the child process.

Nothing is deleted from the uploaded file; its pages are built again, object by object, from the keys named here. What
the copy cannot do without and what a person could still read in it (titles of the outline, names of glyphs) is reported
to be scanned for names. A copy that does not look like its original is refused.
"""

import io
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Array, Dictionary, Name

from benchmark.files.child import MAX_WORDS, Cleaned
from benchmark.files.copying import Copy
from benchmark.files.refused import Unreadable

MAX_PAGES, MAX_OBJECTS, MAX_CHARACTERS = 500, 300_000, 60_000
SMALLEST, LARGEST = 9.0, 4_000.0  # points
LOOKED_AT = 60  # pages drawn before and after, in small
DRAWN_WIDTH = 150
MAX_TITLES, MAX_DEPTH = 2_000, 8
ICONS = ("/Text", "/Popup", "/FileAttachment", "/Sound", "/Movie")


def clean_pdf(data: bytes) -> Cleaned:
    """The clean copy of a PDF; raises Unreadable with the page at fault."""
    before = opened(data)
    checked(before)
    try:
        source = pikepdf.open(io.BytesIO(data))
    except pikepdf.PasswordError:
        raise Unreadable("The file can only be opened with a password.") from None
    except pikepdf.PdfError:
        raise Unreadable("The file is broken.") from None
    if len(source.objects) > MAX_OBJECTS:
        raise Unreadable(f"The file has more than {MAX_OBJECTS:,} objects.")
    try:
        if _flattened(source):
            before = opened(_saved(source))
            checked(before)
        target, copy, titles = _copied(source)
    except (pikepdf.PdfError, ValueError, TypeError, KeyError, IndexError, RecursionError):
        raise Unreadable("The file is broken, or uses something that cannot be copied.") from None
    copied = _saved(target)
    del target
    after = opened(copied)
    if len(after) != len(before):
        raise Unreadable("The file could not be copied whole.")
    for number in range(min(len(before), LOOKED_AT)):
        (width, greys), (new_width, new_greys) = _drawn(before[number]), _drawn(after[number])
        differs = width != new_width or len(greys) != len(new_greys)
        if not differs and greys != new_greys:  # a few pixels at the edges of glyphs are rounding
            changed = sum(abs(a - b) > 40 for a, b in zip(greys, new_greys, strict=True))
            differs = changed > max(2, len(greys) // 10_000)
        if differs:
            raise Unreadable(f"Page {number + 1} would look different in the copy that readers get.")
    pages, words = checked(after)  # of the copy: texts in place of glyphs are not in it
    kept = [*titles, *sorted(copy.glyphs)]
    # the metadata, which the copy does not have: an author who says so there may have said it elsewhere too
    told = source.trailer.get("/Info")
    values = list(told.values()) if isinstance(told, Dictionary) else []
    said = [str(value) for value in values if isinstance(value, pikepdf.String)]
    dropped = [storable(one)[:1000] for one in said if one.strip()]
    return Cleaned(copied, "pdf", pages, words, kept, dropped)


def _saved(pdf: pikepdf.Pdf) -> bytes:
    made = io.BytesIO()
    pdf.save(
        made,
        deterministic_id=True,
        compress_streams=True,
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
        fix_metadata_version=False,
    )
    return made.getvalue()


def _flattened(source: pikepdf.Pdf) -> bool:
    """Draw on the pages what readers see of forms and annotations: filled fields, text boxes, stamps, ink. A note is an
    icon, which without its words says nothing. Says whether there was anything."""
    found, off = False, _layers_off(source)
    for page in source.pages:
        annotations = page.obj.get("/Annots")
        if isinstance(annotations, Array):
            drawn = [
                one
                for one in annotations
                if isinstance(one, Dictionary)
                and one.get("/Subtype") not in ICONS
                and one.get("/OC", Dictionary()).objgen not in off
            ]
            page.obj.Annots = Array(drawn)
            found = found or any(one.get("/Subtype") != "/Link" for one in drawn)
    if found:
        source.generate_appearance_streams()
        source.flatten_annotations("screen")
    return found


def opened(data: bytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise Unreadable("The file can only be opened with a password.") from None
        raise Unreadable("The file is broken.") from None


def checked(document: pdfium.PdfDocument) -> tuple[list[tuple[float, ...]], list[str]]:
    """Width, height and box of each page, and its words; raises Unreadable for what no proof looks like."""
    if not 0 < len(document) <= MAX_PAGES:
        raise Unreadable(f"The file has {len(document):,} pages; 1 to {MAX_PAGES} are read.")
    sizes: list[tuple[float, ...]] = []
    words: list[str] = []
    for number in range(len(document)):
        try:
            page = document[number]
        except pdfium.PdfiumError:
            raise Unreadable(f"Page {number + 1} is broken.") from None
        width, height = page.get_size()
        if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
            raise Unreadable(f"Page {number + 1} is {width:.0f} by {height:.0f} points large.")
        text = page.get_textpage()
        if text.count_chars() > MAX_CHARACTERS:
            raise Unreadable(f"Page {number + 1} has more than {MAX_CHARACTERS:,} characters.")
        # of the whole page: what is invisible, white or outside its edges is read too
        words.append(storable(text.get_text_range()) if text.count_chars() else "")
        box = page.get_mediabox(fallback_ok=True)
        sizes.append(tuple(round(side, 2) for side in (width, height, *box)))
        text.close()
        page.close()
        if sum(map(len, words)) > MAX_WORDS:
            raise Unreadable(f"The file has more than {MAX_WORDS:,} characters.")
    return sizes, words


def storable(text: str) -> str:
    """Without what no database holds: NUL, and halves of pairs."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _drawn(page: pdfium.PdfPage) -> tuple[int, bytes]:
    """A small picture of the page without annotations and forms: bytes in a row, and its pixels."""
    bitmap = page.render(
        scale=DRAWN_WIDTH / max(page.get_size()), draw_annots=False, may_draw_forms=False, grayscale=True
    )
    return bitmap.stride, bytes(bitmap.buffer)


def _copied(source: pikepdf.Pdf) -> tuple[pikepdf.Pdf, Copy, list[str]]:
    target = pikepdf.new()
    copy = Copy(target, hidden_layers(source))
    numbers: dict[tuple[int, int], int] = {}
    inherited = [_inherited(page.obj) for page in source.pages]
    for number, (page, values) in enumerate(zip(source.pages, inherited, strict=True)):
        numbers[page.obj.objgen] = number
        target.add_blank_page(page_size=(100, 100))
        made = target.pages[number].obj
        for key in list(made.keys()):
            if key not in ("/Type", "/Parent"):
                del made[key]
        made.MediaBox = copy.box(values["/MediaBox"])
        if "/CropBox" in values:
            made.CropBox = copy.box(values["/CropBox"])
        if values.get("/Rotate"):
            made.Rotate = int(values["/Rotate"])
        if isinstance(page.obj.get("/UserUnit"), int):
            made.UserUnit = page.obj.UserUnit
        if (group := copy.group(page.obj.get("/Group"))) is not None:
            made.Group = group
        made.Resources = copy.resources(values.get("/Resources"))
        made.Contents = pikepdf.Stream(target, copy.content(page, values.get("/Resources")))
    find = _finder(source, numbers)
    for number, page in enumerate(source.pages):
        annotations, links = page.obj.get("/Annots"), []
        for one in annotations if isinstance(annotations, Array) else ():
            if not isinstance(one, Dictionary) or one.get("/Subtype") != "/Link" or "/Rect" not in one:
                continue
            action = one.get("/A")
            goes = (
                action.get("/D") if isinstance(action, Dictionary) and action.get("/S") == "/GoTo" else None
            )
            if place := find(one.get("/Dest", goes)):  # it leads to a place in the file itself
                links.append(
                    Dictionary(
                        Type=Name.Annot,
                        Subtype=Name.Link,
                        Rect=Copy.box(one.Rect),
                        Border=Array([0, 0, 0]),
                        Dest=_destination(target, place),
                    )
                )
        if links:
            target.pages[number].obj.Annots = Array([target.make_indirect(link) for link in links])
    return target, copy, _outline(source, target, find)


def hidden_layers(source: pikepdf.Pdf) -> frozenset[str]:
    """The names under which pages refer to layers that are off when the file is opened.

    Raises Unreadable for forms or pictures in such a layer, which the copy would show.
    """
    off = _layers_off(source)
    found = set()
    for page in source.pages:
        properties = _inherited(page.obj).get("/Resources", Dictionary()).get("/Properties", Dictionary())
        found |= {name for name, layer in properties.items() if layer.objgen in off}
    return frozenset(found)


def _layers_off(source: pikepdf.Pdf) -> set[tuple[int, int]]:
    settings = source.Root.get("/OCProperties")
    if settings is None:
        return set()
    defaults = settings.get("/D", Dictionary())
    off = {one.objgen for one in defaults.get("/OFF", [])}
    if defaults.get("/BaseState") == "/OFF":
        on = {one.objgen for one in defaults.get("/ON", [])}
        off |= {one.objgen for one in settings.get("/OCGs", []) if one.objgen not in on}
    return off


def _inherited(page: Any) -> dict[str, Any]:
    """What a page has itself or from the tree above it."""
    found: dict[str, Any] = {}
    node, depth = page, 0
    while isinstance(node, Dictionary) and depth < 50:
        for key in ("/MediaBox", "/CropBox", "/Rotate", "/Resources"):
            if key in node and key not in found:
                found[key] = node[key]
        node, depth = node.get("/Parent"), depth + 1
    found.setdefault("/MediaBox", Array([0, 0, 612, 792]))
    return found


Find = Callable[[Any], list[Any] | None]


def _finder(source: pikepdf.Pdf, numbers: dict[tuple[int, int], int]) -> Find:
    """Where a destination leads: [number of the page, /XYZ, left, top], whatever way it is written; None if nowhere."""
    named: dict[str, Any] = {}
    try:
        named |= {str(name): value for name, value in source.Root.get("/Dests", Dictionary()).items()}
        if "/Dests" in source.Root.get("/Names", Dictionary()):
            named |= {str(name): value for name, value in pikepdf.NameTree(source.Root.Names.Dests).items()}
    except (pikepdf.PdfError, ValueError, TypeError, RuntimeError):
        named = {}

    def find(value: Any) -> list[Any] | None:
        for _ in range(3):
            if isinstance(value, pikepdf.String | Name):
                value = named.get(str(value))
            elif isinstance(value, Dictionary):
                value = value.get("/D")
        if not isinstance(value, Array) or len(value) < 2 or not isinstance(value[0], Dictionary):
            return None
        number = numbers.get(value[0].objgen)
        if number is None:
            return None
        left, top = (value[2], value[3]) if value[1] == "/XYZ" and len(value) >= 4 else (None, None)
        if value[1] in ("/FitH", "/FitBH") and len(value) >= 3:
            top = value[2]
        return [number, *(one if isinstance(one, int | float | Decimal) else None for one in (left, top))]

    return find


def _destination(target: pikepdf.Pdf, place: list[Any]) -> Array:
    page, left, top = place
    return Array([target.pages[page].obj, Name.XYZ, left, top, None])


def _outline(source: pikepdf.Pdf, target: pikepdf.Pdf, find: Find) -> list[str]:
    """Build the outline again; returns its titles."""
    titles: list[str] = []
    seen: set[tuple[int, int]] = set()

    def entries(node: Any, depth: int) -> Iterator[pikepdf.OutlineItem]:
        while isinstance(node, Dictionary) and len(titles) < MAX_TITLES and node.objgen not in seen:
            seen.add(node.objgen)
            action = node.get("/A")
            goes = action.get("/D") if isinstance(action, Dictionary) else None
            if place := find(node.get("/Dest", goes)):
                title = storable(str(node.get("/Title", "")))[:300]
                titles.append(title)
                item = pikepdf.OutlineItem(title, _destination(target, place))
                if depth < MAX_DEPTH:
                    item.children.extend(entries(node.get("/First"), depth + 1))
                yield item
            node = node.get("/Next")

    first = source.Root.get("/Outlines", Dictionary()).get("/First")
    if first is not None:
        with target.open_outline() as outline:
            outline.root.extend(entries(first, 1))
    return titles
