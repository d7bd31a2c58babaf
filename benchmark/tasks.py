"""Celery tasks: imports too large to be checked or written while somebody waits."""

from celery import shared_task

from benchmark.actions.uploading import sweep, work_imports


@shared_task(name="benchmark.work_imports")
def work() -> dict[str, int]:
    """Check or apply what waits, then clear what has expired."""
    return {"worked": work_imports(), "cleared": sweep()}
