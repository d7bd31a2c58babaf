"""Pictures of two levels, as scanners and fax machines write them. They are decoded, because their codes can hold words
that no reader shows. For the child process."""

import io

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Dictionary, Name, Stream
from PIL import Image
from pypdfium2 import raw as pdfium_c

from benchmark.files.refused import Unreadable

_STRIP = 512  # rows at a time, because Pillow takes a byte for each pixel


def pixels_of(data: bytes, encoding: str, parameters: Dictionary, width: int, height: int) -> bytes:
    """The samples of a CCITT or JBIG2 picture, one bit each, with rows that end with a byte. Raises Unreadable."""
    document = pikepdf.new()
    known = Dictionary({key: value for key, value in parameters.items() if not isinstance(value, Stream)})
    shared = parameters.get("/JBIG2Globals")
    if isinstance(shared, Stream):
        known.JBIG2Globals = Stream(document, shared.read_bytes())
    picture = Stream(document, b"", Type=Name.XObject, Subtype=Name.Image, Width=width, Height=height)
    picture.ColorSpace, picture.BitsPerComponent = Name.DeviceGray, 1
    picture.write(data, filter=Name(encoding), decode_parms=known)
    page = document.add_blank_page()
    page.Resources = Dictionary(XObject=Dictionary(I=picture))
    page.Contents = Stream(document, b"/I Do")
    file = io.BytesIO()
    document.save(file)
    try:
        (found,) = pdfium.PdfDocument(file.getvalue())[0].get_objects([pdfium_c.FPDF_PAGEOBJ_IMAGE])
        bitmap = found.get_bitmap()
    except (pdfium.PdfiumError, ValueError) as error:
        raise Unreadable("A picture in the file is broken.") from error
    if (bitmap.width, bitmap.height, bitmap.n_channels) != (width, height, 1):
        raise Unreadable("A picture in the file is broken.")
    rows, grey = memoryview(bitmap.buffer), []
    for top in range(0, height, _STRIP):
        size = width, min(_STRIP, height - top)
        strip = rows[top * bitmap.stride : (top + size[1]) * bitmap.stride]
        image = Image.frombytes("L", size, bytes(strip), "raw", "L", bitmap.stride, 1)
        grey.append(image.convert("1", dither=Image.Dither.NONE).tobytes())
    return b"".join(grey)
