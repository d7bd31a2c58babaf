"""The Celery task that works on the queue of record."""

from celery import shared_task

from work.process import outliving_sigterm
from work.worker import drain


@shared_task(
    name="judging.work"
)  # the name of the first kind of work; messages of running deployments carry it
def work() -> int:
    """Work until the queue of record has nothing claimable; returns how many results are new."""
    with outliving_sigterm():
        return drain()
