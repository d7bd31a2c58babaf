"""Celery tasks: label files that are too large to be analysed while somebody waits for the page."""

from celery import shared_task

from reports import uploads


@shared_task(name=uploads.TASK)
def analyse_uploads() -> int:
    """Answer what waits; returns how many."""
    return uploads.analyse_waiting()


@shared_task(name="reports.look_after_uploads")
def look_after_uploads() -> int:
    """Answer what a lost signal left waiting, delete what has expired; returns how many were deleted."""
    uploads.analyse_waiting()
    return uploads.sweep()
