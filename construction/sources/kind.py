"""Uploaded archives as a kind of work: read on this machine, each in a child process, and what came of it stored."""

import asyncio
import datetime as dt
import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath

from django.db import transaction
from django.utils import timezone

from accounts.trail import record
from construction.models import Outcome, SourceUpload, UploadedArchive
from construction.reading.process import MOST_BYTES, Readers, Submitted, counts_of
from construction.sources.actions import Verdict, judge, named, store
from construction.sources.files import read_file
from construction.sources.manifest import ManifestRow
from construction.sources.stored import keep, path_of, upload_folder
from work.asking import never_asked
from work.claims import FREE, give_back
from work.kinds import Failure, Kind, Use
from work.models import RunState, TaskState

OPEN = (TaskState.WAITING, TaskState.LEASED)


@dataclass(frozen=True)
class Read:
    """What one archive holds."""

    task: UploadedArchive
    submitted: Submitted


@dataclass(frozen=True)
class Unpacked:
    """The archives that were in one: their names, the handles of their files, and sizes."""

    task: UploadedArchive
    inner: tuple[tuple[str, str, int], ...]


def row_for(archive: UploadedArchive) -> ManifestRow | None:
    """The row of the upload's manifest for an archive."""
    rows = {row["file"]: row for row in archive.run.manifest if row["file"]}
    found = rows.get(archive.name) or rows.get(PurePosixPath(archive.name).name)
    return ManifestRow.from_json(found) if found else None


@asynccontextmanager
async def _readers() -> AsyncIterator[
    Callable[[UploadedArchive, random.Random], Awaitable[Read | Unpacked | Failure]]
]:
    """Archives are read in processes that threads wait for."""
    with Readers() as readers:

        def read(archive: UploadedArchive) -> Read | Unpacked | Failure:
            path = path_of(archive.handle)
            if not path.is_file():
                reason = "The stored file is gone; upload it again."
                return Failure(task=archive, error=reason, final=True, wait=dt.timedelta())
            with readers.one() as reader:
                found = read_file(reader, archive.name, path, upload_folder(), inner=archive.inner)
            if isinstance(found, Submitted):
                return Read(archive, found)
            if not found:
                return Unpacked(archive, ())
            # Unpacked files get handles of their own; their names are paths below the name of the outer one.
            place = next(one for one in found[0].parents if one.parent == upload_folder())
            inner = [
                (f"{archive.name}/{file.relative_to(place).as_posix()}"[-300:], file.stat().st_size, file)
                for file in found
            ]
            kept = tuple((name, keep(file), size) for name, size, file in inner)
            shutil.rmtree(place, ignore_errors=True)
            return Unpacked(archive, kept)

        yield lambda archive, rng: asyncio.to_thread(read, archive)


def settle(*, results: Sequence[Read | Unpacked | Failure], owner: str) -> int:
    """Store what came of these archives, each in a transaction of its own; returns how many were read.

    An archive whose lease has passed to another worker is left to that one.
    """
    give_back(UploadedArchive, owner=owner, failures=(one for one in results if isinstance(one, Failure)))
    done = sum(_settle_one(one, owner) for one in results if not isinstance(one, Failure))
    for run in {one.task.run_id for one in results}:
        finish(run)
    return done


@transaction.atomic
def _settle_one(result: Read | Unpacked, owner: str) -> int:
    leased = UploadedArchive.objects.filter(pk=result.task.pk, state=TaskState.LEASED, lease_owner=owner)
    archive = leased.select_for_update(of=("self",)).select_related("run__created_by").first()
    if archive is None:
        return 0
    if isinstance(result, Unpacked):
        known = set(archive.run.archives.values_list("name", flat=True))
        UploadedArchive.objects.bulk_create(
            [
                UploadedArchive(run=archive.run, name=name, handle=handle, size=size, inner=True)
                for name, handle, size in result.inner
                if name not in known
            ],
            batch_size=200,
        )
        _close(archive, Verdict(Outcome.UNPACKED, sentence=f"{len(result.inner):,} archives were in it."))
        _forget_file(archive)
        return 1
    submitted = result.submitted
    row = row_for(archive)
    archive.key, archive.version = named(archive.name, row)
    twice = archive.run.archives.filter(key=archive.key, version=archive.version, pk__lt=archive.pk)
    if archive.run.adding:
        data = path_of(archive.handle).read_bytes() if archive.size <= MOST_BYTES else b""
        verdict = store(actor=archive.run.created_by, submitted=submitted, data=data, row=row)
        _forget_file(archive)
    else:
        verdict = judge(submitted, row)
        first = twice.exclude(outcome=Outcome.THERE).first()
        if verdict.outcome == Outcome.NEW and first is not None:
            reason = f"{first.name} is {archive.key}{archive.version} too."
            verdict = Verdict(Outcome.REFUSED, "twice", reason)
    archive.found = {
        "form": submitted.form, "main": submitted.main, "sha256": submitted.sha256,
        "title": (row.title if row and row.title else submitted.found.title if submitted.found else "")[:300],
        **(counts_of(submitted.found.outline) if submitted.found else {}),
    }  # fmt: skip
    _close(archive, verdict)
    return 1


def _close(archive: UploadedArchive, verdict: Verdict) -> None:
    for name, value in FREE.items():
        setattr(archive, name, value)
    archive.state, archive.last_error = TaskState.DONE, ""
    archive.outcome, archive.code, archive.sentence = verdict.outcome, verdict.code, verdict.sentence
    archive.source = verdict.source
    archive.save()


def _forget_file(archive: UploadedArchive) -> None:
    path = path_of(archive.handle)
    archive.handle = ""
    transaction.on_commit(lambda: path.unlink(missing_ok=True))


@transaction.atomic
def finish(run: int) -> bool:
    """Close an upload of which everything is over; returns whether it was."""
    running = SourceUpload.objects.select_for_update().filter(pk=run, state=RunState.RUNNING).first()
    if running is None or running.archives.filter(state__in=OPEN).exists():
        return False
    running.state, running.finished_at = RunState.DONE, timezone.now()
    running.save(update_fields=["state", "finished_at"])
    return True


SOURCES = Kind(
    tasks=UploadedArchive,
    runs=SourceUpload,
    endpoint="",
    loaded=("run",),
    ask=never_asked("an archive is read on this machine"),
    here=_readers,
    settle=settle,
    most=lambda archive: Use(),
    paused=lambda run: record(actor=None, verb="pause_upload_of_sources", target=run),
)
