"""Faults in order of the work's progress, and what a part of `make chaos` comes to."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from subprocess import CalledProcessError

from tests.deployment import Deployment

_CHECK = """
from django.core.management import call_command
call_command("check_invariants")
call_command("verify_history", seal=True)
"""


@dataclass(frozen=True)
class Deed:
    """A fault of some `kind`, done as soon as this share (0 to 1) of the work is done."""

    share: float
    kind: str
    do: Callable[[], None]


@dataclass
class Findings:
    """What happened in one part, and everything that was wrong: nothing if all promises held."""

    part: str
    faults: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0  # grades, verdicts or imported rows that somebody was told are there
    lost: int = 0
    doubled: int = 0
    wrong: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        return self.acknowledged > 0 and not (self.lost or self.doubled or self.wrong)


def carry_out(
    deeds: Sequence[Deed],
    share: Callable[[], float],
    tend: Callable[[], None],
    patience: float,
) -> Counter[str]:
    """Do each deed when its share of the work is done; how many of each kind, once all work is.

    share: how much is done, 0 to 1; may raise while the database is away. tend: called ten times a second, for
    what a supervisor does. Raises TimeoutError after `patience` seconds, and RuntimeError for a fault that came
    when all work was done already and so proved nothing.
    """
    waiting = sorted(deeds, key=lambda deed: deed.share)
    begun, done, faults = time.monotonic(), 0.0, Counter[str]()
    while done < 1:
        if time.monotonic() - begun > patience:
            raise TimeoutError(f"{done:.1%} of the work after {patience:g} s")
        tend()
        with suppress(Exception):  # the database may be coming back
            done = share()
        while waiting and done < 1 and done >= waiting[0].share:
            deed = waiting.pop(0)
            print(f"  {time.monotonic() - begun:6.1f} s  {done:6.1%} done  {deed.kind}", flush=True)
            faults[deed.kind] += 1
            deed.do()
        time.sleep(0.1)
    if waiting:
        raise RuntimeError(f"all work was done before: {', '.join(deed.kind for deed in waiting)}")
    return faults


def check_rules(findings: Findings, deployment: Deployment) -> None:
    """check_invariants, and the chain of history after everything was sealed in it."""
    try:
        deployment.manage("shell", "--verbosity", "0", "--command", _CHECK)
    except CalledProcessError as error:
        findings.wrong.append(f"the site's own rules: {error.stderr[-2000:].strip()}")
