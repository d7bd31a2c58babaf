"""The signal that tells workers that the queue of record has something for them.

A broker outage only delays work until the next reconciliation; asking a judge never fails because of it.
"""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def ring(task: str = "judging.work") -> None:
    """Send the signal to look; never raises for a broker that is away."""
    try:
        current_app.send_task(task, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("the broker is away, reconciliation will ring again: %s", error)
