"""How long to wait before asking again."""

from datetime import UTC, datetime

import pytest

from llm import Backoff
from llm.retries import retry_after

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def highest(low: float, high: float) -> float:
    assert low == 0
    return high


def test_the_jitter_is_full_and_its_range_doubles_up_to_the_ceiling() -> None:
    backoff = Backoff(base=0.5, ceiling=3.0)
    waits = [backoff.wait(retry, asked=None, uniform=highest) for retry in range(1, 6)]
    assert waits == [0.5, 1.0, 2.0, 3.0, 3.0]
    assert backoff.wait(5, asked=None, uniform=lambda low, high: low) == 0.0


def test_what_the_server_asks_for_is_the_least_wait() -> None:
    assert Backoff(base=0.5).wait(1, asked=7.0, uniform=highest) == 7.0
    assert Backoff(base=0.5).wait(1, asked=0.1, uniform=highest) == 0.5


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1e9", None),
        ("²", None),
        ("9" * 400, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_or_nothing(header: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": header}, now=NOW) == seconds
