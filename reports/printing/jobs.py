"""Asking for a report, cancelling it, trying again; printing it in a worker; forgetting files that are old."""

import logging
from dataclasses import fields

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.core.visibility import Viewer
from reports.models import ReportJob, ReportState
from reports.printing.claims import claim, fail, finish, keep, take_back_expired
from reports.printing.files import MAX_BYTES, new_path, path_of, remove, remove_strays, sealed
from reports.printing.report import ReportOrder, checked_size, ordered_campaigns, print_report

logger = logging.getLogger(__name__)
MAX_OPEN = 5  # reports of one person that are queued or running
_OPEN = (ReportState.QUEUED, ReportState.RUNNING)


class _Stopped(Exception):
    """The report was cancelled, or another worker holds it."""


@transaction.atomic
def ask_report(*, actor: User, order: ReportOrder) -> ReportJob:
    """Queue a report. Raises Refused when there is nothing to print or the person has enough in the queue."""
    _require_staff(actor)
    total = checked_size(order, ordered_campaigns(order))
    if ReportJob.objects.filter(asked_by=actor, state__in=_OPEN).count() >= MAX_OPEN:
        raise Refused(f"{MAX_OPEN} of your reports are in the queue; wait, or cancel one.", code="queue_full")
    job = ReportJob.objects.create(**vars(order), asked_by=actor, total=total)
    record(actor=actor, verb="ask for report", target=job, details={"identities": order.identities})
    transaction.on_commit(ring)
    return job


@transaction.atomic
def cancel_report(*, actor: User, job: ReportJob) -> None:
    """Stop a report that is queued or running; its worker notices after the part it is printing."""
    _require_staff(actor)
    stopped = ReportJob.objects.filter(pk=job.pk, state__in=_OPEN).update(
        state=ReportState.CANCELLED, lease_owner="", lease_until=None, finished_at=timezone.now()
    )
    if not stopped:
        raise Refused("This report is neither queued nor running.", code="not_open")
    record(actor=actor, verb="cancel report", target=job)


@transaction.atomic
def retry_report(*, actor: User, job: ReportJob) -> None:
    """Queue a report again that failed, was cancelled, or whose file is gone."""
    _require_staff(actor)
    ended = [ReportState.FAILED, ReportState.CANCELLED] + ([] if has_file(job) else [ReportState.DONE])
    fresh = {"tries": 0, "done": 0, "finished_at": None, "expires_at": None}
    queued = ReportJob.objects.filter(pk=job.pk, state__in=ended, file=job.file).update(
        state=ReportState.QUEUED, error="", file="", sha256="", size=0, pages=0, **fresh
    )
    if not queued:
        raise Refused(
            "Only a report that failed, was cancelled, or has lost its file can be printed again.",
            code="not_failed",
        )
    record(actor=actor, verb="retry report", target=job)
    transaction.on_commit(ring)


def has_file(job: ReportJob) -> bool:
    """Whether its file is there: it is removed after a while, and a restored backup may be without it."""
    try:
        return bool(job.file) and path_of(job.file).is_file()
    except ValueError:  # a name that was never given to a report
        return False


def _require_staff(actor: User) -> None:
    if not is_study_staff(actor):
        raise NotAllowed("Reports are for coordinators and owners.")


def print_next() -> bool:
    """Print the oldest queued report; False when there was none. What goes wrong is kept in words."""
    job = claim()
    if job is None:
        return False

    def progress(done: int, total: int) -> None:
        if not keep(job, done, total):
            raise _Stopped

    try:
        if not (job.asked_by.is_active and is_study_staff(job.asked_by)):
            raise Refused("The person who asked for this report may no longer see it.", code="not_allowed")
        order = order_of(job)
        path = new_path(".zip" if order.per else ".pdf")
        try:
            made = print_report(order, Viewer.STAFF, path, progress)
            digest, size = sealed(path)
            if size > MAX_BYTES:
                raise Refused(
                    f"The report has {size // 10**6} MB; choose a campaign, or fewer items.", code="too_large"
                )
            if not finish(job, file=path.name, sha256=digest, size=size, pages=made.pages):
                raise _Stopped
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    except _Stopped:
        logger.info("report %s was cancelled, or its lease was lost", job.pk)
    except Refused as refusal:
        fail(job, refusal.reason)
    except Exception as error:
        logger.exception("report %s failed", job.pk)
        what = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        fail(job, f"Printing failed: {what}. The worker's log has the details.")
    return True


def order_of(job: ReportJob) -> ReportOrder:
    return ReportOrder(**{field.name: getattr(job, field.name) for field in fields(ReportOrder)})


def reconcile_reports() -> dict[str, int]:
    """Bring back what a dead worker held, remove old files, and ring again if a report waits."""
    returned = take_back_expired()
    expired = ReportJob.objects.filter(expires_at__lt=timezone.now()).exclude(file="")
    names = list(expired.values_list("file", flat=True))
    for name in names:
        remove(name)
    ReportJob.objects.filter(file__in=names).update(file="")
    removed = len(names) + remove_strays(
        set(ReportJob.objects.exclude(file="").values_list("file", flat=True))
    )
    waiting = ReportJob.objects.filter(state=ReportState.QUEUED).count()
    if waiting:
        ring()
    return {"returned": returned, "removed": removed, "waiting": waiting}


def ring() -> None:
    """Tell workers to look; never raises for a broker that is away, for reconciliation rings again."""
    try:
        current_app.send_task("reports.print", retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("the broker is away, reconciliation will ring again: %s", error)
