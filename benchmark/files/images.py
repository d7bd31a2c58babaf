"""Images: decoded, and their pixels written again as WebP, so that nothing else comes along. For the child process."""

import io
import warnings

import pypdfium2 as pdfium
from PIL import Image, ImageOps

from benchmark.files.child import Cleaned
from benchmark.files.refused import Unreadable

MAX_PIXELS = 20_000_000
LONGEST_SIDE = 1_600
SCREEN = 96 / 72  # pixels of a page in a browser for one point


def clean_image(data: bytes) -> Cleaned:
    """A PNG or JPEG as WebP, upright; raises Unreadable."""
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    try:
        with (
            warnings.catch_warnings(action="error", category=Image.DecompressionBombWarning),
            Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as source,
        ):
            lossless = source.format == "PNG"
            source.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # of a large JPEG fewer pixels are decoded
            source.load()  # PNG: what follows the pixels
            # the texts in EXIF and in the chunks of a PNG, which the copy does not have
            values = [*source.info.values(), *source.getexif().values()]
            texts = [value[:1000] for value in values if isinstance(value, str) and value.strip()]
            eight: Image.Image = source
            if source.mode == "I;16":  # `convert` alone would make every grey above 255 white
                eight = source.point(lambda value: value / 256).convert("L")
                if "transparency" in eight.info:
                    eight.info["transparency"] //= 256
            smaller = eight.convert("RGBA") if eight.mode in ("1", "P", "PA") else eight
            smaller.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            upright = ImageOps.exif_transpose(smaller)
            shown = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise Unreadable(f"The picture has more than {MAX_PIXELS // 1_000_000} million pixels.") from None
    except MemoryError:
        raise
    except Exception as error:  # whatever a decoder raises, the picture is broken
        raise Unreadable("The picture is broken.") from error
    bare = Image.frombytes(shown.mode, shown.size, shown.tobytes())
    target = io.BytesIO()
    bare.save(target, "WEBP", lossless=lossless, quality=80, method=2)
    return Cleaned(target.getvalue(), "image", [bare.size], dropped=texts[:100])


def drawn(copy: Cleaned) -> Cleaned:
    """The first page of a clean copy as WebP, with twice the points of a screen; its words are kept for the scan."""
    page = pdfium.PdfDocument(copy.data)[0]
    width, height = page.get_size()
    bitmap = page.render(
        scale=min(2 * SCREEN, LONGEST_SIDE / max(width, height)), draw_annots=False, may_draw_forms=False
    )
    target = io.BytesIO()
    bitmap.to_pil().convert("RGB").save(target, "WEBP", quality=80, method=2)
    size = (round(width * SCREEN), round(height * SCREEN))
    return Cleaned(target.getvalue(), "image", [size], copy.words, dropped=copy.dropped)
