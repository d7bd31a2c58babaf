"""The time of a label: read, or refused with a reason. Pure but for the clock."""

import datetime as dt

EARLIEST = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
LEEWAY = dt.timedelta(days=1)  # clocks of two sites differ


def moment_of(cell: str) -> dt.datetime | None:
    """The time in a cell, in UTC: PostgreSQL takes no zone of 16 hours or more. None if it is empty or has no zone."""
    try:
        moment = dt.datetime.fromisoformat(cell)
    except ValueError:
        return None
    try:
        return moment.astimezone(dt.UTC) if moment.tzinfo else None
    except OverflowError:  # at the ends of the calendar, where no label was given
        return moment


def objection_to_moment(cell: str) -> str:
    """Why no label was given at the time in a cell that says something, "" if one could be."""
    moment = moment_of(cell)
    if moment is None:
        return f"{cell[:40]!r} is not an ISO 8601 time with its zone"
    if moment < EARLIEST:
        return f"{cell!r} is before 1970; leave the cell empty where the time is not known"
    if moment > dt.datetime.now(dt.UTC) + LEEWAY:
        return f"{cell!r} is in the future"
    return ""
