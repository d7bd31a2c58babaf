"""`python -m tests.chaos.other_clock FILE MODULE ...`: a module whose clock is off by the seconds that FILE holds.

The file is read each time that the clock is, also in processes that were forked: a change is a jump of the clock of
a running worker. What is moved is `time.time` and Django's `timezone.now`, by which all our code reads the
clock. The machine's own clock stays, and so does the database server's.
"""

import datetime as dt
import runpy
import sys
import time
from pathlib import Path

from django.utils import timezone


def main(file: Path, module: str, *arguments: str) -> None:
    seconds, now = time.time, timezone.now

    def off() -> float:
        return float(file.read_text())

    time.time = lambda: seconds() + off()
    timezone.now = lambda: now() + dt.timedelta(seconds=off())
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
