"""An attached file as an HTTP response. Opened by itself it is a document of this site that may run nothing."""

from csp.decorators import csp
from django.http import HttpResponse

from benchmark.models import CleanCopy, FileKind, OriginalFile

_INERT = {"default-src": ["'none'"], "frame-ancestors": ["'none'"], "sandbox": [""]}
_TYPES = {FileKind.PDF: ("application/pdf", "pdf"), FileKind.IMAGE: ("image/webp", "webp")}


@csp(_INERT)
def send_copy(copy: CleanCopy) -> HttpResponse:
    """What readers get: the copy under a name that says nothing."""
    media, ending = _TYPES[FileKind(copy.kind)]
    reply = HttpResponse(bytes(copy.data), content_type=media)
    reply["Content-Disposition"] = f'inline; filename="document.{ending}"'
    reply["Cross-Origin-Resource-Policy"] = "same-origin"
    return reply


@csp(_INERT)
def send_original(original: OriginalFile) -> HttpResponse:
    """The bytes that were sent, to be saved and not opened."""
    reply = HttpResponse(bytes(original.data), content_type="application/octet-stream")
    reply["Content-Disposition"] = 'attachment; filename="original"'
    reply["Cross-Origin-Resource-Policy"] = "same-origin"
    return reply
