"""What the status page and the banner say. Workers leave a heartbeat in the cache; beat asks for one every 30 s."""

import datetime as dt
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.models import Count, Min, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.access import is_study_staff
from accounts.site.mail import last_mail
from benchmark.models import ImportState, ImportUpload
from judging.models import JudgeTask
from reports.models import LabelUpload, ReportJob, ReportState, UploadState
from work.breaker import BreakerState, breaker_state
from work.endpoints import declared_endpoints, no_endpoint_reason
from work.models import EndpointState, RunState, TaskState

GOOD, WARN, BAD = "good", "warn", "bad"
LATE = dt.timedelta(minutes=2)  # four heartbeats
_HEARTBEATS = "heartbeats"
_REMEMBERED = 7 * 24 * 3600
_GIB = 1024**3


@dataclass(frozen=True)
class Light:
    """One part of the platform: whether it works, in a sentence, and when it was last seen to."""

    name: str
    state: str
    says: str
    seen: dt.datetime | None = None


@dataclass(frozen=True)
class Waiting:
    """Jobs of one kind that no worker has begun: how many, and since when the oldest waits."""

    kind: str
    number: int
    since: dt.datetime


@dataclass(frozen=True)
class Status:
    lights: list[Light]
    waiting: list[Waiting]


def beat_heart() -> None:
    """Called by a worker because beat asked for it: both are at work on this host."""
    hosts: dict[str, dt.datetime] = cache.get(_HEARTBEATS) or {}
    cache.set(_HEARTBEATS, hosts | {socket.gethostname(): timezone.now()}, _REMEMBERED)


def _heartbeats() -> dict[str, dt.datetime]:
    """Host -> its last heartbeat. One from the future says nothing: a clock was set back, and Celery's beat, which
    looks at it too, may be standing still."""
    hosts: dict[str, dt.datetime] = cache.get(_HEARTBEATS) or {}
    latest = timezone.now() + LATE  # clocks of two hosts differ
    return {host: at for host, at in hosts.items() if at <= latest}


def last_heartbeat() -> dt.datetime | None:
    """When a worker of any host last did what beat asked for."""
    return max(_heartbeats().values(), default=None)


def status() -> Status:
    """Everything, asked now. Takes a second longer when workers are silent, because they are asked directly."""
    answered = f"{socket.gethostname()} answered, with {connection.display_name}."
    web = Light("Web", GOOD, answered, timezone.now())
    lights = [web, *_workers(), _mail(), *_endpoints()]
    # one light for each file system that the platform writes to
    folders = {"runtime folder": settings.RUNTIME_DIR, "uploads": settings.UPLOAD_DIR}
    folders["reports"] = settings.REPORT_DIR
    seen: set[int] = set()
    for name, folder in folders.items():
        path = Path(folder)
        while not path.exists():
            path = path.parent
        if path.stat().st_dev in seen:
            continue
        seen.add(path.stat().st_dev)
        usage = shutil.disk_usage(path)
        state = BAD if usage.free < _GIB else WARN if usage.free < 5 * _GIB else GOOD
        says = f"{usage.free / _GIB:.1f} of {usage.total / _GIB:.1f} GiB are free."
        lights.append(Light(f"Disk ({name})", state, says))
    return Status(lights, list(waiting_jobs(timezone.now())))


def troubles() -> list[Light]:
    """What is down, as far as can be told without asking anything: mail and endpoints."""
    return [light for light in (_mail(), *_endpoints()) if light.state == BAD]


def stalled_since() -> dt.datetime | None:
    """Since when a job has waited while no worker was seen; None while workers are at work or nothing waits."""
    now = timezone.now()
    seen = last_heartbeat()
    if seen is not None and now - seen < LATE:
        return None
    oldest = min((jobs.since for jobs in waiting_jobs(now)), default=now)
    return oldest if now - oldest >= LATE else None


def waiting_jobs(now: dt.datetime) -> Iterator[Waiting]:
    """Jobs that could be begun and are not, by kind."""
    tasks = JudgeTask.objects.filter(
        state=TaskState.WAITING, run__state=RunState.RUNNING, available_at__lte=now
    )
    kinds: list[tuple[str, QuerySet[Any], str]] = [
        ("Calls of judges", tasks, "available_at"),
        ("Imports", ImportUpload.objects.filter(state=ImportState.WAITING), "created_at"),
        ("Reports to print", ReportJob.objects.filter(state=ReportState.QUEUED), "created_at"),
        ("Label files to analyse", LabelUpload.objects.filter(state=UploadState.WAITING), "created_at"),
    ]
    for kind, rows, field in kinds:
        found = rows.aggregate(number=Count("pk"), since=Min(field))
        if found["number"]:
            yield Waiting(kind, found["number"], found["since"])


def _workers() -> Iterator[Light]:
    seen = last_heartbeat()
    if seen is not None and timezone.now() - seen < LATE:
        hosts = ", ".join(sorted(host for host, at in _heartbeats().items() if timezone.now() - at < LATE))
        yield Light("Workers", GOOD, f"At work on {hosts}.", seen)
        yield Light("Beat", GOOD, "Asks for what is due.", seen)
        return
    try:
        names = [name for answer in current_app.control.ping(timeout=1) or [] for name in answer]
    except (OperationalError, OSError):
        yield Light("Broker", BAD, "Does not answer, so workers hear of new jobs late or never.")
        names = []
    if names:
        yield Light("Workers", GOOD, f"{', '.join(sorted(names))} answer.", seen)
        says = "No heartbeat, although workers answer. Start `celery --app config beat`; one is enough. "
        says += "If the clock was set back, delete `beat-schedule*` in the runtime folder first."
        yield Light("Beat", BAD, says, seen)
    else:
        says = "None answers. Start `celery --app config worker`; jobs wait until then and are not lost."
        yield Light("Workers", BAD, says, seen)
        yield Light("Beat", WARN, "Unknown while no worker answers.", seen)


def _mail() -> Light:
    last = last_mail()
    if not settings.EMAIL_LEAVES:
        return Light("Mail", WARN, "Is printed to the log, not sent. Set TOUCHSTONE_EMAIL_URL to send it.")
    if last is None:
        return Light("Mail", GOOD, "None was sent in the last week. Send yourself a test message to try it.")
    if last.error:
        return Light("Mail", BAD, f"The last message was not sent: {last.error}", last.at)
    return Light("Mail", GOOD, "The mail server accepted the last message.", last.at)


def _endpoints() -> Iterator[Light]:
    reason = no_endpoint_reason()
    if reason:
        yield Light("Endpoints of judges", WARN, reason)
        return
    states = {state.name: state for state in EndpointState.objects.all()}
    for name in sorted(declared_endpoints(settings.JUDGE_ENDPOINTS)):
        state = states.get(name)
        if breaker_state(state, timezone.now()) is not BreakerState.CLOSED and state is not None:
            says = f"Failed {state.failures} times in a row and is left alone for a while: {state.last_error}"
            yield Light(f"Endpoint {name}", BAD, says)
        elif state is not None and state.failures:
            yield Light(f"Endpoint {name}", WARN, f"The last call failed: {state.last_error}")
        else:
            yield Light(f"Endpoint {name}", GOOD, "Answers." if state else "Was not called yet.")


def banner(request: HttpRequest) -> dict[str, object]:
    """Template context of staff's pages: since when jobs have waited without a worker; asked where it is shown."""
    user = getattr(request, "user", None)
    if user is None or not is_study_staff(user):
        return {}
    return {"stalled_since": stalled_since}
