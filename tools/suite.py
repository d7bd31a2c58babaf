"""`make test`: the suite on SQLite with the file-system broker and, at the same time, on PostgreSQL with Redis.

Each test runs on the database that it is about, or on both (tests/databases.py). Of all tests one in fifteen is marked
`slow` and takes two thirds of the time; `--slow` runs these. `--all` runs everything on both databases, one after the
other, for a night. `--fast` runs on SQLite alone, without the browser. Nothing is left out without a line that says so.
DATABASE_URL and CELERY_BROKER_URL, when both are set, name the servers of the PostgreSQL run; otherwise it starts its
own.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools.console import ROOT, Refused, run_main, say
from tools.debian import ensure_chromium, ensure_pango, ensure_pdftotext
from tools.environment import PYTHON, ensure_environment
from tools.migrated import migrated_cluster
from tools.servers import postgresql, redis

REAL_DATA = ROOT.parent / "shared" / "data"
SERVER_VARIABLES = ("DATABASE_URL", "CELERY_BROKER_URL")
SUMMARY = re.compile(r"\b(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b")
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
# Name, servers, expressions of markers that all must hold, and options of pytest.
Run = tuple[str, dict[str, str], list[str], list[str]]
# Where Python is told to keep no compiled modules, each of the many processes that tests start compiles them anew.
UNWANTED = {*SERVER_VARIABLES, "PYTHONDONTWRITEBYTECODE"}
MUST_BE_ZERO = ("failed", "error", "errors", "skipped", "xfailed", "xpassed")


@dataclass(frozen=True)
class Outcome:
    """What one run of pytest came to: its exit code, the counts of its last line, and the tests that failed."""

    name: str
    code: int
    counts: dict[str, int]
    failures: list[str] = field(default_factory=list)

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
    """0 when every test passed; 1 otherwise."""
    mode = "".join(sys.argv[1:])
    if mode not in ("", "--slow", "--fast", "--all"):
        raise Refused("usage: python3 -m tools.suite [--slow | --fast | --all]")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ensure_environment("dev")
    ensure_pango()
    ensure_pdftotext()
    if mode != "--fast":
        ensure_chromium()
    left_out = {}  # marker -> the reason why its tests do not run
    if mode != "--all":
        left_out["night"] = "more seeds of tests that run here with fewer (make test-all)"
    if mode in ("", "--fast"):
        left_out["slow"] = "tests that take more than about half a second of processor time (make test-slow)"
    if mode == "--fast":
        left_out["browser"] = "browser tests, and what runs on PostgreSQL with Redis (--fast)"
        left_out["postgresql"] = "tests that are about a deployment with PostgreSQL (--fast)"
    if not REAL_DATA.is_dir():
        left_out["real_data"] = f"tests on real data, which is not here: {REAL_DATA}"
    for reason in left_out.values():
        say(f"left out: {reason}")
    wanted = [f"not {marker}" for marker in left_out] + ["slow"] * (mode == "--slow")
    with ExitStack() as stack:
        if mode == "--fast":
            outcomes = _run((SQLITE, {}, wanted, []))
        else:
            servers = stack.enter_context(_servers())
            if mode == "--all":
                outcomes = _run((SQLITE, {}, wanted, []))
                outcomes += _run((POSTGRESQL, servers, [*wanted, "not no_database"], []))
            else:
                on_sqlite: Run = (SQLITE, {}, [*wanted, "not postgresql"], [])
                on_postgresql = [*wanted, "(both or postgresql)"]
                outcomes = _run(on_sqlite, (POSTGRESQL, servers, on_postgresql, ["--of-postgresql"]))
    return _summarise(outcomes, left_out)


def _run(*runs: Run) -> list[Outcome]:
    """Run pytest once for each, all at once; each line is printed with the name of its run before it."""
    processors = min(4, len(os.sched_getaffinity(0)))
    children = {}
    for name, servers, markers, options in runs:
        # More than processors: workers often wait for servers, other processes and browsers; these are on SQLite.
        workers = str(processors + 1 + (name == SQLITE))
        command = [str(PYTHON), "-m", "pytest", "-n", workers, "--dist", "loadfile"]
        # The order is that of tests/conftest.py: xdist's own puts long files last.
        command += ["--no-loadscope-reorder", "-rfEs", "--durations", "25"]
        command += ["-m", " and ".join(markers)] if markers else []
        children[name] = subprocess.Popen(  # nosec B603 # pytest
            command + options,
            cwd=ROOT,
            env={key: value for key, value in os.environ.items() if key not in UNWANTED} | servers,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    with ThreadPoolExecutor() as readers:
        try:
            return list(readers.map(_follow, children, children.values()))
        except BaseException:
            for child in children.values():
                child.send_signal(signal.SIGINT)
            raise


def _follow(name: str, child: subprocess.Popen[bytes]) -> Outcome:
    lines = []
    for raw in child.stdout or ():
        line = raw.decode("utf-8", errors="replace")
        sys.stdout.write(f"{name:10} | {line}")
        sys.stdout.flush()
        lines.append(line)
    failures = [line.rstrip() for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return Outcome(name, child.wait(), read_counts("".join(lines)), failures)


@contextmanager
def _servers() -> Iterator[dict[str, str]]:
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
            database_url = stack.enter_context(
                postgresql(packages, _new(folder, "pg"), like=migrated_cluster(packages))
            )
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
        for failure in outcome.failures:
            say(f"{outcome.name}: {failure}")
        counts = ", ".join(f"{number} {word}" for word, number in outcome.counts.items()) or "no result"
        say(f"{outcome.name}: {counts}{'' if outcome.is_good else f' (exit {outcome.code})'}")
    return 0 if good else 1


if __name__ == "__main__":
    run_main(main)
