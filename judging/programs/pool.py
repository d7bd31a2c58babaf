"""Child processes that run the programs of protocols, each question under a time limit from outside."""

import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from work.process import CORES

ROOT = Path(__file__).resolve().parents[2]
CHILD = "judging.programs.child"
START_SECONDS = 60.0  # for a child to start and import its protocol; not counted against the limit
_LINE_BYTES = 4 * 1024 * 1024
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ")  # no database address, no key
_ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}  # threads reserve memory, and there is a child for each core


class NoReply(Exception):
    """A child that gave no reply; the message says why. `seconds` is how long the question took."""

    def __init__(self, reason: str, seconds: float) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds


class NoChild(Exception):
    """A child could not be started or did not get ready; nothing is known about the question."""


@dataclass
class ProgramPool:
    """At most `slots` children, started when needed and kept for the next question; an async context."""

    slots: int = CORES
    _idle: list[Process] = field(default_factory=list)

    async def __aenter__(self) -> Self:
        self._free = asyncio.Semaphore(self.slots)
        return self

    async def __aexit__(self, *exception: object) -> None:
        while self._idle:
            await _end(self._idle.pop())

    async def reply(self, question: Mapping[str, object], *, seconds: float) -> tuple[dict[str, Any], float]:
        """The reply document and the seconds it took.

        Raises NoReply when the child is killed after `seconds` or ends by itself, NoChild when there is none.
        Whatever happens, a child that did not finish its question is never used again.
        """
        async with self._free:
            child = self._idle.pop() if self._idle else await _start()
            finished = False
            try:
                answered = await _exchange(child, question, seconds)
                finished = True
            finally:
                if finished:
                    self._idle.append(child)
                else:
                    await _end(child)
            return answered


async def _start() -> Process:
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            CHILD,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=ROOT,
            env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | _ONE_THREAD,
            limit=_LINE_BYTES,
        )
    except OSError as error:
        raise NoChild(f"no process for the program could be started: {error.strerror}") from error


async def _end(child: Process) -> None:
    if child.returncode is None:
        child.kill()
    await child.wait()


async def _exchange(
    child: Process, question: Mapping[str, object], seconds: float
) -> tuple[dict[str, Any], float]:
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        child.stdin.write(json.dumps(question).encode() + b"\n")
        async with asyncio.timeout(START_SECONDS):
            await child.stdin.drain()
            started = await child.stdout.readline()
    except (TimeoutError, OSError) as error:
        raise NoChild("the process for the program did not become ready") from error
    if not started:
        raise NoChild("the process for the program ended before it was ready")
    since = time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            line = await child.stdout.readline()
    except TimeoutError:
        raise NoReply(f"stopped after {seconds:g} seconds", time.monotonic() - since) from None
    took = time.monotonic() - since
    if not line.endswith(b"\n"):
        raise NoReply(f"the program's process ended ({await child.wait()})", took)
    return json.loads(line), took
