"""The life of an uploaded import: stored, checked as a dry run, applied as it was shown, deleted.

The dry run and a file that is thrown away leave nothing in the audit trail, as on the command line; the import writes
its own row. The progress of a run is kept in a file next to the upload, because rows written inside the import's
transaction are invisible until its end.
"""

import errno
import hashlib
import json
import logging
import os
import secrets
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.text import capfirst

from accounts.access import is_study_staff
from accounts.holding import held, is_held
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from benchmark.collecting.actions import FaultyFiles, import_files
from benchmark.collecting.documents import MOST_FILES
from benchmark.collecting.mapping import Reading, recognise
from benchmark.importing.archives import unpack
from benchmark.importing.outputs import import_outputs
from benchmark.importing.progress import Progress
from benchmark.importing.records import RecordError
from benchmark.importing.survey import BadFile
from benchmark.models import ImportKind, ImportState, ImportUpload, Release
from benchmark.releases.actions import import_release
from benchmark.releases.queries import release_named
from benchmark.rendering.stored import call_worker

logger = logging.getLogger(__name__)

AT_ONCE_BYTES = 1024 * 1024
MAX_LIVE = 5
MAX_FAULTS = 5_000
KEEP = timedelta(hours=24)
GIVE_UP = timedelta(hours=1)
_TELL_EVERY = 0.5  # seconds
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


@dataclass(frozen=True)
class HowFar:
    """The phase of a running check or import; `total` is 0 while it is not known."""

    phase: str = ""
    done: int = 0
    total: int = 0


def store_import(
    *, actor: User, path: Path, name: str, kind: str, terms: Mapping[str, object]
) -> ImportUpload:
    """Take over the temporary file at `path` and check it: at once if it is small, else by a worker.

    One that is refused is deleted. `terms` are those of import_release (protocol, name), import_outputs (release by
    name, system, ...), or of the form of another kind.
    Raises NotAllowed for anyone but the study's staff, and Refused if there are already MAX_LIVE files.
    """
    _require_staff(actor)
    sweep()
    waiting = (ImportState.WAITING, ImportState.RUNNING, ImportState.RECOGNISED, ImportState.CHECKED)
    if ImportUpload.objects.filter(owner=actor, state__in=waiting).count() >= MAX_LIVE:
        path.unlink(missing_ok=True)
        raise Refused(f"You already have {MAX_LIVE} files here. Import or delete one first.", code="too_many")
    now = timezone.now()
    with transaction.atomic():
        upload = ImportUpload.objects.create(
            owner=actor,
            handle=secrets.token_urlsafe(32),
            kind=kind,
            file_name=Path(name).name[:255] or "upload",
            size=path.stat().st_size,
            sha256=_sha256(path),
            terms=terms,
            created_at=now,
            expires_at=now + KEEP,
        )
        os.replace(path, path_of(upload))
        path_of(upload).chmod(0o600)
    return _run_if_small(upload)


def map_import(*, actor: User, upload: ImportUpload, reading: Reading) -> ImportUpload:
    """Check a recognised upload as `reading` says; a worker does it, because every text is rendered.

    Another mapping may follow until the import. Raises Refused for one that cannot be carried out.
    """
    _require_staff(actor)
    if upload.owner_id != actor.pk:
        raise NotAllowed("This file was uploaded by someone else.")
    terms = {**upload.terms, "mapping": reading.as_json()}
    mappable = ImportUpload.objects.filter(pk=upload.pk, kind=ImportKind.FILES, applying=False)
    mappable = mappable.exclude(state__in=(ImportState.WAITING, ImportState.RUNNING)).exclude(recognised={})
    if not mappable.update(state=ImportState.WAITING, terms=terms, report={}, faults=[], refusal=""):
        raise Refused("The file is being processed, or has been imported.", code="busy")
    call_worker("benchmark.work_imports")
    upload.refresh_from_db()
    return upload


def apply_import(*, actor: User, upload: ImportUpload, seen: str = "") -> ImportUpload:
    """Import exactly what the dry run showed; `seen` is when the one that was seen began, in ISO 8601.

    Raises Refused without a dry run that found no fault, and for one that another has followed.
    """
    _require_staff(actor)
    if upload.owner_id != actor.pk:
        raise NotAllowed("This file was uploaded by someone else.")
    if seen and (upload.started_at is None or seen != upload.started_at.isoformat()):
        raise Refused(
            "The file has been read again since you looked: this is what would change now.", code="read_again"
        )
    checked = ImportUpload.objects.filter(
        pk=upload.pk, state=ImportState.CHECKED, started_at=upload.started_at
    )
    if not checked.update(state=ImportState.WAITING, applying=True):
        raise Refused(
            "Only a file whose dry run found no mistake can be imported, and only once.", code="not_checked"
        )
    upload.refresh_from_db()
    return _run_if_small(upload)


def delete_import(*, actor: User, upload: ImportUpload) -> None:
    """Delete file and row; what was imported stays. Raises Refused while the file is being processed."""
    if upload.owner_id != actor.pk:
        raise NotAllowed("This file was uploaded by someone else.")
    idle = ImportUpload.objects.filter(pk=upload.pk).exclude(state=ImportState.RUNNING)
    if not idle.delete()[0]:
        raise Refused("The file is being processed; wait until it is done.", code="busy")
    _remove_files(upload)


def work_imports() -> int:
    """Check or apply every waiting upload, oldest first; returns how many. Several workers may do this at once."""
    done = 0
    while True:
        waiting = ImportUpload.objects.filter(state=ImportState.WAITING).order_by("created_at")
        pk = waiting.values_list("pk", flat=True).first()
        if pk is None:
            return done
        done += _work(pk)


def reconcile_imports() -> None:
    """Clean up abandoned uploads, and call a worker if one is waiting."""
    sweep()
    if ImportUpload.objects.filter(state=ImportState.WAITING).exists():
        call_worker("benchmark.work_imports")


def sweep() -> int:
    """Fail uploads whose process died, or took too long, and delete expired ones, and files without a row; returns
    how many."""
    now = timezone.now()
    given_up = 0
    for upload in ImportUpload.objects.filter(state=ImportState.RUNNING):
        if is_held(_held_path(upload)) and upload.started_at and upload.started_at > now - GIVE_UP:
            continue
        mine = ImportUpload.objects.filter(
            pk=upload.pk, state=ImportState.RUNNING, started_at=upload.started_at
        )
        refusal = f"This did not finish. {_what_is_stored(upload)} Try again."
        given_up += mine.update(state=ImportState.REFUSED, refusal=refusal)
        _remove_what_work_left(upload)
    expired = list(ImportUpload.objects.filter(expires_at__lte=now).exclude(state=ImportState.RUNNING))
    for upload in expired:
        upload.delete()
        _remove_files(upload)
    # files without a row: a process died, or a backup came back without it
    known, strays = set(ImportUpload.objects.values_list("handle", flat=True)), 0
    for path in folder_of_imports().iterdir():
        with suppress(FileNotFoundError):  # another worker was faster
            is_old = path.stat().st_mtime < (now - GIVE_UP).timestamp()
            if is_old and path.name.partition(".")[0] not in known:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                strays += 1
    return given_up + len(expired) + strays


def folder_of_imports() -> Path:
    """The folder of the files; made on first use, readable by this process's user only."""
    folder = Path(settings.UPLOAD_DIR) / "imports"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def path_of(upload: ImportUpload) -> Path:
    """The path of the uploaded file."""
    return folder_of_imports() / f"{upload.handle}.upload"


def how_far(upload: ImportUpload) -> HowFar:
    """The last progress report of the running check or import."""
    try:
        return HowFar(**json.loads(_progress_path(upload).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return HowFar()


def _progress_path(upload: ImportUpload) -> Path:
    return path_of(upload).with_suffix(".progress")


def _held_path(upload: ImportUpload) -> Path:
    """Held while the upload is checked or imported."""
    return path_of(upload).with_suffix(".held")


def _remove_files(upload: ImportUpload) -> None:
    path_of(upload).unlink(missing_ok=True)
    _remove_what_work_left(upload)


def _remove_what_work_left(upload: ImportUpload) -> None:
    """What a process that died had unpacked, and its notes."""
    for path in folder_of_imports().glob(f"{upload.handle}.*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path != path_of(upload):
            path.unlink(missing_ok=True)


def _require_staff(actor: User) -> None:
    if not is_study_staff(actor):
        raise NotAllowed("Only coordinators and owners can import.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _run_if_small(upload: ImportUpload) -> ImportUpload:
    if upload.kind in settings.IMPORTERS:
        call_worker("benchmark.work_imports")  # they render texts, which no request does
    elif upload.size <= AT_ONCE_BYTES:
        _work(upload.pk)
        upload.refresh_from_db()
    return upload


def _work(pk: int) -> bool:
    """Claim and answer one upload; False when another worker has it."""
    upload = ImportUpload.objects.filter(pk=pk).first()
    if upload is None:
        return False
    with held(_held_path(upload)):
        claimed = ImportUpload.objects.filter(pk=pk, state=ImportState.WAITING)
        if not claimed.update(state=ImportState.RUNNING, started_at=timezone.now()):
            return False
        upload = ImportUpload.objects.select_related("owner").get(pk=pk)
        answer: dict[str, object] = {"state": ImportState.REFUSED}
        try:
            if not (upload.owner.is_active and is_study_staff(upload.owner)):
                raise Refused("The person who uploaded this file may no longer import.")
            if _sha256(path_of(upload)) != upload.sha256:
                raise Refused("The stored file is not the one that was uploaded; upload it again.")
            basis = _basis(upload)
            if upload.applying and basis != upload.basis:
                raise Refused(
                    "The release has changed since the dry run; upload the file again and look at the new one."
                )
            report = _run(upload)
            if upload.kind == ImportKind.FILES and "mapping" not in upload.terms:
                answer = {"state": ImportState.RECOGNISED, "recognised": report}
            else:
                state = ImportState.APPLIED if upload.applying else ImportState.CHECKED
                answer = {"state": state, "report": report, "basis": basis}
        except FaultyFiles as bad:
            answer |= {"faults": bad.faults, "refusal": bad.reason}
        except BadFile as bad:
            answer["faults"] = [_fault(upload, error) for error in bad.errors]
            many = f"{len(bad.errors):,} problems" + (", and there are more" if bad.more else "")
            answer["refusal"] = f"{many}. Nothing was imported."
        except RecordError as error:
            answer |= {"faults": [_fault(upload, error)], "refusal": "1 problem. Nothing was imported."}
        except FileNotFoundError:
            answer["refusal"] = "The file is gone; upload it again."
        except Refused as refusal:
            reason = refusal.reason
            names_the_file = reason.startswith(upload.file_name)
            answer["refusal"] = reason if names_the_file else capfirst(reason)
        except DatabaseError as error:
            answer["refusal"] = f"The database refused it: {error}. {_what_is_stored(upload)}"
        except OSError as error:
            logger.exception("upload %s could not be read", upload.pk)
            again = " Tell those who run the server, and upload the file again afterwards."
            answer["refusal"] = (
                f"The server says: {error.strerror or 'a file failed'}. {_what_is_stored(upload)}"
                f"{again if error.errno in _FULL else ''}"
            )
        except Exception:  # the site's own fault; neither the page nor the next upload is to wait for it
            logger.exception("upload %s could not be read", upload.pk)
            what = "imported" if upload.applying else "read"
            answer["refusal"] = (
                f"This file could not be {what}: a fault of the site, which its log describes. "
                f"{_what_is_stored(upload)}"
            )
        mine = ImportUpload.objects.filter(pk=pk, state=ImportState.RUNNING, started_at=upload.started_at)
        mine.update(**answer)
        _progress_path(upload).unlink(missing_ok=True)
        return True


def _run(upload: ImportUpload) -> dict[str, object]:
    """Import or check the file under its own name, a zip as the folder of its documents; returns the report.

    Files as people have them are only recognised until they have a mapping; other kinds need none.
    """
    with TemporaryDirectory(prefix=f"{upload.handle}.", dir=folder_of_imports()) as place:
        progress = _progress_writer(upload)
        if upload.kind in (ImportKind.FILES, *settings.IMPORTERS):
            folder = Path(place) / "unpacked"
            folder.mkdir()
            if upload.file_name.lower().endswith(".zip"):
                most = settings.IMPORT_MAX_BYTES
                unpack(path_of(upload), folder, tree=True, most_members=MOST_FILES, most_bytes=most)
            else:
                shutil.copyfile(path_of(upload), folder / upload.file_name)
            if upload.kind in settings.IMPORTERS:
                importer = import_string(settings.IMPORTERS[upload.kind])
                report: dict[str, object] = importer(upload, folder, progress)
                return report
            if "mapping" not in upload.terms:
                return recognise(folder, upload.file_name)
            return import_files(
                actor=upload.owner,
                folder=folder,
                name=upload.file_name,
                release=upload.terms["release"],
                protocol=upload.terms["protocol"],
                reading=Reading(**upload.terms["mapping"]),
                dry_run=not upload.applying,
                progress=progress,
            )
        source = Path(place) / upload.file_name
        if source.suffix.lower() == ".zip":
            source = source.with_suffix("")
            source.mkdir()
            unpack(path_of(upload), source)
        else:
            shutil.copyfile(path_of(upload), source)
        terms = {
            **upload.terms,
            "actor": upload.owner,
            "path": source,
            "dry_run": not upload.applying,
            "progress": progress,
            "most_faults": MAX_FAULTS,
        }
        if upload.kind == ImportKind.RELEASE:
            return asdict(import_release(**terms))
        return asdict(import_outputs(**{**terms, "release": release_named(terms["release"])}))


def _fault(upload: ImportUpload, error: RecordError) -> dict[str, str | int]:
    """A folder's faults carry the document's name in place of a field."""
    if upload.file_name.lower().endswith(".zip") and "." in error.field:
        return {"file": error.field, "line": error.line, "field": "", "reason": error.reason}
    return {"file": upload.file_name, "line": error.line, "field": error.field, "reason": error.reason}


def _basis(upload: ImportUpload) -> str:
    """A fingerprint of what the import would meet: the release and its runs, or that there is none."""
    named = upload.terms["name" if upload.kind == ImportKind.RELEASE else "release"]
    release = Release.objects.filter(name=named).first()
    if release is None:
        return hashlib.sha256(b"no release").hexdigest()
    runs = release.runs.order_by("pk").values_list("system__slug", "track", "condition", "sha256")
    met = [release.sha256, release.frozen_at is not None, *map(list, runs)]
    return hashlib.sha256(json.dumps(met).encode()).hexdigest()


def _what_is_stored(upload: ImportUpload) -> str:
    """What an upload left behind that ended before it could say so itself; much comes after its rows were stored."""
    if not upload.applying:
        return "Nothing was imported."
    if upload.kind in settings.IMPORTERS or _basis(upload) != upload.basis:
        return "Look at the release: it may have been imported. Importing the same file again stores nothing twice."
    return "Nothing was imported."


def _progress_writer(upload: ImportUpload) -> Progress:
    told = 0.0
    path = _progress_path(upload)

    def tell(phase: str, done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told < _TELL_EVERY:
            return
        told = time.monotonic()
        fresh = path.with_suffix(".telling")
        with suppress(OSError):  # a full disk need not end an import that writes to the database
            fresh.write_text(json.dumps({"phase": phase, "done": done, "total": total}), "utf-8")
            os.replace(fresh, path)

    return tell
