"""The life of an upload of archives: stored, read as a dry run by workers, added or discarded."""

import datetime as dt
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from construction.models import Outcome, SourceUpload, UploadedArchive
from construction.sources.kind import OPEN, SOURCES, finish
from construction.sources.manifest import ManifestRow, missing_files, read_manifest
from construction.sources.stored import forget_orphans, keep, path_of, upload_folder
from work.claims import take_back_expired
from work.clock import shared_now
from work.models import RunState, TaskState
from work.signal import ring

KEEP = dt.timedelta(days=3)  # an upload that nobody adds
KEEP_REPORT = dt.timedelta(days=90)  # what came of one that was added
MOST_FILES = 20_000
_ORPHAN_SECONDS = 24 * 3600.0


def store_upload(
    *, actor: User, files: Sequence[tuple[str, Path]], manifest: bytes | None = None
) -> SourceUpload:
    """Take over temporary files (name, path) and have workers read them as a dry run, which adds nothing.

    Raises FaultyManifest, and Refused for no file, or two files of one name.
    """
    rows = read_manifest(manifest) if manifest is not None else []
    if not files:
        raise Refused("Choose at least one archive.", code="no_files", field="archives")
    names = [name.strip()[-300:] or "source" for name, _ in files]
    if len(names) > MOST_FILES:
        raise Refused(f"An upload has at most {MOST_FILES:,} files.", code="too_many_files", field="archives")
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        raise Refused(f"Two files are called {again}.", code="two_of_a_name", field="archives")
    with transaction.atomic():
        upload = SourceUpload.objects.create(created_by=actor, manifest=[row.as_json() for row in rows])
        UploadedArchive.objects.bulk_create(
            [
                UploadedArchive(run=upload, name=name, size=path.stat().st_size, handle=keep(path))
                for name, (_, path) in zip(names, files, strict=True)
            ],
            batch_size=200,
        )
        transaction.on_commit(ring)
    return upload


def without_file(upload: SourceUpload) -> list[tuple[int, str]]:
    """(line, file) of manifest rows whose file is not in the upload, once everything was read."""
    rows = [ManifestRow.from_json(row) for row in upload.manifest]
    return missing_files(rows, upload.archives.values_list("name", flat=True))


@transaction.atomic
def add_upload(*, actor: User, upload: SourceUpload) -> SourceUpload:
    """Add what the dry run showed as new; workers do it. What cannot be read is added with its code.

    Raises Refused before the end of the dry run, for a manifest that names files that are not there, and when nothing
    is new.
    """
    locked = SourceUpload.objects.select_for_update().get(pk=upload.pk)
    if locked.adding or locked.state != RunState.DONE:
        raise Refused("It is added already, or its dry run has not ended.", code="not_checked")
    if missing := without_file(locked):
        line, name = missing[0]
        reason = f"Line {line} of the manifest names {name}, which is not in this upload."
        raise Refused(reason, code="no_such_file", field="file", line=line)
    new = locked.archives.filter(outcome=Outcome.NEW)
    if not (count := new.update(state=TaskState.WAITING, outcome="", tries=0, available_at=timezone.now())):
        raise Refused("Nothing of it is new.", code="nothing_new")
    locked.adding, locked.state, locked.finished_at = True, RunState.RUNNING, None
    locked.save(update_fields=["adding", "state", "finished_at"])
    record(actor=actor, verb="add_uploaded_sources", target=locked, details={"archives": count})
    transaction.on_commit(ring)
    return locked


@transaction.atomic
def discard_upload(*, upload: SourceUpload) -> None:
    """Delete an upload with its files; sources that were added of it stay. Raises Refused while it is being added."""
    locked = SourceUpload.objects.select_for_update().get(pk=upload.pk)
    if locked.adding and locked.state == RunState.RUNNING:
        raise Refused("Its papers are being added; wait until that is done.", code="busy")
    _delete(locked)


def try_again(*, upload: SourceUpload) -> None:
    """Queue again the archives that were not read because their file or a worker was missing."""
    with transaction.atomic():
        locked = SourceUpload.objects.select_for_update().get(pk=upload.pk)
        again = locked.archives.filter(state=TaskState.FAILED)
        if not again.update(state=TaskState.WAITING, tries=0, last_error="", available_at=timezone.now()):
            raise Refused("Nothing of this upload failed.", code="nothing_failed")
        SourceUpload.objects.filter(pk=locked.pk).update(state=RunState.RUNNING, finished_at=None)
        transaction.on_commit(ring)


def reconcile_sources() -> dict[str, int]:
    """Bring back what a dead worker held, close what is finished, delete what has expired, and call workers."""
    returned = take_back_expired(SOURCES)
    running = SourceUpload.objects.filter(state=RunState.RUNNING)
    still = UploadedArchive.objects.filter(run=OuterRef("pk"), state__in=OPEN)
    finished = sum(map(finish, list(running.exclude(Exists(still)).values_list("pk", flat=True))))
    due = {"state": TaskState.WAITING, "run__state": RunState.RUNNING, "available_at__lte": shared_now()}
    waiting = UploadedArchive.objects.filter(**due).count()
    if waiting:
        ring()
    now, expired = timezone.now(), 0
    old = SourceUpload.objects.filter(adding=False, created_at__lt=now - KEEP)
    reports = SourceUpload.objects.filter(adding=True, state=RunState.DONE, finished_at__lt=now - KEEP_REPORT)
    for upload in [*old, *reports]:
        with transaction.atomic():
            _delete(upload)
        expired += 1
    folder = upload_folder()
    before = time.time() - _ORPHAN_SECONDS
    if any(path.stat().st_mtime < before for path in folder.iterdir()):
        known = set(UploadedArchive.objects.exclude(handle="").values_list("handle", flat=True))
        expired += forget_orphans(known, older_than=_ORPHAN_SECONDS)
        for path in folder.iterdir():  # folders in which a worker died while it unpacked
            if path.is_dir() and path.stat().st_mtime < before:
                shutil.rmtree(path, ignore_errors=True)
    return {"returned": returned, "finished": finished, "waiting": waiting, "expired": expired}


def progress_of(upload: SourceUpload) -> dict[str, int]:
    """Counts of an upload's archives: all, over, failed, and by outcome."""
    counted = upload.archives.values_list("state", "outcome").annotate(times=Count("pk"))
    counts = {outcome.value: 0 for outcome in Outcome} | {"archives": 0, "over": 0, "failed": 0}
    for state, outcome, times in counted:
        counts["archives"] += times
        counts["over"] += times if state not in OPEN else 0
        counts["failed"] += times if state == TaskState.FAILED else 0
        if outcome:
            counts[outcome] += times
    return counts


def uploads() -> QuerySet[SourceUpload]:
    """Uploads, the newest first."""
    return SourceUpload.objects.select_related("created_by").order_by("-pk")


def _delete(upload: SourceUpload) -> None:
    handles = list(upload.archives.exclude(handle="").values_list("handle", flat=True))
    upload.delete()

    def forget() -> None:
        for handle in handles:
            path_of(handle).unlink(missing_ok=True)

    transaction.on_commit(forget)
