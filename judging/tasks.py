"""The Celery task that judges."""

from celery import shared_task

from judging.queue.process import outliving_sigterm
from judging.queue.worker import drain


@shared_task(name="judging.work")
def work() -> int:
    """Judge until the queue of record has nothing claimable; returns the number of verdicts stored."""
    with outliving_sigterm():
        return drain()
