"""Celery tasks: label files too large to be analysed while somebody waits, and reports to print."""

import logging

from celery import shared_task

from accounts.refusal import Refused
from benchmark.importing.uploading import reconcile_imports
from benchmark.rendering.actions import reconcile_rendering
from construction.builds.actions import reconcile_builds
from construction.sources.uploading import reconcile_sources
from judging.runs.actions import reconcile as reconcile_judging
from reports.analysing import uploads
from reports.history.chain import seal
from reports.printing.jobs import print_next, reconcile_reports, ring
from reports.records.embargoes import end_embargoes
from reports.records.folder import write_missing
from reports.status.state import beat_heart
from search.slogans.actions import reconcile_slogans
from solving.runs.actions import reconcile_solving

logger = logging.getLogger(__name__)


@shared_task(name=uploads.TASK)
def analyse_uploads() -> int:
    """Answer what waits; returns how many."""
    return uploads.analyse_waiting()


@shared_task(name="reports.look_after_uploads")
def look_after_uploads() -> int:
    """Answer what a lost signal left waiting, delete what has expired; returns how many were deleted."""
    uploads.analyse_waiting()
    return uploads.sweep()


@shared_task(name="reports.print")
def print_reports() -> bool:
    """Print one report and look for another in a task of its own, so that a warm stop is never slow."""
    printed = print_next()
    if printed:
        ring()
    return printed


@shared_task(name="reports.reconcile")
def reconcile() -> None:
    """Bring back what dead workers held, in every queue, and call workers for what waits. Beat asks for it."""
    queues = (
        reconcile_judging, reconcile_imports, reconcile_rendering, reconcile_reports, reconcile_slogans,
        reconcile_builds, reconcile_sources, reconcile_solving,
    )  # fmt: skip
    for reconcile_queue in queues:
        try:
            reconcile_queue()
        except Exception:  # one queue in trouble must not hold up the others
            logger.exception("%s failed; the next round tries again", reconcile_queue.__name__)


@shared_task(name="reports.beat_heart")
def heartbeat() -> None:
    beat_heart()


@shared_task(name="reports.seal_history")
def seal_history() -> int:
    return seal()


@shared_task(name="reports.end_embargoes")
def publish_ended_embargoes() -> int:
    """Publish what has become public, and write what a process that died after publishing or withdrawing did not."""
    published = end_embargoes()
    try:
        write_missing()
    except Refused as refusal:
        logger.warning("files of public records are missing: %s", refusal.reason)
    return published
