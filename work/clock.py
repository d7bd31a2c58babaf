"""The one clock by which all workers measure leases and pauses."""

import datetime as dt

from django.db import connection
from django.utils import timezone


def shared_now() -> dt.datetime:
    """Now, by the clock of the database server, whatever the clock of this worker's host says.

    Otherwise a host whose clock is hours off would see its colleagues' leases as expired, or take leases that last for
    hours after its death. SQLite has no server: there all processes share one machine and its clock.
    """
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: dt.datetime = cursor.fetchone()[0]
    return now
