"""PDFs and pictures made for tests: a paper in LaTeX's fonts, and one with a word in every place that can hold one."""

import io
import struct
import zlib

import pikepdf
from fontTools.ttLib import TTFont, newTable
from pikepdf import Array, Dictionary, Name, Stream, String
from PIL import Image, PngImagePlugin
from weasyprint import HTML

PARAGRAPH = (
    "Let R be a Noetherian ring and let f be a surjective endomorphism of it. Then f is injective. " * 6
)


def paper(*pages: str, title: str = "On endomorphisms") -> bytes:
    """A PDF with embedded fonts, an outline, and one page for each text."""
    body = "".join(
        f"<section><h1>{number}. Section</h1><p>{text}</p></section>" for number, text in enumerate(pages, 1)
    )
    style = "<style>section{break-after:page} @page{size:a5}</style>"
    made: bytes = HTML(
        string=f"<html><head><title>{title}</title>{style}</head><body>{body}</body></html>"
    ).write_pdf()
    return made


def planted(word: str) -> tuple[bytes, int]:
    """A PDF that a reader sees nothing odd in, with `word` and a number wherever a word can be; how many there are."""
    planter = _Planter(word)
    pdf = pikepdf.open(io.BytesIO(paper(PARAGRAPH, PARAGRAPH)))
    planter.plant(pdf)
    target = io.BytesIO()
    pdf.save(target, object_stream_mode=pikepdf.ObjectStreamMode.disable, fix_metadata_version=False)
    return target.getvalue() + f"\n% {planter.next()}\n".encode(), planter.count


class _Planter:
    def __init__(self, word: str) -> None:
        self.word, self.count = word, 0

    def next(self) -> str:
        self.count += 1
        return f"{self.word}{self.count:03d}"

    def text(self) -> String:
        return String(self.next())

    def name(self) -> Name:
        return Name("/" + self.next())

    def plant(self, pdf: pikepdf.Pdf) -> None:
        self._document(pdf)
        for page in pdf.pages:
            self._page(pdf, page.obj)
            self._fonts(page.obj.Resources)
        self._pictures(pdf, pdf.pages[0].obj)

    def _document(self, pdf: pikepdf.Pdf) -> None:
        for key in (
            "Author",
            "Producer",
            "Creator",
            "Subject",
            "Keywords",
            "Title",
            "PTEX.Fullbanner",
            "Company",
        ):
            pdf.docinfo[Name("/" + key)] = self.text()
        pdf.Root.Metadata = Stream(
            pdf, f"<x:xmpmeta><dc:creator>{self.next()}</dc:creator></x:xmpmeta>".encode()
        )
        pdf.Root.Lang = self.text()
        pdf.Root.PieceInfo = Dictionary(X=Dictionary(Private=self.text()))
        pdf.Root.OpenAction = Dictionary(S=Name.JavaScript, JS=self.text())
        pdf.Root.AA = Dictionary(WC=Dictionary(S=Name.JavaScript, JS=self.text()))
        pdf.Root.URI = Dictionary(Base=self.text())
        pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(P=self.text())]))
        pdf.Root.ViewerPreferences = Dictionary(Owner=self.text())
        pdf.Root.Collection = Dictionary(D=self.text())
        pdf.Root.MarkInfo = Dictionary(Marked=True, Who=self.text())
        pdf.Root.StructTreeRoot = Dictionary(
            Type=Name.StructTreeRoot,
            K=Dictionary(S=Name.P, T=self.text(), Alt=self.text(), ActualText=self.text()),
        )
        pdf.Root.AcroForm = Dictionary(
            Fields=Array(
                [pdf.make_indirect(Dictionary(FT=Name.Tx, T=self.text(), V=self.text(), DA=self.text()))]
            ),
            XFA=Stream(pdf, self.next().encode()),
        )
        pdf.Root.OutputIntents = Array([Dictionary(S=Name.GTS_PDFA1, Info=self.text())])
        layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=self.text()))
        pdf.Root.OCProperties = Dictionary(
            OCGs=Array([layer]), D=Dictionary(Name=self.text(), Creator=self.text())
        )
        pdf.attachments[self.next()] = pikepdf.AttachedFileSpec(
            pdf, self.next().encode(), description=self.next()
        )
        pdf.trailer[Name("/" + self.next())] = self.text()
        pdf.Root[self.name()] = self.text()

    def _page(self, pdf: pikepdf.Pdf, page: pikepdf.Object) -> None:
        page.PieceInfo = Dictionary(X=Dictionary(LastModified=self.text()))
        page.Metadata = Stream(pdf, self.next().encode())
        page.AA = Dictionary(O=Dictionary(S=Name.JavaScript, JS=self.text()))
        page.Thumb = Stream(pdf, self.next().encode())
        page.LastModified = self.text()
        page[self.name()] = self.text()
        note = {
            "T": self.text(),
            "Contents": self.text(),
            "NM": self.text(),
            "RC": self.text(),
            "Subj": self.text(),
        }
        page.Annots = Array(
            [
                Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=[10, 10, 20, 20], **note),
                Dictionary(
                    Type=Name.Annot,
                    Subtype=Name.Link,
                    Rect=[10, 10, 20, 20],
                    Contents=self.text(),
                    A=Dictionary(S=Name.URI, URI=self.text()),
                ),
                Dictionary(
                    Type=Name.Annot,
                    Subtype=Name.FileAttachment,
                    Rect=[10, 10, 20, 20],
                    FS=Dictionary(F=self.text(), UF=self.text()),
                ),
                Dictionary(
                    Type=Name.Annot,
                    Subtype=Name.Link,
                    Rect=[10, 10, 20, 20],
                    A=Dictionary(S=Name.Launch, F=self.text()),
                ),
            ]
        )
        resources = page.Resources
        resources.Properties = Dictionary({"/" + self.next(): Dictionary(ActualText=self.text())})
        state = self.next()
        resources.ExtGState = Dictionary({"/" + state: Dictionary(LW=1, Name=self.text())})
        colour = self.next()
        tint = Dictionary(
            FunctionType=2, Domain=[0, 1], C0=[0, 0, 0, 0], C1=[0, 1, 0, 0], N=1, Who=self.text()
        )
        resources.ColorSpace = Dictionary(
            {"/" + colour: Array([Name.Separation, self.name(), Name.DeviceCMYK, tint])}
        )
        form, image = self.next(), self.next()
        profile = Stream(pdf, b"\0" * 128 + self.next().encode())
        profile.N, profile.Alternate = 3, Name.DeviceRGB
        picture = Stream(pdf, zlib.compress(b"\xff" * 12) + self.next().encode())
        _set(
            picture, Type=Name.XObject, Subtype=Name.Image, Width=2, Height=2, BitsPerComponent=8,
            Filter=Name.FlateDecode, ColorSpace=Array([Name.ICCBased, pdf.make_indirect(profile)]), Name=self.name(),
            Metadata=self.text(),
        )  # fmt: skip
        inside = Stream(pdf, f"% {self.next()}\n/{image} Do".encode())
        _set(
            inside,
            Type=Name.XObject,
            Subtype=Name.Form,
            BBox=[0, 0, 10, 10],
            Resources=Dictionary(XObject=Dictionary({"/" + image: picture})),
            PieceInfo=Dictionary(X=self.text()),
            LastModified=self.text(),
        )
        inside[Name("/PTEX.FileName")] = self.text()
        resources.XObject = Dictionary({"/" + form: inside})
        content = page.Contents.read_bytes()
        page.Contents = Stream(
            pdf,
            f"% {self.next()}\n/Span <</ActualText ({self.next()})>> BDC EMC /{self.next()} MP ({self.next()}) q\n"
            f"/{state} gs /{colour} cs 1 scn /{form} Do Q\n".encode()
            + content,
        )

    def _fonts(self, resources: pikepdf.Object) -> None:
        for font in resources.Font.values():
            if "/Planted" in font:
                continue
            font.Planted = self.text()
            font.BaseFont = self.name()
            inner = font.DescendantFonts[0]
            inner.BaseFont = self.name()
            inner.CIDSystemInfo = Dictionary(Registry=self.text(), Ordering=self.text(), Supplement=0)
            inner.FontDescriptor.FontName = self.name()
            inner.FontDescriptor.FontFamily = self.text()
            inner.FontDescriptor.CharSet = self.text()
            if "/ToUnicode" in font:
                codes = font.ToUnicode.read_bytes()
                font.ToUnicode.write(
                    codes.replace(
                        b"begincmap", f"begincmap % {self.next()}\n/Who ({self.next()}) def".encode()
                    )
                )
            for key in ("/FontFile2", "/FontFile3"):
                if key in inner.FontDescriptor:
                    file = inner.FontDescriptor[key]
                    file.write(_with_names(file.read_bytes(), self.next()))

    def _pictures(self, pdf: pikepdf.Pdf, page: pikepdf.Object) -> None:
        picture = Stream(pdf, jpeg(self.next(), self.next()))
        _set(
            picture, Type=Name.XObject, Subtype=Name.Image, Width=16, Height=16, BitsPerComponent=8,
            Filter=Name.DCTDecode, ColorSpace=Name.DeviceRGB,
        )  # fmt: skip
        name = self.next()
        page.Resources.XObject[Name("/" + name)] = picture
        drawn = [f"/{name} Do".encode()]
        for filter_, data in (("/CCITTFaxDecode", fax(self.next())), ("/JBIG2Decode", jbig2(self.next()))):
            two_levels, name = Stream(pdf, b""), self.next()
            parameters = (
                Dictionary(K=-1, Columns=16, Rows=16) if filter_ == "/CCITTFaxDecode" else Dictionary()
            )
            two_levels.write(data, filter=Name(filter_), decode_parms=parameters)
            _set(
                two_levels, Type=Name.XObject, Subtype=Name.Image, Width=16, Height=16, BitsPerComponent=1,
                ColorSpace=Name.DeviceGray,
            )  # fmt: skip
            page.Resources.XObject[Name("/" + name)] = two_levels
            drawn.append(f"/{name} Do".encode())
        drawn.append(b"BI /W 16 /H 16 /BPC 1 /CS /G ID " + bytes(range(32)) + self.next().encode() + b" EI")
        squeezed = zlib.compress(bytes(range(32)) + self.next().encode())
        drawn.append(
            f"BI /W 16 /H 16 /BPC 1 /CS /G /F /Fl /DP <</{self.next()} 1>> ID ".encode() + squeezed + b" EI"
        )
        pictures = b"\n".join(b"q 5 0 0 5 0 0 cm " + one + b" Q" for one in drawn)
        page.Contents.write(page.Contents.read_bytes() + b"\n" + pictures)


def _set(stream: Stream, **entries: object) -> None:
    for key, value in entries.items():
        stream[Name("/" + key)] = value


def _with_names(program: bytes, word: str) -> bytes:
    """A font program with a word in its table of names."""
    font = TTFont(io.BytesIO(program))
    table = font["name"] if "name" in font else newTable("name")
    if "name" not in font:
        table.names = []
        font["name"] = table
    table.setName(word, 1, 3, 1, 0x409)
    table.setName(word, 0, 1, 0, 0)
    target = io.BytesIO()
    font.save(target)
    return target.getvalue()


def jpeg(comment: str, artist: str) -> bytes:
    """A small JPEG with a comment and EXIF."""
    picture = Image.new("RGB", (16, 16), (200, 30, 30))
    exif = Image.Exif()
    exif[0x013B] = artist
    target = io.BytesIO()
    picture.save(target, "JPEG", comment=comment, exif=exif)
    return target.getvalue() + comment.encode()


def fax(word: str) -> bytes:
    """A picture of 16 by 16 pixels in the code of fax machines, with a word behind its end."""
    target = io.BytesIO()
    striped().save(target, "TIFF", compression="group4")
    tags = Image.open(io.BytesIO(target.getvalue())).tag_v2
    start, length = tags[273][0], tags[279][0]
    return target.getvalue()[start : start + length] + word.encode()


def jbig2(word: str) -> bytes:
    """The same as JBIG2 has it inside a PDF (ITU-T T.88, 7.2), with a word in a comment."""

    def segment(number: int, kind: int, data: bytes) -> bytes:
        return struct.pack(">IBBBI", number, kind, 0, 1, len(data)) + data

    size = struct.pack(">II", 16, 16)
    comment = struct.pack(">I", 0x20000000) + f"Author\0{word}\0\0".encode()
    region = (
        size + bytes(8) + b"\0" + b"\1" + fax("")
    )  # at 0, 0, drawn over the page, coded as by fax machines
    return segment(0, 48, size + bytes(11)) + segment(1, 62, comment) + segment(2, 38, region)


def striped() -> Image.Image:
    """16 by 16 pixels, black and white."""
    image = Image.new("1", (16, 16), 1)
    for y in range(0, 16, 3):
        image.paste(0, (y, y, 16, y + 1))
    return image


def png(word: str) -> bytes:
    """A small PNG with a text chunk, and words behind its end."""
    info = PngImagePlugin.PngInfo()
    info.add_text("Author", word)
    target = io.BytesIO()
    Image.new("RGBA", (16, 8), (0, 0, 255, 128)).save(target, "PNG", pnginfo=info)
    return target.getvalue() + word.encode()


def huge_png(side: int) -> bytes:
    """A PNG that says it is `side` pixels wide and high, in some hundred bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


def everything_in(data: bytes) -> bytes:
    """The bytes of a file with all objects and decoded streams of a PDF, words of two bytes a letter read as one."""
    parts = [data]
    if data.startswith(b"%PDF-"):
        with pikepdf.open(io.BytesIO(data)) as pdf:
            for one in pdf.objects:
                parts.append(repr(one).encode(errors="replace"))
                if isinstance(one, Stream):
                    parts.append(one.read_raw_bytes())
                    try:
                        parts.append(one.read_bytes())
                    except pikepdf.PdfError:
                        continue
    return b"\n".join(parts + [part.replace(b"\0", b"") for part in parts])
