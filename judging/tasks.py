"""Celery tasks: the bell's answer, and the reconciler that beat calls."""

from celery import shared_task

from judging.actions import reconcile
from judging.process import outliving_sigterm
from judging.worker import drain


@shared_task(name="judging.work")
def work() -> int:
    """Judge until the queue of record has nothing claimable; returns the number of verdicts stored."""
    with outliving_sigterm():
        return drain()


@shared_task(name="judging.reconcile")
def reconcile_queue() -> dict[str, int]:
    """See judging.actions.reconcile."""
    return reconcile()
