"""What a worker asks of the process in which it works, for as long as it works."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SWITCH_SECONDS = 0.0005
CORES = len(os.sched_getaffinity(0))  # how many tasks that compute may run here at once


@contextmanager
def switching_often() -> Iterator[None]:
    """The database thread keeps a reply waiting for at most half a millisecond, not for the usual 5."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


@contextmanager
def ended_by_sigterm(end: Callable[[], None]) -> Iterator[None]:
    """SIGTERM calls `end`, and is raised again once the work has ended, so that it does what it did before."""
    told: list[int] = []

    def note(number: int, _: object) -> None:
        told.append(number)
        end()

    with _sigterm_means(note):
        yield
    if told:
        signal.raise_signal(signal.SIGTERM)


@contextmanager
def outliving_sigterm() -> Iterator[None]:
    """For a child of Celery's pool: its parent, told too, waits for a child that works and then ends it, but
    waits for ever for one that has ended itself."""
    with _sigterm_means(signal.SIG_IGN):
        yield


@contextmanager
def _sigterm_means(what: Callable[[int, FrameType | None], Any] | signal.Handlers) -> Iterator[None]:
    """Signals reach the main thread only; in another one this does nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, what)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
