"""The objects that pages are made of, each copied by a list of what it may contain. For the child process."""

import re
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import pikepdf
from fontTools.agl import AGL2UV
from pikepdf import Array, Dictionary, Name, Stream, StreamDecodeLevel

from benchmark.files.bilevel import pixels_of
from benchmark.files.content import is_number, rewritten
from benchmark.files.fonts import bare_cff, bare_map, bare_sfnt, bare_type1
from benchmark.files.jpeg import bare_jpeg, bare_jpeg2000
from benchmark.files.refused import Unreadable

MAX_DEPTH = 30
MAX_PICTURE, MAX_SIDE = 100_000_000, 20_000
DEVICES = {"/DeviceGray": 1, "/DeviceRGB": 3, "/DeviceCMYK": 4}
COLORANTS = {"/All", "/None", "/Cyan", "/Magenta", "/Yellow", "/Black"}
_MODES = """Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight Difference
    Exclusion Hue Saturation Color Luminosity"""
BLEND_MODES = {f"/{name}" for name in _MODES.split()}
# Maps of codes that readers have (ISO 32000-1, table 118).
_CMAPS = """Identity GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K UniGB-UCS2 UniGB-UTF16 B5pc HKscs-B5 ETen-B5 ETenms-B5
    CNS-EUC UniCNS-UCS2 UniCNS-UTF16 83pv-RKSJ 90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ EUC Ext-RKSJ UniJIS-UCS2
    UniJIS-UCS2-HW UniJIS-UTF16 KSC-EUC KSCms-UHC KSCms-UHC-HW KSCpc-EUC UniKS-UCS2 UniKS-UTF16"""
CMAPS = {"/H", "/V"} | {f"/{name}-{way}" for name in _CMAPS.split() for way in "HV"}
ENCODINGS = {"/StandardEncoding", "/WinAnsiEncoding", "/MacRomanEncoding", "/MacExpertEncoding"}
_STANDARD = re.compile(
    r"/(?:Times|Helvetica|Courier|Arial|TimesNewRoman(?:PS)?(?:MT)?|CourierNew(?:PS)?(?:MT)?|Symbol|ZapfDingbats)"
    r"(?:[-,](?:Roman|Bold|Italic|Oblique|BoldItalic|BoldOblique|BoldMT|ItalicMT|BoldItalicMT))?(?:MT)?"
)
_CALCULATOR = re.compile(
    r"\s*(?:[{}]|[-+]?\d*\.?\d+|abs|add|atan|ceiling|cos|cvi|cvr|div|exp|floor|idiv|ln|log|mod|mul|neg|round|sin|sqrt"
    r"|sub|truncate|and|bitshift|eq|false|ge|gt|le|lt|ne|not|or|true|xor|if|ifelse|copy|dup|exch|index|pop|roll)"
    r"(?=[\s{}]|\Z)"
)


def numbers(value: Any) -> Array | None:
    return Array([one for one in value if is_number(one)]) if isinstance(value, Array) else None


class Copy:
    """Copies into `target`. A name of a resource has one new name in the whole file, so that inherited ones match."""

    def __init__(self, target: pikepdf.Pdf, hidden: frozenset[str]) -> None:
        self.target, self.hidden = target, hidden
        self.glyphs: set[str] = set()
        self._names: dict[str, Name] = {}
        self._colorants: dict[str, Name] = {}
        self._made: dict[tuple[str, tuple[int, int]], Any] = {}
        self._depth = 0

    def rename(self, name: str) -> Name:
        return self._names.setdefault(name, Name(f"/N{len(self._names) + 1}"))

    @staticmethod
    def box(value: Any) -> Array:
        found = numbers(value)
        if found is None or len(found) != 4:
            raise Unreadable("A page has no size.")
        return found

    def content(self, source: Any, resources: Any) -> bytes:
        return rewritten(source, self.rename, self.hidden, lambda image: self._inline(image, resources))

    def _inline(self, image: Any, resources: Any) -> bytes:
        """An image inside the content, copied like one outside. Colours are a device's, a list of them, or have a name
        among the resources."""
        source = image.obj
        known = {key: value for key, value in source.items() if key not in ("/Filter", "/DecodeParms")}
        space, name = known.get("/ColorSpace"), None
        if isinstance(space, Name) and space not in DEVICES:
            spaces = resources.get("/ColorSpace") if isinstance(resources, Dictionary) else None
            if not isinstance(spaces, Dictionary) or str(space) not in spaces:
                raise Unreadable("A picture in the file has unknown colours.")
            known["/ColorSpace"], name = self.colours(spaces[str(space)]), self.rename(str(space))
        whole = self._stream(b"", Dictionary(known))
        whole.write(
            image.read_raw_bytes(), filter=source.get("/Filter"), decode_parms=source.get("/DecodeParms")
        )
        made = self.picture(whole)
        entries, data = Dictionary(made.stream_dict), made.read_raw_bytes()
        del entries["/Type"], entries["/Subtype"], entries["/Length"]
        if name is not None:
            entries.ColorSpace = name
        if "/Filter" not in entries:
            entries.Filter, data = Name.FlateDecode, zlib.compress(data)
        return b"BI " + entries.unparse(resolved=True)[2:-2] + b" ID " + data + b"\nEI"

    # --- resources

    def resources(self, source: Any) -> Dictionary:
        made = Dictionary()
        if not isinstance(source, Dictionary):
            return made
        kinds: dict[str, Callable[[Any], Any]] = {
            "/ExtGState": self.state,
            "/ColorSpace": self.colours,
            "/Pattern": self.pattern,
            "/Shading": self.shading,
            "/XObject": self.xobject,
            "/Font": self.font,
        }
        for kind, copier in kinds.items():
            entries = source.get(kind)
            if not isinstance(entries, Dictionary):
                continue
            copied = Dictionary()
            for name, value in entries.items():
                if (copy := self._once(kind, value, copier)) is not None:
                    copied[self.rename(name)] = copy
            if len(copied):
                made[kind] = copied
        return made

    def _once(self, kind: str, value: Any, copier: Callable[[Any], Any]) -> Any:
        """The copy of an object that many places refer to; made once."""
        if not (isinstance(value, pikepdf.Object) and value.is_indirect):
            return self._deeper(copier, value)
        key = kind, value.objgen
        if key not in self._made:
            self._made[key] = None  # what contains itself is left out
            made = self._deeper(copier, value)
            if isinstance(made, Dictionary | Array | Stream) and not made.is_indirect:
                made = self.target.make_indirect(made)
            self._made[key] = made
        return self._made[key]

    def _deeper(self, copier: Callable[[Any], Any], value: Any) -> Any:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unreadable(f"The file has forms nested deeper than {MAX_DEPTH} levels.")
        try:
            return copier(value)
        finally:
            self._depth -= 1

    def _plain(self, source: Any, keys: str) -> Dictionary:
        """Numbers, truth values and arrays of them under `keys`."""
        made = Dictionary()
        for key in keys.split():
            value = source.get(f"/{key}")
            if is_number(value) or isinstance(value, bool):
                made[f"/{key}"] = value
            elif isinstance(value, Array) and all(is_number(one) or isinstance(one, bool) for one in value):
                made[f"/{key}"] = Array(list(value))
        return made

    def _stream(self, data: bytes, entries: Dictionary) -> Stream:
        made = Stream(self.target, data)
        for key, value in entries.items():
            made[key] = value
        return made

    def group(self, source: Any) -> Dictionary | None:
        if not isinstance(source, Dictionary) or source.get("/S") != "/Transparency":
            return None
        made = self._plain(source, "I K")
        made.S = Name.Transparency
        if "/CS" in source and (space := self.colours(source.CS)) is not None:
            made.CS = space
        return made

    def state(self, source: Any) -> Dictionary | None:
        if not isinstance(source, Dictionary):
            return None
        made = self._plain(source, "LW LC LJ ML OP op OPM FL SM SA CA ca AIS TK")
        dash = source.get("/D")
        if isinstance(dash, Array) and len(dash) == 2 and is_number(dash[1]):
            made.D = Array([numbers(dash[0]) or Array([]), dash[1]])
        blend = source.get("/BM")
        for mode in blend if isinstance(blend, Array) else [blend]:
            if mode is not None and mode in BLEND_MODES:
                made.BM = mode
                break
        font = source.get("/Font")
        if isinstance(font, Array) and len(font) == 2:
            made.Font = Array([self._once("/Font", font[0], self.font), font[1]])
        mask = source.get("/SMask")
        if mask is not None and mask == "/None":
            made.SMask = Name("/None")
        elif isinstance(mask, Dictionary) and mask.get("/S") in ("/Alpha", "/Luminosity"):
            made.SMask = self._plain(mask, "BC")
            made.SMask.S = mask.S
            made.SMask.G = self._once("/XObject", mask.G, self.xobject)
            if isinstance(mask.get("/TR"), Dictionary | Stream):
                made.SMask.TR = self.function(mask.TR)
        return made

    # --- colours, functions, patterns

    def colours(self, source: Any) -> Any:
        if isinstance(source, Name):
            return source if source in DEVICES or source == "/Pattern" else None
        if not isinstance(source, Array) or not len(source):
            return None
        kind, rest = str(source[0]), list(source)[1:]
        if kind in DEVICES or (kind == "/Pattern" and not rest):
            return source[0]
        if kind == "/ICCBased":
            device = {1: Name.DeviceGray, 3: Name.DeviceRGB, 4: Name.DeviceCMYK}
            return device.get(int(rest[0].get("/N", 0)))
        if kind in ("/CalGray", "/CalRGB", "/Lab"):
            return Array([source[0], self._plain(rest[0], "WhitePoint BlackPoint Gamma Matrix Range")])
        if kind == "/Pattern":
            return Array([source[0], self.colours(rest[0])])
        if kind == "/Indexed":
            base, most, table = rest[:3]
            size = (int(most) + 1) * self.components(base)
            entries = table.read_bytes() if isinstance(table, Stream) else bytes(table)
            return Array([source[0], self.colours(base), int(most), pikepdf.String(entries[:size])])
        if kind == "/Separation":
            return Array([source[0], self._colorant(rest[0]), self.colours(rest[1]), self.function(rest[2])])
        if kind == "/DeviceN":
            names = Array([self._colorant(name) for name in rest[0]])
            return Array([source[0], names, self.colours(rest[1]), self.function(rest[2])])
        return None

    def components(self, space: Any) -> int:
        if isinstance(space, Array):
            kind = str(space[0])
            if kind == "/ICCBased":
                return int(space[1].get("/N", 3))
            if kind in ("/CalGray", "/Separation", "/Indexed"):
                return 1
            return len(space[1]) if kind == "/DeviceN" else DEVICES.get(kind, 3)
        return DEVICES.get(str(space), 3)

    def _colorant(self, name: Any) -> Name:
        if name in COLORANTS:
            return Name(str(name))
        return self._colorants.setdefault(str(name), Name(f"/S{len(self._colorants) + 1}"))

    def function(self, source: Any) -> Any:
        if isinstance(source, Array):
            return Array([self._once("/Function", one, self.function) for one in source])
        if not isinstance(source, Dictionary | Stream):
            return None
        made = self._plain(
            source, "FunctionType Domain Range Size BitsPerSample Order Encode Decode C0 C1 N Bounds"
        )
        kind = source.get("/FunctionType")
        if kind == 3:
            made.Functions = Array([self._once("/Function", one, self.function) for one in source.Functions])
        if kind == 0:
            samples = int(source.BitsPerSample) * (len(source.Range) // 2)
            for size in source.Size:
                samples *= int(size)
            return self._stream(source.read_bytes()[: (samples + 7) // 8], made)
        if kind == 4:
            return self._stream(self._calculation(source.read_bytes().decode("latin-1")), made)
        return self.target.make_indirect(made)

    def _calculation(self, program: str) -> bytes:
        tokens, at = [], 0
        program = re.sub(r"%[^\r\n]*", "", program).strip()
        while at < len(program):
            token = _CALCULATOR.match(program, at)
            if token is None:
                raise Unreadable("The file has a function that cannot be copied.")
            tokens.append(token[0].strip())
            at = token.end()
            while at < len(program) and program[at].isspace():
                at += 1
        return " ".join(tokens).encode("ascii")

    def pattern(self, source: Any) -> Any:
        if source.get("/PatternType") == 2:
            made = self._plain(source, "PatternType Matrix")
            made.Shading = self._once("/Shading", source.Shading, self.shading)
            if "/ExtGState" in source:
                made.ExtGState = self.state(source.ExtGState)
            return made
        if not isinstance(source, Stream):
            return None
        entries = self._plain(source, "PatternType PaintType TilingType BBox XStep YStep Matrix")
        entries.Resources = self.resources(source.get("/Resources"))
        return self._stream(self.content(source, source.get("/Resources")), entries)

    def shading(self, source: Any) -> Any:
        made = self._plain(
            source,
            "ShadingType Background BBox AntiAlias Coords Domain Extend Matrix BitsPerCoordinate BitsPerComponent"
            " BitsPerFlag Decode VerticesPerRow",
        )
        made.ColorSpace = self.colours(source.ColorSpace)
        if "/Function" in source:
            made.Function = self.function(source.Function)
        return self._stream(source.read_bytes(), made) if isinstance(source, Stream) else made

    # --- forms and pictures

    def xobject(self, source: Any) -> Any:
        if not isinstance(source, Stream):
            return None
        if source.get("/Subtype") == "/Image":
            return self.picture(source)
        if source.get("/Subtype") != "/Form":
            return None
        entries = self._plain(source, "FormType BBox Matrix")
        entries.Type, entries.Subtype = Name.XObject, Name.Form
        if (group := self.group(source.get("/Group"))) is not None:
            entries.Group = group
        if "/Resources" in source:
            entries.Resources = self.resources(source.Resources)
        return self._stream(self.content(source, source.get("/Resources")), entries)

    def picture(self, source: Any) -> Any:
        width, height = int(source.Width), int(source.Height)
        if width > MAX_SIDE or height > MAX_SIDE or width * height > MAX_PICTURE:
            raise Unreadable(f"A picture in the file is {width:,} by {height:,} pixels large.")
        entries = self._plain(
            source, "Width Height BitsPerComponent ImageMask Decode Interpolate SMaskInData Matte"
        )
        entries.Type, entries.Subtype = Name.XObject, Name.Image
        space = source.get("/ColorSpace")
        if space is not None and (colours := self.colours(space)) is not None:
            entries.ColorSpace = colours
        if isinstance(source.get("/SMask"), Stream):
            entries.SMask = self._once("/XObject", source.SMask, self.picture)
        mask = source.get("/Mask")
        if isinstance(mask, Stream):
            entries.Mask = self._once("/XObject", mask, self.picture)
        elif isinstance(mask, Array):
            entries.Mask = numbers(mask)
        sent = source.get("/Filter")
        named = list(sent) if isinstance(sent, Array) else [] if sent is None else [sent]
        filters = [str(one) for one in named]
        if filters in (["/DCTDecode"], ["/DCT"]):
            entries.Filter = Name.DCTDecode
            if transform := self._plain(_parameters(source), "ColorTransform"):
                entries.DecodeParms = transform
            return self._stream(bare_jpeg(source.read_raw_bytes()), entries)
        if filters == ["/JPXDecode"]:
            entries.Filter = Name.JPXDecode
            return self._stream(bare_jpeg2000(source.read_raw_bytes()), entries)
        if filters in (["/CCITTFaxDecode"], ["/CCF"], ["/JBIG2Decode"]):
            entries.BitsPerComponent = 1
            raw, encoding = source.read_raw_bytes(), filters[0].replace("CCF", "CCITTFaxDecode")
            return self._stream(pixels_of(raw, encoding, _parameters(source), width, height), entries)
        bits = 1 if source.get("/ImageMask") is True else int(source.get("/BitsPerComponent", 8))
        count = 1 if source.get("/ImageMask") is True else self.components(space)
        size = (width * bits * count + 7) // 8 * height
        level = StreamDecodeLevel.all if "/DCTDecode" in filters else StreamDecodeLevel.specialized
        return self._stream(source.read_bytes(level)[:size], entries)

    # --- fonts

    def font(self, source: Any) -> Any:
        if not isinstance(source, Dictionary):
            return None
        kind = str(source.get("/Subtype"))
        if kind == "/Type3":
            return self._drawn_font(source)
        made = self._plain(source, "FirstChar LastChar Widths")
        made.Type, made.Subtype = Name.Font, Name(kind)
        if kind == "/Type0":
            inner = source.DescendantFonts[0]
            made.DescendantFonts = Array([self._once("/CIDFont", inner, self._cid_font)])
            made.BaseFont = self._font_name(inner)
            encoding = source.get("/Encoding")
            made.Encoding = (
                self._map(encoding)
                if isinstance(encoding, Stream)
                else encoding
                if encoding in CMAPS
                else Name("/Identity-H")
            )
        elif kind in ("/Type1", "/MMType1", "/TrueType"):
            made.BaseFont = self._font_name(source)
            if (encoding := self._encoding(source.get("/Encoding"))) is not None:
                made.Encoding = encoding
            if "/FontDescriptor" in source:
                made.FontDescriptor = self._descriptor(source.FontDescriptor, made.BaseFont)
        else:
            return None
        self._add_unicode(source, made)
        return made

    def _add_unicode(self, source: Any, made: Dictionary) -> None:
        codes = source.get("/ToUnicode")
        if isinstance(codes, Stream):
            made.ToUnicode = self._once("/ToUnicode", codes, self._map)

    def _map(self, source: Any) -> Stream:
        made = Stream(self.target, bare_map(source.read_bytes()))
        if source.get("/WMode") in (0, 1):
            made.WMode = source.WMode
        if "/CIDSystemInfo" in source:  # of an Encoding
            made.Type, made.CMapName, made.CIDSystemInfo = (
                Name.CMap,
                Name.M,
                _collection(source.CIDSystemInfo),
            )
        return made

    def _cid_font(self, source: Any) -> Dictionary:
        made = self._plain(source, "DW DW2")
        made.Type = Name.Font
        made.Subtype = Name.CIDFontType0 if source.Subtype == "/CIDFontType0" else Name.CIDFontType2
        made.BaseFont = self._font_name(source)
        made.CIDSystemInfo = _collection(source.get("/CIDSystemInfo"))
        for key in ("/W", "/W2"):
            if isinstance(source.get(key), Array):
                made[key] = Array([numbers(one) if isinstance(one, Array) else one for one in source[key]])
        codes = source.get("/CIDToGIDMap")
        if isinstance(codes, Stream):
            made.CIDToGIDMap = Stream(self.target, codes.read_bytes()[: 2 * 65536])
        elif codes is not None:
            made.CIDToGIDMap = Name.Identity
        if "/FontDescriptor" in source:
            made.FontDescriptor = self._descriptor(source.FontDescriptor, made.BaseFont)
        return made

    def _font_name(self, source: Any) -> Name:
        """A name that says nothing; of a font that is not in the file one that is drawn alike."""
        described = source.get("/FontDescriptor", Dictionary())
        if any(f"/FontFile{number}" in described for number in ("", "2", "3")):
            return Name("/AAAAAA+F")
        name = str(source.get("/BaseFont", ""))
        if _STANDARD.fullmatch(name):
            return Name(name)
        flags = int(described.get("/Flags", 0))
        return Name("/Courier" if flags & 1 else "/Times-Roman" if flags & 2 else "/Helvetica")

    def _descriptor(self, source: Any, name: Name) -> Dictionary:
        made = self._plain(
            source,
            "Flags FontBBox ItalicAngle Ascent Descent Leading CapHeight XHeight StemV StemH AvgWidth MaxWidth"
            " MissingWidth FontWeight",
        )
        made.Type, made.FontName = Name.FontDescriptor, name
        for key, copier in (
            ("/FontFile", self._type1),
            ("/FontFile2", self._truetype),
            ("/FontFile3", self._cff),
        ):
            if isinstance(source.get(key), Stream):
                made[key] = self._once(key, source[key], copier)
        return made

    def _type1(self, source: Any) -> Stream:
        program = source.read_bytes()
        if program[:1] == b"\x01" or program[:4] == b"OTTO":  # a CFF program under the wrong key
            return self._cff(source)
        program, readable = bare_type1(program)
        made = Stream(self.target, program)
        made.Length1, made.Length2, made.Length3 = readable, len(program) - readable, 0
        return made

    def _truetype(self, source: Any) -> Stream:
        program = bare_sfnt(source.read_bytes())
        made = Stream(self.target, program)
        made.Length1 = len(program)
        return made

    def _cff(self, source: Any) -> Stream:
        program = source.read_bytes()
        is_sfnt = program[:4] in (b"OTTO", b"\0\1\0\0", b"true")
        made = Stream(self.target, bare_sfnt(program) if is_sfnt else bare_cff(program))
        kind = source.get("/Subtype")
        made.Subtype = kind if kind in ("/Type1C", "/CIDFontType0C", "/OpenType") else Name.Type1C
        return made

    def _encoding(self, source: Any) -> Any:
        if isinstance(source, Name):
            return source if source in ENCODINGS else None
        if not isinstance(source, Dictionary):
            return None
        made = Dictionary(Type=Name.Encoding)
        if source.get("/BaseEncoding") in ENCODINGS:
            made.BaseEncoding = source.BaseEncoding
        if isinstance(source.get("/Differences"), Array):
            made.Differences = self._glyph_names(source.Differences, Name)
        return made

    def _glyph_names(self, source: Iterable[Any], name: Callable[[str], Name]) -> Array:
        """Codes and names of glyphs. The font finds its glyphs by them, so they stay, and are scanned as words."""
        kept = [one for one in source if is_number(one) or isinstance(one, Name)]
        if name is Name:
            self.glyphs |= {
                str(one)[1:] for one in kept if isinstance(one, Name) and str(one)[1:] not in AGL2UV
            }
        return Array([name(str(one)) if isinstance(one, Name) else one for one in kept])

    def _drawn_font(self, source: Any) -> Dictionary:
        made = self._plain(source, "FirstChar LastChar Widths FontBBox FontMatrix")
        made.Type, made.Subtype = Name.Font, Name.Type3
        made.CharProcs = Dictionary()
        for name, glyph in source.CharProcs.items():
            drawn = self.content(glyph, source.get("/Resources"))
            made.CharProcs[self.rename(name)] = Stream(self.target, drawn)
        made.Encoding = Dictionary(
            Type=Name.Encoding, Differences=self._glyph_names(source.Encoding.Differences, self.rename)
        )
        if "/Resources" in source:
            made.Resources = self.resources(source.Resources)
        self._add_unicode(source, made)
        return made


def _parameters(source: Any) -> Any:
    found = source.get("/DecodeParms")
    if isinstance(found, Array):
        found = found[-1] if len(found) else None
    return found if isinstance(found, Dictionary) else Dictionary()


def _collection(source: Any) -> Dictionary:
    """Adobe's collections of characters by name; every other one is Identity."""
    known = {"Japan1", "GB1", "CNS1", "Korea1", "KR", "Identity"}
    if isinstance(source, Dictionary) and str(source.get("/Ordering")) in known:
        ordering, supplement = str(source.Ordering), int(source.get("/Supplement", 0))
    else:
        ordering, supplement = "Identity", 0
    return Dictionary(
        Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String(ordering), Supplement=supplement
    )
