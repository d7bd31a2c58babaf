"""Child processes of the demo: started with a log each, restarted when they fall, stopped together."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tools.console import Refused, say

STEADY_SECONDS = 10.0
LONGEST_PAUSE = 60.0
PR_SET_PDEATHSIG = 1


@dataclass
class Child:
    """One program that must keep running: its name, command line, log, and the process while there is one."""

    name: str
    command: list[str]
    log: Path
    process: "subprocess.Popen[bytes] | None" = None
    started: float = 0.0
    was_steady: bool = False  # it has run for a while since the demo was started
    falls: int = 0  # in a row, without having been steady between

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None


@dataclass
class Family:
    """The children of one demo; they share its process group, folder and environment."""

    folder: Path
    environment: dict[str, str]
    children: list[Child] = field(default_factory=list)

    def start(self, name: str, command: list[str], log: Path) -> None:
        """Starts a program that must keep running."""
        child = Child(name, command, log)
        self.children.append(child)
        self._launch(child)

    def revive(self) -> None:
        """Starts again what has ended by itself, after a pause that doubles up to a minute.

        Raises Refused for a program that ends at once when the demo is started: then its surroundings are wrong.
        """
        for child in self.children:
            age = time.monotonic() - child.started
            if child.is_running:
                if age >= STEADY_SECONDS:
                    child.was_steady, child.falls = True, 0
                continue
            if not child.was_steady and age < STEADY_SECONDS:
                raise Refused(f"The {child.name} does not stay up; the reason is at the end of {child.log}")
            if age < min(LONGEST_PAUSE, 2.0**child.falls):
                continue
            say(f"The {child.name} ended by itself and is started again; its log is {child.log}")
            child.falls += 1
            self._launch(child)

    def stop(self, patience: float = 4.0) -> None:
        """Asks all to end, waits `patience` seconds, then ends them. Returns when none is left."""
        for send in (signal.SIGTERM, signal.SIGKILL):
            for child in self.children:
                if child.is_running and child.process:
                    child.process.send_signal(send)
            deadline = time.monotonic() + patience
            while time.monotonic() < deadline and any(child.is_running for child in self.children):
                time.sleep(0.05)

    def _launch(self, child: Child) -> None:
        with child.log.open("ab") as output:
            child.process = subprocess.Popen(  # nosec B603 # our own command line
                child.command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=_end_with_parent(),  # safe: this process has one thread
            )
        child.started = time.monotonic()


def _end_with_parent() -> Callable[[], None] | None:
    """On Linux, a hook that has the child terminated when we are killed outright; elsewhere None."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM))


class Parent:
    """The process that started us, most often `make`."""

    def __init__(self) -> None:
        self.pid = os.getppid()
        self._caught_interrupts = self._catches_interrupts()

    def has_given_up(self) -> bool:
        """True when the parent is gone, or is a `make` that was interrupted and now only waits for us.

        An interrupt sent to `make` alone never reaches its recipe; but `make` then no longer catches it.
        """
        if os.getppid() != self.pid:
            return True
        return self._caught_interrupts and not self._catches_interrupts()

    def _catches_interrupts(self) -> bool:
        try:
            status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            return False
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        if fields.get("Name", "").strip() not in {"make", "gmake"}:
            return False
        return bool(int(fields["SigCgt"], 16) >> (signal.SIGINT - 1) & 1)
