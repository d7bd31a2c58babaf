"""PDFs put together by lot from what real ones are made of: fonts, colours, pictures, patterns, groups, structures.

Every feature draws into a square of 100 points and comes with what it needs; a document is some pages of them.
"""

import io
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from pikepdf import Array, Dictionary, Name, Stream, String
from PIL import Image, ImageCms, ImageDraw

REAL_FONTS = Path(__file__).resolve().parents[2] / "static" / "vendor" / "pdfjs-6.5.438" / "standard_fonts"
LETTERS = "Let G be a finite group and p a prime; then |G| = n."
Resources = dict[str, dict[str, Any]]


class Drawing:
    """What features need: the file, a source of chance, and a place for resources."""

    def __init__(self, pdf: pikepdf.Pdf, chance: random.Random) -> None:
        self.pdf, self.chance = pdf, chance
        self.resources: Resources = {}
        self._count = 0

    def add(self, kind: str, value: Any) -> str:
        self._count += 1
        name = f"{kind[:2]}{self._count}"
        self.resources.setdefault(kind, {})[name] = value
        return name

    def stream(self, data: bytes, **entries: Any) -> Stream:
        return self.pdf.make_indirect(Stream(self.pdf, data, Dictionary(**entries)))

    def number(self, low: float, high: float) -> float:
        return round(self.chance.uniform(low, high), 2)

    def colour(self, count: int = 3) -> str:
        return " ".join(str(self.number(0, 1)) for _ in range(count))

    def words(self) -> str:
        words = LETTERS.split()
        return " ".join(self.chance.sample(words, 4)).replace("(", "").replace(")", "")


def text_in(
    drawing: Drawing, font: Any, encode: Callable[[str], bytes] = lambda words: words.encode("latin-1")
) -> bytes:
    name, chance = drawing.add("Font", font), drawing.chance
    lines = b""
    for line in range(4):
        shown = encode(drawing.words())
        lines += b"%d Tr %.2f Tc %.1f Tz %.1f Ts %s rg 1 0 0 1 2 %d Tm <%s> Tj\n" % (
            chance.choice([0, 0, 0, 1, 2]), chance.uniform(0, 1), chance.uniform(80, 110), chance.uniform(-2, 2),
            drawing.colour().encode(), 80 - 22 * line, shown.hex().encode(),
        )  # fmt: skip
    return b"0.3 w BT /%s %d Tf\n" % (name.encode(), chance.randrange(9, 15)) + lines + b"ET\n"


def standard_font(drawing: Drawing) -> bytes:
    base = drawing.chance.choice(
        ["Times-Roman", "Helvetica-Bold", "Courier-Oblique", "Symbol", "ZapfDingbats"]
    )
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/" + base))
    if base not in ("Symbol", "ZapfDingbats"):
        font.Encoding = Dictionary(
            BaseEncoding=Name.WinAnsiEncoding,
            Differences=Array([112, Name("/fi"), Name("/fl"), 114, Name("/alpha")]),
        )
    return text_in(drawing, font)


def _subset(drawing: Drawing) -> TTFont:
    font = TTFont(drawing.chance.choice(sorted(REAL_FONTS.glob("Liberation*.ttf"))))
    subsetter = Subsetter(
        Options(retain_gids=False, notdef_outline=True, drop_tables=["FFTM", "GSUB", "GPOS"])
    )
    subsetter.populate(text=LETTERS + "αβ∫")
    subsetter.subset(font)
    return font


def _file_of(font: TTFont) -> bytes:
    target = io.BytesIO()
    font.save(target)
    return target.getvalue()


def _descriptor(name: str, **file: Any) -> Dictionary:
    return Dictionary(
        Type=Name.FontDescriptor, FontName=Name(f"/ABCDEF+{name}"), Flags=32, FontBBox=Array([-200, -300, 1500, 1100]),
        ItalicAngle=0, Ascent=900, Descent=-250, CapHeight=700, StemV=80, **file,
    )  # fmt: skip


def truetype(drawing: Drawing) -> bytes:
    font = _subset(drawing)
    cmap, widths = font.getBestCmap(), font["hmtx"]
    scale = 1000 / font["head"].unitsPerEm
    made = Dictionary(
        Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name("/ABCDEF+DejaVu"), FirstChar=32, LastChar=126,
        Widths=Array([round(widths[cmap.get(code, ".notdef")][0] * scale) for code in range(32, 127)]),
        Encoding=Name.WinAnsiEncoding,
        FontDescriptor=_descriptor("DejaVu", FontFile2=drawing.stream(_file_of(font))),
    )  # fmt: skip
    return text_in(drawing, drawing.pdf.make_indirect(made))


def composite(drawing: Drawing) -> bytes:
    font = _subset(drawing)
    cmap, order = font.getBestCmap(), {name: number for number, name in enumerate(font.getGlyphOrder())}
    scale = 1000 / font["head"].unitsPerEm
    widths = Array([round(font["hmtx"][name][0] * scale) for name in font.getGlyphOrder()])
    pairs = "".join(f"<{order[name]:04x}> <{code:04x}>\n" for code, name in cmap.items())
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(cmap)} beginbfchar\n{pairs}endbfchar\nendcmap end end"
    )
    inner = Dictionary(
        Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name("/ABCDEF+DejaVu"), CIDToGIDMap=Name.Identity,
        CIDSystemInfo=Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0),
        W=Array([0, widths]), FontDescriptor=_descriptor("DejaVu", FontFile2=drawing.stream(_file_of(font))),
    )  # fmt: skip
    made = Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=Name("/ABCDEF+DejaVu"), Encoding=Name("/Identity-H"),
        DescendantFonts=Array([drawing.pdf.make_indirect(inner)]), ToUnicode=drawing.stream(table.encode()),
    )  # fmt: skip
    return text_in(
        drawing, made, lambda words: b"".join(order[cmap[ord(sign)]].to_bytes(2, "big") for sign in words)
    )


def compact(drawing: Drawing) -> bytes:
    """A Type 1 font in compact form: a real one, or one of polygons, bare or in OpenType."""
    builder = FontBuilder(1000, isTTF=False)
    names = [
        ".notdef",
        *(chr(code) for code in range(65, 91)),
        *(chr(code) for code in range(97, 123)),
        "space",
    ]
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(name) if len(name) == 1 else 32: name for name in names[1:]})
    strings = {}
    for name in names:
        pen = T2CharStringPen(600, None)
        pen.moveTo((50, 0))
        for _ in range(4):
            pen.lineTo((drawing.chance.randrange(50, 550), drawing.chance.randrange(0, 700)))
        pen.closePath()
        strings[name] = pen.getCharString()
    builder.setupCFF("Made", {"FullName": "Made", "Notice": "A notice"}, strings, {})
    builder.setupHorizontalMetrics(dict.fromkeys(names, (600, 50)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Made", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    whole = drawing.chance.random() < 0.5
    data = _file_of(builder.font)
    if not whole:
        data = TTFont(io.BytesIO(data)).reader["CFF "]
    if drawing.chance.random() < 0.5:
        chosen = drawing.chance.choice(["Fixed", "FixedBold", "Serif", "SerifItalic", "SerifBold"])
        whole, data = False, (REAL_FONTS / f"Foxit{chosen}.pfb").read_bytes()
    file = drawing.stream(data, Subtype=Name.OpenType if whole else Name.Type1C)
    made = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/ABCDEF+Made"), FirstChar=32, LastChar=126,
        Widths=Array([600] * 95), Encoding=Name.WinAnsiEncoding, FontDescriptor=_descriptor("Made", FontFile3=file),
    )  # fmt: skip
    return text_in(drawing, made)


def drawn_font(drawing: Drawing) -> bytes:
    """Type 3: glyphs are drawings, one with a colour of its own."""
    glyphs = Dictionary()
    for number in range(5):
        head = b"600 0 d0 %s rg\n" % drawing.colour().encode() if number == 0 else b"600 0 0 0 600 700 d1\n"
        body = b"%d %d 300 400 re %s" % (number * 40, number * 30, drawing.chance.choice([b"f", b"S", b"B*"]))
        glyphs[f"/g{number}"] = drawing.stream(head + b"20 w " + body)
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 700, 700]),
        FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]), CharProcs=glyphs, FirstChar=97, LastChar=101,
        Encoding=Dictionary(Differences=Array([97, *(Name(f"/g{number}") for number in range(5))])),
        Widths=Array([600] * 5), Resources=Dictionary(),
    )  # fmt: skip
    shown = bytes(drawing.chance.choice(b"abcde") for _ in range(6))
    return b"BT /%s 16 Tf %s rg 4 40 Td [(%s) -200 (ab)] TJ ET\n" % (
        drawing.add("Font", font).encode(), drawing.colour().encode(), shown,
    )  # fmt: skip


def paths(drawing: Drawing) -> bytes:
    out = b"q 5 5 90 90 re W n\n"
    for _ in range(6):
        points = b" ".join(b"%.1f" % drawing.number(0, 100) for _ in range(6))
        out += b"%s RG %s rg %.1f w %d J %d j [%d %d] %d d %.1f %.1f m %s c %s\n" % (
            drawing.colour().encode(), drawing.colour().encode(), drawing.number(0.2, 5), drawing.chance.randrange(3),
            drawing.chance.randrange(3), drawing.chance.randrange(1, 9), drawing.chance.randrange(1, 5),
            drawing.chance.randrange(3), drawing.number(0, 100), drawing.number(0, 100), points,
            drawing.chance.choice([b"S", b"s", b"b", b"B*", b"f*"]),
        )  # fmt: skip
    return out + b"Q\n"


def _function(drawing: Drawing, outputs: int) -> Any:
    def ends() -> Array:
        return Array([drawing.number(0, 1) for _ in range(outputs)])

    def power() -> Dictionary:
        return Dictionary(
            FunctionType=2, Domain=Array([0, 1]), C0=ends(), C1=ends(), N=drawing.chance.choice([1, 2.5])
        )

    kind = drawing.chance.choice([0, 2, 3, 4])
    bounds = Array([0, 1] * outputs)
    if kind == 2:
        return power()
    if kind == 3:
        return Dictionary(
            FunctionType=3,
            Domain=Array([0, 1]),
            Functions=Array([power(), power()]),
            Bounds=Array([0.4]),
            Encode=Array([0, 1, 1, 0]),
        )
    if kind == 4:
        program = "{ " + "dup " * (outputs - 1) + "0.5 mul 0.3 add % half\n }"
        return drawing.stream(program.encode(), FunctionType=4, Domain=Array([0, 1]), Range=bounds)
    samples = bytes(drawing.chance.randrange(256) for _ in range(8 * outputs))
    return drawing.stream(
        samples, FunctionType=0, Domain=Array([0, 1]), Range=bounds, Size=Array([8]), BitsPerSample=8
    )


def smooth(drawing: Drawing) -> bytes:
    """Shadings by functions and by meshes."""
    kind = drawing.chance.choice([1, 2, 3, 4, 5, 6, 7])
    common: dict[str, Any] = {"ShadingType": kind, "ColorSpace": Name.DeviceRGB}
    if kind == 1:
        square = drawing.stream(
            b"{ 2 copy mul }", FunctionType=4, Domain=Array([0, 1, 0, 1]), Range=Array([0, 1] * 3)
        )
        shading: Any = Dictionary(**common, Matrix=Array([90, 10, 0, 90, 0, 0]), Function=square)
    elif kind < 4:
        coordinates = [0, 0, 100, 80] if kind == 2 else [40, 40, 5, 60, 55, 45]
        shading = Dictionary(
            **common,
            Coords=Array(coordinates),
            Function=_function(drawing, 3),
            Extend=Array([True, drawing.chance.random() < 0.5]),
        )
    else:

        def vertex() -> bytes:
            return bytes(drawing.chance.randrange(256) for _ in range(2))

        def tint() -> bytes:
            return bytes(drawing.chance.randrange(256) for _ in range(3))

        count = {6: 12, 7: 16}.get(kind, 1)
        if kind == 4:
            data = b"".join(b"\0" + vertex() + tint() for _ in range(9))
        elif kind == 5:
            data = b"".join(vertex() + tint() for _ in range(9))
        else:
            data = b"\0" + b"".join(vertex() for _ in range(count)) + b"".join(tint() for _ in range(4))
        entries = {
            "BitsPerCoordinate": 8,
            "BitsPerComponent": 8,
            "Decode": Array([0, 100, 0, 100] + [0, 1] * 3),
        }
        entries |= {"VerticesPerRow": 3} if kind == 5 else {"BitsPerFlag": 8}
        shading = drawing.stream(data, **common, **entries)
    if drawing.chance.random() < 0.5:
        return b"q 2 2 96 96 re W n /%s sh Q\n" % drawing.add("Shading", shading).encode()
    pattern = Dictionary(
        PatternType=2, Shading=drawing.pdf.make_indirect(shading), Matrix=Array([1, 0, 0, 1, 40, 40])
    )
    return b"/Pattern cs /%s scn 2 2 96 96 re f\n" % drawing.add("Pattern", pattern).encode()


def tiles(drawing: Drawing) -> bytes:
    coloured = drawing.chance.random() < 0.5
    content = b"%s 0 0 6 6 re f 8 8 m 14 14 l S" % (b"0 0.4 0.9 rg" if coloured else b"")
    pattern = drawing.stream(
        content, PatternType=1, PaintType=1 if coloured else 2, TilingType=drawing.chance.randrange(1, 4),
        BBox=Array([0, 0, 15, 15]), XStep=drawing.chance.randrange(10, 20), YStep=16, Resources=Dictionary(),
        Matrix=Array([1, drawing.number(-0.3, 0.3), 0, 1, 3, 3]),
    )  # fmt: skip
    name = drawing.add("Pattern", pattern).encode()
    if coloured:
        return b"/Pattern cs /%s scn 5 5 90 90 re f\n" % name
    space = drawing.add("ColorSpace", Array([Name.Pattern, Name.DeviceRGB])).encode()
    return b"/%s cs %s /%s scn 5 5 90 90 re f\n" % (space, drawing.colour().encode(), name)


def spaces(drawing: Drawing) -> bytes:
    """Every colour space, in stripes."""
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    white = Array([0.9505, 1, 1.089])
    one = _function(drawing, 3)
    four = drawing.stream(
        b"{ 0.5 mul exch 0.3 mul add 0.2 0.1 0 }",
        FunctionType=4,
        Domain=Array([0, 1, 0, 1]),
        Range=Array([0, 1] * 4),
    )
    found: list[tuple[Any, int]] = [
        (Name.DeviceGray, 1), (Name.DeviceRGB, 3), (Name.DeviceCMYK, 4),
        (Array([Name.ICCBased, drawing.stream(profile, N=3, Alternate=Name.DeviceRGB)]), 3),
        (Array([Name.CalRGB, Dictionary(WhitePoint=white, Gamma=Array([2.2, 2.2, 2.2]))]), 3),
        (Array([Name.CalGray, Dictionary(WhitePoint=white, Gamma=1.8)]), 1),
        (Array([Name.Lab, Dictionary(WhitePoint=white, Range=Array([-100, 100, -100, 100]))]), 3),
        (Array([Name.Separation, Name("/Spot#20of#20ours"), Name.DeviceRGB, one]), 1),
        (Array([Name.DeviceN, Array([Name("/Gold"), Name.Cyan]), Name.DeviceCMYK, four]), 2),
        (Array([Name.Indexed, Name.DeviceRGB, 3, String(bytes(range(0, 240, 20)))]), 0),
    ]  # fmt: skip
    out = b""
    for row, (space, count) in enumerate(drawing.chance.sample(found, 7)):
        name = space if isinstance(space, Name) else Name("/" + drawing.add("ColorSpace", space))
        value = drawing.colour(count) if count else str(drawing.chance.randrange(4))
        if isinstance(space, Array) and space[0] == "/Lab":
            value = f"{drawing.number(20, 90)} {drawing.number(-60, 60)} {drawing.number(-60, 60)}"
        out += f"{name} cs {value} sc 4 {4 + 13 * row} 92 11 re f\n".encode()
    return out


def _photograph(drawing: Drawing, mode: str) -> Image.Image:
    picture = Image.new(mode, (drawing.chance.randrange(20, 90), drawing.chance.randrange(20, 90)))
    pen = ImageDraw.Draw(picture)
    for _ in range(12):
        shade = tuple(drawing.chance.randrange(256) for _ in picture.getbands())
        box = sorted(drawing.chance.randrange(90) for _ in range(2)) * 2
        pen.ellipse(
            (box[0] - 20, box[2] - 10, box[1], box[3] + 5), fill=shade if len(shade) > 1 else shade[0]
        )
    return picture


def picture(drawing: Drawing) -> bytes:
    """Pictures in every filter and with every kind of mask."""
    kind = drawing.chance.choice(
        ["flate", "predictor", "jpeg", "gray jpeg", "cmyk jpeg", "jpx", "ccitt", "stencil", "indexed", "lzw", "ascii",
         "run length", "soft mask", "key mask", "stencil mask", "inline", "deep"]
    )  # fmt: skip
    image = _photograph(drawing, {"gray jpeg": "L", "cmyk jpeg": "CMYK"}.get(kind, "RGB"))
    width, height = image.size
    entries: dict[str, Any] = {
        "Type": Name.XObject, "Subtype": Name.Image, "Width": width, "Height": height, "BitsPerComponent": 8,
        "ColorSpace": {"L": Name.DeviceGray, "CMYK": Name.DeviceCMYK}.get(image.mode, Name.DeviceRGB),
    }  # fmt: skip
    data, target = image.tobytes(), io.BytesIO()
    place = b"q %.1f 0 %.1f %.1f 8 8 cm " % (
        drawing.number(50, 84),
        drawing.number(-8, 8),
        drawing.number(50, 84),
    )
    if kind == "inline":
        small = image.resize((12, 10)).tobytes()
        return place + b"BI /W 12 /H 10 /BPC 8 /CS /RGB /F /Fl ID " + zlib.compress(small) + b"\nEI Q\n"
    if kind in ("jpeg", "gray jpeg", "cmyk jpeg"):
        image.save(
            target,
            "JPEG",
            quality=drawing.chance.randrange(40, 95),
            progressive=drawing.chance.random() < 0.5,
        )
        data, entries["Filter"] = target.getvalue(), Name.DCTDecode
        if kind == "cmyk jpeg":
            entries["Decode"] = Array([1, 0] * 4)
    elif kind == "jpx":
        image.save(target, "JPEG2000", irreversible=drawing.chance.random() < 0.5)
        data, entries["Filter"] = target.getvalue(), Name.JPXDecode
    elif kind == "ccitt":
        image.convert("1").save(target, "TIFF", compression="group4")
        tags = Image.open(io.BytesIO(target.getvalue())).tag_v2
        data = target.getvalue()[tags[273][0] : tags[273][0] + tags[279][0]]
        parameters = Dictionary(K=-1, Columns=width, Rows=height, BlackIs1=drawing.chance.random() < 0.5)
        entries |= {
            "Filter": Name.CCITTFaxDecode,
            "DecodeParms": parameters,
            "BitsPerComponent": 1,
            "ColorSpace": Name.DeviceGray,
        }
    elif kind == "stencil":
        data = image.convert("1").tobytes()
        entries |= {"ImageMask": True, "BitsPerComponent": 1}
        del entries["ColorSpace"]
        place = drawing.colour().encode() + b" rg " + place
    elif kind == "indexed":
        small = image.quantize(16)
        palette = bytes(small.getpalette() or [])[:48]
        data = small.tobytes()
        space = Array([Name.Indexed, Name.DeviceRGB, len(palette) // 3 - 1, drawing.stream(palette)])
        entries["ColorSpace"] = space
    elif kind == "deep":
        data = b"".join(bytes((value, drawing.chance.randrange(256))) for value in data)
        entries["BitsPerComponent"] = 16
    elif kind == "predictor":
        rows = b"".join(
            b"\x02"
            + bytes((data[at + x] - (data[at - 3 * width + x] if at else 0)) % 256 for x in range(3 * width))
            for at in range(0, len(data), 3 * width)
        )
        data = zlib.compress(rows)
        entries |= {
            "Filter": Name.FlateDecode,
            "DecodeParms": Dictionary(Predictor=15, Colors=3, Columns=width),
        }
    elif kind == "ascii":
        data = zlib.compress(data).hex().encode() + b">"
        entries["Filter"] = Array([Name.ASCIIHexDecode, Name.FlateDecode])
    elif kind == "run length":
        data = (
            b"".join(
                bytes([len(part) - 1]) + part
                for part in (data[at : at + 128] for at in range(0, len(data), 128))
            )
            + b"\x80"
        )
        entries["Filter"] = Name.RunLengthDecode
    elif kind == "lzw":
        bits = (
            "".join(f"{code:09b}" for byte in data[: 3 * width * height] for code in (256, byte))
            + f"{257:09b}"
        )
        bits += "0" * (-len(bits) % 8)
        data, entries["Filter"] = int(bits, 2).to_bytes(len(bits) // 8, "big"), Name.LZWDecode
    elif kind in ("soft mask", "stencil mask"):
        mask = _photograph(drawing, "L")
        soft = kind == "soft mask"
        shape = {"Type": Name.XObject, "Subtype": Name.Image, "Width": mask.width, "Height": mask.height}
        if soft:
            entries["SMask"] = drawing.stream(
                mask.tobytes(), **shape, BitsPerComponent=8, ColorSpace=Name.DeviceGray
            )
        else:
            entries["Mask"] = drawing.stream(
                mask.convert("1").tobytes(), **shape, BitsPerComponent=1, ImageMask=True
            )
    elif kind == "key mask":
        entries["Mask"] = Array([0, 60, 0, 255, 0, 255])
    return place + b"/%s Do Q\n" % drawing.add("XObject", drawing.stream(data, **entries)).encode()


def see_through(drawing: Drawing) -> bytes:
    """Blend modes, constant and soft masks, groups that are isolated or knock out."""
    group = Dictionary(
        S=Name.Transparency,
        CS=Name.DeviceRGB,
        I=drawing.chance.random() < 0.5,
        K=drawing.chance.random() < 0.5,
    )
    mode = drawing.chance.choice(
        ["Multiply", "Screen", "Overlay", "Darken", "ColorDodge", "Difference", "Luminosity", "Hue"]
    )
    shape = drawing.stream(
        b"0 0 60 60 re 0.8 g f 20 20 60 60 re 0.3 g f", Type=Name.XObject, Subtype=Name.Form,
        BBox=Array([0, 0, 100, 100]), Group=Dictionary(S=Name.Transparency, CS=Name.DeviceGray), Resources=Dictionary(),
    )  # fmt: skip
    state = Dictionary(
        Type=Name.ExtGState, BM=Name("/" + mode), ca=drawing.number(0.3, 1), CA=drawing.number(0.3, 1)
    )
    if drawing.chance.random() < 0.6:
        state.SMask = Dictionary(
            S=drawing.chance.choice([Name.Luminosity, Name.Alpha]), G=shape, BC=Array([0.5])
        )
    outer = drawing.stream(
        b"%s rg 10 10 50 50 re f %s rg 30 30 55 55 re f" % (drawing.colour().encode(), drawing.colour().encode()),
        Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 100, 100]), Group=group, Resources=Dictionary(),
    )  # fmt: skip
    return b"%s rg 0 40 100 30 re f /%s gs /%s Do\n" % (
        drawing.colour().encode(), drawing.add("ExtGState", state).encode(), drawing.add("XObject", outer).encode(),
    )  # fmt: skip


def forms(drawing: Drawing) -> bytes:
    """Forms in forms, with resources of their own and with those of the page."""
    inner = drawing.stream(
        b"%s rg 0 0 30 30 re f" % drawing.colour().encode(),
        Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 25, 40]), Matrix=Array([1, 0.2, -0.1, 1, 5, 5]),
    )  # fmt: skip
    middle = drawing.stream(
        b"q /In Do Q 1 0 0 1 40 30 cm /In Do", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 90, 90]),
        Resources=Dictionary(XObject=Dictionary(In=inner)),
    )  # fmt: skip
    name = drawing.add("XObject", middle).encode()
    return b"q /%s Do Q q 0.5 0 0 0.5 40 0 cm /%s Do Q\n" % (name, name)


def layers(drawing: Drawing) -> bytes:
    """A layer that is shown, marked content with words for it, and comments."""
    layer = drawing.pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Layer")))
    listed = drawing.pdf.Root.get("/OCProperties") or Dictionary(
        OCGs=Array([]), D=Dictionary(Order=Array([]))
    )
    listed.OCGs.append(layer)
    drawing.pdf.Root.OCProperties = listed
    return b"/OC /%s BDC /Span <</ActualText (words)>> BDC %% a comment\n%s rg 10 10 70 60 re f EMC EMC\n" % (
        drawing.add("Properties", layer).encode(), drawing.colour().encode(),
    )  # fmt: skip


FEATURES = [
    standard_font, truetype, composite, compact, drawn_font, paths, smooth, tiles, spaces, picture, picture,
    see_through, forms, layers,
]  # fmt: skip


def made_pdf(seed: int) -> bytes:
    """A document by lot; the same to look at for the same number."""
    chance = random.Random(seed)
    pdf = pikepdf.new()
    shared: Resources = {}
    for number in range(chance.randrange(1, 4)):
        drawing = Drawing(pdf, chance)
        content = b""
        for place, feature in enumerate(chance.sample(FEATURES, 9)):
            column, row = place % 3, place // 3
            content += (
                b"q 1 0 0 1 %d %d cm\n" % (10 + 110 * column, 10 + 110 * row) + feature(drawing) + b"Q\n"
            )
        page = pdf.add_blank_page(page_size=(350, 350)).obj
        parts = content.split(b"Q\nq ", 1) if chance.random() < 0.3 else [content]
        if len(parts) == 2:
            parts = [parts[0] + b"Q\n", b"q " + parts[1]]
        page.Contents = (
            Array([drawing.stream(part) for part in parts]) if len(parts) > 1 else drawing.stream(content)
        )
        own = Dictionary(**{kind: Dictionary(**entries) for kind, entries in drawing.resources.items()})
        if chance.random() < 0.3 and not shared:
            shared = drawing.resources  # inherited from the tree of pages
            pdf.Root.Pages.Resources = own
            del page["/Resources"]
        else:
            page.Resources = own
        if chance.random() < 0.3:
            page.CropBox = Array([5, 10, 340, 330 - 10 * number])
        if chance.random() < 0.3:
            page.Rotate = chance.choice([90, 180, 270])
        if chance.random() < 0.2:
            page.Group = Dictionary(S=Name.Transparency, CS=Name.DeviceRGB, I=True)
        if chance.random() < 0.1:
            page.MediaBox = Array([-20, -30, 350, 350])
    target = io.BytesIO()
    mode = chance.choice(["plain", "objects", "linear", "locked"])
    pdf.save(
        target,
        linearize=mode == "linear",
        object_stream_mode=pikepdf.ObjectStreamMode.generate
        if mode == "objects"
        else pikepdf.ObjectStreamMode.disable,
        encryption=pikepdf.Encryption(owner="o", user="", R=chance.choice([4, 6]))
        if mode == "locked"
        else False,
        deterministic_id=mode != "locked",
    )
    return target.getvalue()
