"""The circuit breaker of each endpoint, shared by all workers through one row.

Closed: calls go. After `THRESHOLD` failures in a row it opens: nothing is asked, so no task uses up its tries
on a server that is down. When the pause is over one call goes as a probe; its success closes the breaker, its
failure opens it for twice as long, up to `LONGEST_SECONDS`.
"""

import datetime as dt
from collections.abc import Iterable
from enum import StrEnum

from django.db import transaction
from django.db.models import Q

from work.clock import shared_now
from work.models import EndpointState

THRESHOLD = 5
FIRST_SECONDS = 15.0
LONGEST_SECONDS = 600.0
_LONGEST = dt.timedelta(seconds=LONGEST_SECONDS)
PROBE_SECONDS = 120.0  # how long others wait for the result of a probe


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


def breaker_state(state: EndpointState | None, now: dt.datetime) -> BreakerState:
    """Closed for an endpoint never seen; half-open when the pause is over and a probe may go.

    A pause that ends later than any was begun before the clock was set back: it is over.
    """
    if state is None or state.open_until is None:
        return BreakerState.CLOSED
    return BreakerState.OPEN if now < state.open_until <= now + _LONGEST else BreakerState.HALF_OPEN


def allowed(*, endpoint: str, wanted: int) -> int:
    """How many of the wanted calls may be prepared now: all, none, or one as the probe.

    Of several workers at a half-open breaker exactly one gets the probe.
    """
    now = shared_now()
    state = EndpointState.objects.filter(name=endpoint).first()
    match breaker_state(state, now):
        case BreakerState.CLOSED:
            return wanted
        case BreakerState.OPEN:
            return 0
        case BreakerState.HALF_OPEN:
            due = EndpointState.objects.filter(
                Q(open_until__lte=now) | Q(open_until__gt=now + _LONGEST), name=endpoint
            )
            return due.update(open_until=now + dt.timedelta(seconds=PROBE_SECONDS), probing=True)


@transaction.atomic
def note_results(*, endpoint: str, errors: Iterable[str | None]) -> None:
    """Take in how calls ended, in order of arrival: None for one that was answered, else its error."""
    ended = list(errors)
    last_success = max((place for place, error in enumerate(ended) if error is None), default=-1)
    failed = [error for error in ended[last_success + 1 :] if error is not None]
    known = EndpointState.objects.filter(name=endpoint)
    if last_success >= 0:
        known.exclude(failures=0, open_until=None).update(
            failures=0, times_opened=0, open_until=None, probing=False, last_error=""
        )
    if failed:
        EndpointState.objects.get_or_create(name=endpoint)
        state = EndpointState.objects.select_for_update().get(name=endpoint)
        now = shared_now()
        state.failures += len(failed)
        state.last_error = failed[-1][:2000]
        already_open = breaker_state(state, now) == BreakerState.OPEN and not state.probing
        if state.failures >= THRESHOLD and not already_open:  # late failures do not lengthen the pause
            pause = min(LONGEST_SECONDS, FIRST_SECONDS * 2.0**state.times_opened)
            state.open_until = now + dt.timedelta(seconds=pause)
            state.times_opened += 1
            state.probing = False
        state.save()
