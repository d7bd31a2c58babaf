"""Files of frozen tuples: stored by their hash in parts of the database, compared, sent."""

import hashlib
import re
from collections.abc import Iterator

from django.conf import settings
from django.core.files import File
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header

from accounts.refusal import Refused
from benchmark.models import FrozenTuple, TupleFile, TupleFilePart

PART = 1024 * 1024  # bytes that are in memory at once
_SHA256 = re.compile("[0-9a-f]{64}")


def store_file(sent: File, *, expected: str, field: str) -> TupleFile:
    """The file's row; its bytes are stored unless they are there already. To be called inside a transaction.

    Raises Refused for an empty file, and when its SHA-256 is not the `expected` one.
    """
    name, size = (sent.name or "file")[-255:], 0
    total = hashlib.sha256()
    sent.seek(0)
    while chunk := sent.read(PART):
        total.update(chunk)
        size += len(chunk)
    sha256 = total.hexdigest()
    if not size:
        raise Refused(f"{name} is empty.", code="bad_file", field=field)
    if expected and expected != sha256:
        raise Refused(f"The SHA-256 of {name} is {sha256}, not {expected}.", code="other_hash", field=field)
    file, made = TupleFile.objects.get_or_create(sha256=sha256, defaults={"size": size, "name": name})
    if made:
        sent.seek(0)
        for number, chunk in enumerate(iter(lambda: sent.read(PART), b""), start=1):
            TupleFilePart.objects.create(file=file, number=number, data=chunk)
    return file


def read_hash(text: str, field: str) -> str:
    """A SHA-256 as people give it, in lowercase letters. Raises Refused for anything else but nothing."""
    sha256 = text.strip().lower().removeprefix("sha256:")
    if sha256 and not _SHA256.fullmatch(sha256):
        raise Refused("A SHA-256 has 64 hexadecimal digits.", code="invalid", field=field)
    return sha256


def too_large() -> str:
    """Why a declaration with more bytes than the site receives at once is refused."""
    return f"The files are larger than {settings.IMPORT_MAX_BYTES >> 20} MB together."


def file_or_404(release: str, name: str, entry: str) -> TupleFile:
    """The stored file of an entry of a tuple; raises Http404 where there is none."""
    file = get_object_or_404(FrozenTuple, release__name=release, name=name).files.get(entry)
    if file is None:
        raise Http404
    return file


def send_file(file: TupleFile) -> StreamingHttpResponse:
    """The bytes as they came, to be saved; never more than one part in memory."""
    reply = StreamingHttpResponse(parts_of(file), content_type="application/octet-stream")
    reply["Content-Length"] = str(file.size)
    reply["Content-Disposition"] = content_disposition_header(True, file.name) or "attachment"
    return reply


def parts_of(file: TupleFile) -> Iterator[bytes]:
    """The bytes, one query for each part: where sessions are pooled, the rows of one query all come at once."""
    for number in range(1, file.parts.count() + 1):
        yield bytes(file.parts.values_list("data", flat=True).get(number=number))
