"""Celery tasks: imports too large to be checked or written while somebody waits, and rendering."""

from celery import shared_task

from benchmark.actions.rendering import render_waiting
from benchmark.actions.uploading import sweep, work_imports
from benchmark.rendering import TASK


@shared_task(name="benchmark.work_imports")
def work() -> dict[str, int]:
    """Check or apply what waits, then clear what has expired."""
    return {"worked": work_imports(), "cleared": sweep()}


@shared_task(name=TASK)
def render() -> int:
    """Render the texts that wait; returns how many."""
    return render_waiting()
