"""Celery tasks: imports too large to be checked or written while the user waits, and rendering."""

from celery import shared_task

from benchmark.importing.uploading import work_imports
from benchmark.rendering.actions import render_waiting
from benchmark.rendering.stored import TASK


@shared_task(name="benchmark.work_imports")
def work() -> int:
    """Check or apply what waits; returns how many."""
    return work_imports()


@shared_task(name=TASK)
def render() -> int:
    """Render the waiting texts; returns how many."""
    return render_waiting()
