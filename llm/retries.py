"""When to ask again and how long to wait first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TRANSIENT = frozenset({408, 409, 425, 429})


@dataclass(frozen=True)
class Backoff:
    """Exponential back-off with full jitter: before retry k (from 1) a wait drawn uniformly from
    [0, min(ceiling, base * 2**(k-1))] seconds, but never less than the endpoint asked for.

    Full jitter spreads the callers of an overloaded server best (Brooker, "Exponential backoff and jitter").
    `patience` is the longest wait that is accepted on request; a longer one ends the call.
    """

    base: float = 0.5
    ceiling: float = 20.0
    patience: float = 60.0

    def wait(self, retry: int, *, asked: float | None, uniform: Callable[[float, float], float]) -> float:
        """Seconds to wait before retry number `retry`, given what Retry-After asked for."""
        drawn = uniform(0.0, min(self.ceiling, self.base * 2 ** (retry - 1)))
        return max(drawn, asked or 0.0)

    def accepts(self, asked: float | None) -> bool:
        return asked is None or asked <= self.patience


def is_transient(status: int) -> bool:
    """True when the same request may succeed later."""
    return status in TRANSIENT or status >= 500


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds of a Retry-After header (a number or an HTTP date), or None when absent or unreadable."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.replace(".", "", 1).isdigit() and len(value) < 20:
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - (now or datetime.now(UTC))).total_seconds())
