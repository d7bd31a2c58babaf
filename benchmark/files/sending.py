"""An attached file as an HTTP response. Opened by itself it is a document of this site that may run nothing."""

import re
from collections.abc import Callable
from typing import Any, ParamSpec, cast

from csp.decorators import csp
from django.db.models import BinaryField
from django.db.models.functions import Length, Substr
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from benchmark.models import CleanCopy, FileKind, OriginalFile

_INERT = {"default-src": ["'none'"], "frame-ancestors": ["'none'"], "sandbox": [""]}
_TYPES = {FileKind.PDF: ("application/pdf", "pdf"), FileKind.IMAGE: ("image/webp", "webp")}
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")

P = ParamSpec("P")


def _inert(send: Callable[P, HttpResponse]) -> Callable[P, HttpResponse]:
    """The same with a policy of its own; the library's type knows views only."""
    return cast(Callable[P, HttpResponse], csp(_INERT)(cast(Any, send)))


@_inert
def _bytes(data: bytes, status: int = 200) -> HttpResponse:
    reply = HttpResponse(data, status=status)
    reply["Cross-Origin-Resource-Policy"] = "same-origin"
    return reply


def send_copy(request: HttpRequest, number: int) -> HttpResponse:
    """What readers get of the copy with this number, or the range of its bytes that they ask for: a reader of PDFs
    shows the first page before the last ones have come. Its name says nothing, and its tag is not a hash of it.
    """
    copy = CleanCopy.objects.filter(pk=number).annotate(size=Length("data")).defer("data").get()
    tag = f'"{salted_hmac("benchmark.files.sending", copy.sha256).hexdigest()[:32]}"'
    wanted = _RANGE.fullmatch(request.headers.get("Range", ""))
    first, last = (int(edge) if edge else None for edge in wanted.groups()) if wanted else (None, None)
    backwards = first is not None and last is not None and last < first
    if (first, last) != (None, None) and not backwards and request.headers.get("If-Range", tag) == tag:
        start = max(copy.size - (last or 0), 0) if first is None else first
        end = copy.size if first is None or last is None else min(last + 1, copy.size)
        if start >= end:
            reply = _bytes(b"", 416)
            reply["Content-Range"] = f"bytes */{copy.size}"
        else:
            part = Substr("data", start + 1, end - start, output_field=BinaryField())
            reply = _bytes(bytes(CleanCopy.objects.values_list(part).get(pk=number)[0]), 206)
            reply["Content-Range"] = f"bytes {start}-{end - 1}/{copy.size}"
    else:
        reply = _bytes(bytes(copy.data))
    media, ending = _TYPES[FileKind(copy.kind)]
    reply["Content-Type"] = media
    reply["Content-Disposition"] = f'inline; filename="document.{ending}"'
    reply["Accept-Ranges"], reply["ETag"] = "bytes", tag
    return reply


def send_commented(data: bytes) -> HttpResponse:
    """A copy with comments on it, to be saved and read elsewhere."""
    reply = _bytes(data)
    reply["Content-Type"] = "application/pdf"
    reply["Content-Disposition"] = 'attachment; filename="document-with-comments.pdf"'
    return reply


def send_original(original: OriginalFile) -> HttpResponse:
    """The bytes that were sent, to be saved and not opened."""
    reply = _bytes(bytes(original.data))
    reply["Content-Type"] = "application/octet-stream"
    reply["Content-Disposition"] = 'attachment; filename="original"'
    return reply
