"""`make test`: the whole suite on SQLite with the file-system broker, then again on PostgreSQL with Redis.

`--fast` runs once, on SQLite, without the browser. Nothing is left out without a line that says so.
DATABASE_URL and CELERY_BROKER_URL, when both are set, name the servers of the second run; else it starts its own.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.console import ROOT, Refused, run_main, say
from tools.debian import ensure_chromium, ensure_pango, ensure_pdftotext
from tools.environment import PYTHON, ensure_environment
from tools.servers import postgresql, redis

REAL_DATA = ROOT.parent / "shared" / "data"
SERVER_VARIABLES = ("DATABASE_URL", "CELERY_BROKER_URL")
SUMMARY = re.compile(r"\b(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b")
RAN_BEFORE = {
    "no_database": "tests of stats, latex, llm, algebra and the sample files: they know no database and ran above"
}
# Where Python is told to keep no compiled modules, each of the many processes that tests start compiles them anew.
UNWANTED = {*SERVER_VARIABLES, "PYTHONDONTWRITEBYTECODE"}
MUST_BE_ZERO = ("failed", "error", "errors", "skipped", "xfailed", "xpassed")


@dataclass(frozen=True)
class Outcome:
    """What one run of pytest came to: its exit code and the counts of its last line."""

    name: str
    code: int
    counts: dict[str, int]

    @property
    def is_good(self) -> bool:
        """All passed, at least one did, none was skipped."""
        bad = sum(self.counts.get(word, 0) for word in MUST_BE_ZERO)
        return self.code == 0 and bad == 0 and self.counts.get("passed", 0) > 0


def read_counts(output: str) -> dict[str, int]:
    """The counts in pytest's summary, which is the last line that has any; empty when there is none."""
    for line in reversed(output.splitlines()):
        found = SUMMARY.findall(line)
        if found:
            return {word: int(number) for number, word in found}
    return {}


def main() -> int:
    """0 when every test passed on both ways to run; 1 otherwise."""
    fast = sys.argv[1:] == ["--fast"]
    if sys.argv[1:] and not fast:
        raise Refused("usage: python3 -m tools.suite [--fast]")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ensure_environment("dev")
    ensure_pango()
    ensure_pdftotext()
    if not fast:
        ensure_chromium()
    left_out = _what_is_left_out(fast)
    outcomes = [_run("SQLite, file-system broker", {}, left_out)]
    if not fast:
        with _second_servers() as variables:
            outcomes.append(_run("PostgreSQL, Redis", variables, left_out | RAN_BEFORE))
    return _summarise(outcomes, left_out)


def _what_is_left_out(fast: bool) -> dict[str, str]:
    """Marker -> the reason why its tests do not run."""
    left_out = {}
    if fast:
        left_out["browser"] = "browser tests (--fast); the second run on PostgreSQL and Redis as well"
    if not REAL_DATA.is_dir():
        left_out["real_data"] = f"tests on real data, which is not here: {REAL_DATA}"
    return left_out


def _run(name: str, variables: dict[str, str], left_out: dict[str, str]) -> Outcome:
    say(f"== {name}")
    for reason in left_out.values():
        say(f"   left out: {reason}")
    environment = {key: value for key, value in os.environ.items() if key not in UNWANTED}
    environment |= variables
    command = [str(PYTHON), "-m", "pytest", "-n", str(_workers()), "--dist", "loadfile"]
    command += [
        "--no-loadscope-reorder",
        "-rs",
    ]  # the order of tests/conftest.py: xdist's own puts long files last
    if left_out:
        command += ["-m", " and ".join(f"not {marker}" for marker in left_out)]
    child = subprocess.Popen(  # nosec B603 # pytest
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    lines = []
    try:
        for raw in child.stdout or ():
            line = raw.decode("utf-8", errors="replace")
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line)
    except KeyboardInterrupt:
        child.send_signal(signal.SIGINT)
        child.wait(timeout=30)
        raise
    return Outcome(name, child.wait(), read_counts("".join(lines)))


def _workers() -> int:
    return min(4, len(os.sched_getaffinity(0)))


@contextmanager
def _second_servers() -> Iterator[dict[str, str]]:
    given = {name: os.environ[name] for name in SERVER_VARIABLES if os.environ.get(name)}
    if len(given) == 1:
        raise Refused(f"Set both {' and '.join(SERVER_VARIABLES)}, or neither.")
    if given:
        yield given
        return
    packages = next((ROOT / ".venv" / "lib").glob("python3*/site-packages"))
    folder = Path(tempfile.mkdtemp(prefix="touchstone-"))
    try:
        with ExitStack() as stack:
            database_url = stack.enter_context(postgresql(packages, _new(folder, "pg")))
            broker_url = stack.enter_context(redis(packages, _new(folder, "redis")))
            folder.chmod(0o755)
            yield {"DATABASE_URL": database_url, "CELERY_BROKER_URL": broker_url}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _new(folder: Path, name: str) -> Path:
    folder.chmod(0o755)
    (folder / name).mkdir(mode=0o755)
    return folder / name


def _summarise(outcomes: list[Outcome], left_out: dict[str, str]) -> int:
    good = all(outcome.is_good for outcome in outcomes)
    say("")
    for reason in left_out.values():
        say(f"left out: {reason}")
    for outcome in outcomes:
        counts = ", ".join(f"{number} {word}" for word, number in outcome.counts.items()) or "no result"
        say(f"{outcome.name}: {counts}{'' if outcome.is_good else f' (exit {outcome.code})'}")
    return 0 if good else 1


if __name__ == "__main__":
    run_main(main)
