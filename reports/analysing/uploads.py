"""The life of an uploaded label file: stored, asked about, analysed, deleted.

These verbs leave nothing in the audit trail: no row of a study changes, and the trail is for ever while the
file and its answer are gone within the hour.
"""

import contextlib
import json
import os
import secrets
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from reports.analysing.requests import as_row, from_row
from reports.models import LabelUpload, UploadState
from stats.analyses.running import Document, Request, run
from stats.tables.columns import Form, form_of
from stats.tables.peeking import Peek, peek
from stats.tables.raw_rows import TableError
from work.signal import ring

AT_ONCE_BYTES = 2 * 1024 * 1024  # about 45,000 labels, one to two seconds; larger files go to a worker
MAX_LIVE = 3
GIVE_UP = timedelta(minutes=15)
TASK = "reports.analyse_uploads"


def path_of(upload: LabelUpload) -> Path:
    return Path(settings.UPLOAD_DIR) / f"{upload.handle}.labels"


def store_upload(*, actor: User, path: Path, name: str) -> LabelUpload:
    """Take the temporary file at `path` over, under a name that nobody can guess.

    Raises Refused when the file is not a table, or when the person has MAX_LIVE files already.
    """
    sweep()
    if actor.label_uploads.count() >= MAX_LIVE:
        raise Refused(
            f"You have {MAX_LIVE} files here already. Delete one first, or wait until they expire.",
            code="too_many_uploads",
        )
    name = Path(name).name[:255] or "labels.csv"
    form = form_of(Path(name))
    try:
        with path.open("rb") as stream:
            peek(stream, form=form)
    except TableError as refusal:
        raise Refused(f"{name}: {refusal}.", code="bad_label_file", line=refusal.line) from refusal
    now = timezone.now()
    with transaction.atomic():
        upload = LabelUpload.objects.create(
            owner=actor,
            handle=secrets.token_urlsafe(32),
            file_name=name,
            form=form,
            size=path.stat().st_size,
            created_at=now,
            expires_at=now + timedelta(minutes=max(1, settings.ANALYSE_KEEP_MINUTES)),
        )
        os.replace(path, path_of(upload))
    path_of(upload).chmod(0o600)
    return upload


def first_rows(upload: LabelUpload) -> Peek:
    """Header and first rows. Raises Refused when the file is gone."""
    try:
        with path_of(upload).open("rb") as stream:
            return peek(stream, form=_form(upload))
    except FileNotFoundError as error:
        raise Refused("The file is gone; choose it again.", code="no_file") from error


def document_of(upload: LabelUpload) -> Document:
    """The answer of an upload that is done."""
    document: Document = json.loads(upload.document)
    return document


def request_analysis(*, actor: User, upload: LabelUpload, asked: Request) -> None:
    """Ask for an analysis; small files are answered at once, larger ones by a worker.

    An earlier answer goes. Raises Refused when one is still being worked at or `upload` is another's.
    """
    if upload.owner_id != actor.pk:
        raise Refused("This file is somebody else's.", code="not_yours")
    free = LabelUpload.objects.filter(pk=upload.pk).exclude(
        state__in=(UploadState.WAITING, UploadState.RUNNING)
    )
    taken = free.update(
        state=UploadState.WAITING,
        asked=as_row(asked),
        document="",
        refusal="",
        started_at=None,
        ended_at=None,
    )
    if not taken:
        raise Refused("This file is being analysed; wait for the answer.", code="busy")
    if upload.size <= AT_ONCE_BYTES:
        _analyse(upload.pk)
    else:
        transaction.on_commit(lambda: ring(TASK))


def analyse_waiting() -> int:
    """Answer every waiting upload, oldest first; returns how many. Several workers may do this at once."""
    done = 0
    while True:
        waiting = LabelUpload.objects.filter(state=UploadState.WAITING).order_by("created_at")
        pk = waiting.values_list("pk", flat=True).first()
        if pk is None:
            return done
        done += _analyse(pk)


def _analyse(pk: int) -> bool:
    """Claim and answer one upload; False when another worker has it."""
    claimed = LabelUpload.objects.filter(pk=pk, state=UploadState.WAITING).update(
        state=UploadState.RUNNING, started_at=timezone.now()
    )
    if not claimed:
        return False
    upload = LabelUpload.objects.get(pk=pk)
    printed = refusal = ""
    try:
        with path_of(upload).open("rb") as stream:
            document = run(stream, _form(upload), from_row(upload.asked))
        printed = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    except (TableError, ValueError) as error:
        refusal = f"{error}."
    except FileNotFoundError:
        refusal = "The file is gone; choose it again."
    except MemoryError:
        refusal = "The analysis needs more memory than there is."
    LabelUpload.objects.filter(pk=pk, state=UploadState.RUNNING, started_at=upload.started_at).update(
        state=UploadState.REFUSED if refusal else UploadState.DONE,
        document=printed,
        refusal=refusal,
        ended_at=timezone.now(),
    )
    return True


def _form(upload: LabelUpload) -> Form:
    return "jsonl" if upload.form == "jsonl" else "csv"


def delete_upload(*, actor: User, upload: LabelUpload) -> None:
    """Row, file and answer go. Raises Refused for somebody else's."""
    if upload.owner_id != actor.pk:
        raise Refused("This file is somebody else's.", code="not_yours")
    _remove(upload)


def sweep() -> int:
    """Delete what has expired, give up what a dead worker left, clear files without a row; returns how many."""
    now = timezone.now()
    stalled = LabelUpload.objects.filter(state=UploadState.RUNNING, started_at__lt=now - GIVE_UP)
    given_up = stalled.update(
        state=UploadState.REFUSED,
        refusal="The analysis did not come to an end. Try again, or with fewer labels.",
        ended_at=now,
    )
    expired = list(LabelUpload.objects.filter(expires_at__lte=now))
    for upload in expired:
        _remove(upload)
    # Files that no row knows and nobody has written to for a quarter of an hour: uploads that broke off.
    known = set(LabelUpload.objects.values_list("handle", flat=True))
    oldest = (timezone.now() - GIVE_UP).timestamp()
    cleared = 0
    for path in Path(settings.UPLOAD_DIR).iterdir():
        with contextlib.suppress(FileNotFoundError):
            if path.stem not in known and path.is_file() and path.stat().st_mtime < oldest:
                path.unlink()
                cleared += 1
    return given_up + len(expired) + cleared


def _remove(upload: LabelUpload) -> None:
    path_of(upload).unlink(missing_ok=True)
    upload.delete()
