"""An attached file as an HTTP response. Opened by itself it is a document of this site that may run nothing."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from csp.decorators import csp
from django.http import HttpResponse

from benchmark.models import CleanCopy, FileKind, OriginalFile

T = TypeVar("T")
Sending = Callable[[T], HttpResponse]
_INERT = {"default-src": ["'none'"], "frame-ancestors": ["'none'"], "sandbox": [""]}
_TYPES = {FileKind.PDF: ("application/pdf", "pdf"), FileKind.IMAGE: ("image/webp", "webp")}


def _inert(send: Sending[T]) -> Sending[T]:
    """The same with a policy of its own; the library's type knows views only."""
    return cast(Sending[T], csp(_INERT)(cast(Any, send)))


@_inert
def send_copy(copy: CleanCopy) -> HttpResponse:
    """What readers get: the copy under a name that says nothing."""
    media, ending = _TYPES[FileKind(copy.kind)]
    reply = HttpResponse(bytes(copy.data), content_type=media)
    reply["Content-Disposition"] = f'inline; filename="document.{ending}"'
    reply["Cross-Origin-Resource-Policy"] = "same-origin"
    return reply


@_inert
def send_commented(data: bytes) -> HttpResponse:
    """A copy with comments on it, to be saved and read elsewhere."""
    reply = HttpResponse(data, content_type="application/pdf")
    reply["Content-Disposition"] = 'attachment; filename="document-with-comments.pdf"'
    reply["Cross-Origin-Resource-Policy"] = "same-origin"
    return reply


@_inert
def send_original(original: OriginalFile) -> HttpResponse:
    """The bytes that were sent, to be saved and not opened."""
    reply = HttpResponse(bytes(original.data), content_type="application/octet-stream")
    reply["Content-Disposition"] = 'attachment; filename="original"'
    reply["Cross-Origin-Resource-Policy"] = "same-origin"
    return reply
