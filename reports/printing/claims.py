"""Claiming a report, keeping it, and giving it back: conditional updates whose count is read, as in judging.

A worker that has lost its lease writes nothing: every write asks for the lease's own token.
"""

import datetime as dt
import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from reports.models import ReportJob, ReportState
from work.clock import shared_now

MAX_TRIES = 3  # a report that kills its worker must not kill workers forever
_FREE: Mapping[str, Any] = {"lease_owner": "", "lease_until": None}


def lease_end() -> dt.datetime:
    """When a lease given now ends without another word of its owner."""
    return shared_now() + dt.timedelta(seconds=settings.REPORT_LEASE_SECONDS)


def claim() -> ReportJob | None:
    """Lease the oldest queued report; None when there is none, or others were faster every time."""
    owner = uuid.uuid4().hex
    for pk in (
        ReportJob.objects.filter(state=ReportState.QUEUED).order_by("pk").values_list("pk", flat=True)[:20]
    ):
        taken = ReportJob.objects.filter(pk=pk, state=ReportState.QUEUED).update(
            state=ReportState.RUNNING,
            lease_owner=owner,
            lease_until=lease_end(),
            tries=F("tries") + 1,
            done=0,
        )
        if taken:
            return ReportJob.objects.select_related("release__benchmark", "campaign", "asked_by").get(pk=pk)
    return None


def keep(job: ReportJob, done: int, total: int) -> bool:
    """Heartbeat with progress; False when the lease was lost or the report cancelled."""
    return bool(_held(job).update(done=done, total=total, lease_until=lease_end()))


def finish(job: ReportJob, **result: Any) -> bool:
    """Mark as done with its file; False when somebody else answers for the report by now."""
    now = timezone.now()
    kept = now + dt.timedelta(days=settings.REPORT_DAYS)
    return bool(
        _held(job).update(state=ReportState.DONE, finished_at=now, expires_at=kept, **result, **_FREE)
    )


def fail(job: ReportJob, error: str) -> bool:
    """Mark as failed, with the reason in words."""
    return bool(
        _held(job).update(state=ReportState.FAILED, error=error[:2000], finished_at=timezone.now(), **_FREE)
    )


def take_back_expired() -> int:
    """Queue reports whose worker died again; after MAX_TRIES they have failed. Returns how many were held.

    A lease that was given before the clock was set back ends one lease from now.
    """
    ahead = ReportJob.objects.filter(state=ReportState.RUNNING, lease_until__gt=lease_end())
    ahead.update(lease_until=lease_end())
    expired = ReportJob.objects.filter(state=ReportState.RUNNING, lease_until__lt=shared_now())
    words = f"The worker stopped {MAX_TRIES} times while printing; the last part may be too large."
    given_up = expired.filter(tries__gte=MAX_TRIES).update(
        state=ReportState.FAILED, error=words, finished_at=timezone.now(), **_FREE
    )
    return given_up + expired.update(state=ReportState.QUEUED, **_FREE)


def _held(job: ReportJob) -> Any:
    return ReportJob.objects.filter(pk=job.pk, state=ReportState.RUNNING, lease_owner=job.lease_owner)
