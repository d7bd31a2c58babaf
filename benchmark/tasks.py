"""Celery tasks: imports too large to be checked or written while the user waits, rendering, and scans."""

from celery import shared_task

from benchmark.identities.actions import TASK as SCAN
from benchmark.identities.actions import scan_identities
from benchmark.importing.uploading import work_imports
from benchmark.models import Release
from benchmark.rendering.actions import render_waiting
from benchmark.rendering.stored import TASK, call_worker

AT_ONCE = 30  # seconds of scanning; other work comes between


@shared_task(name="benchmark.work_imports")
def work() -> int:
    """Check or apply what waits; returns how many."""
    return work_imports()


@shared_task(name=TASK)
def render() -> int:
    """Render the waiting texts; returns how many."""
    return render_waiting()


@shared_task(name=SCAN)
def scan(release: int) -> int:
    """Scan what is not scanned of a release, and call for the rest; returns how many outputs are left."""
    left = scan_identities(release=Release.objects.get(pk=release), seconds=AT_ONCE)["left"]
    if left:
        call_worker(SCAN, release)
    return left
