"""Builds: ten thousand questions under workers that are killed, and the same release again on both databases.

P2 asks about made-up papers on a PostgreSQL that syncs its writes; one worker process is killed and replaced. P3
follows all three recipes through the sample papers and two real ones, on PostgreSQL and on SQLite. The model is the
scripted one.
"""

import json
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.frame import Figure, Spread, demo
from construction.scripted import reply
from llm.scripted import serving
from tests.deployment import connect
from tools.servers import postgresql

PAPERS, LEMMAS = 10, 500
QUESTIONS = PAPERS * LEMMAS * 2  # what its objects are, and what it needs
IN_FLIGHT, SECONDS, KILLS = 100, 0.2, 5
SMALL = {
    "min_entries": 1, "min_statements": 1, "min_cited": 1, "min_cited_in_proofs": 1, "min_scout_score": 0, "quota": 1,
    "domains": ["analysis", "algebra", "combinatorics"],
}  # fmt: skip
RECIPES: dict[str, dict[str, Any]] = {"masked_steps": {}, "lemmas": {}, "re2math": SMALL}
_PREPARED = """
import hashlib
from pathlib import Path
from construction.builds.actions import Plan, begin
from construction.models import Source, SourceFile
def add(key, files, main, domain):
    digest = hashlib.sha256(repr((key, sorted(files.items()))).encode()).hexdigest()
    made = Source.objects.create(
        key=key, sha256=digest, name=key, form="tex", title=key, year=2026, domain=domain, state="readable", main=main
    )
    for path, text in files.items():
        digest = hashlib.sha256(text.encode()).hexdigest()
        SourceFile.objects.create(source=made, path=path, text=text, sha256=digest)
"""
_MADE_UP = r"""
for paper in range(PAPERS):
    lemmas = "".join(
        f"\n\nA \\emph{{thing{paper}x{n}}} is a set with {n} points.\n\n"
        f"\\begin{{lemma}} Every thing{paper}x{n} is finite. \\end{{lemma}}"
        for n in range(LEMMAS)
    )  # no two papers say the same, or replies would be used again
    head = "\\documentclass{article}\\newtheorem{lemma}{Lemma}\\begin{document}"
    add(f"made-up-{paper}", {"a.tex": head + lemmas + "\\end{document}"}, "a.tex", "combinatorics")
begin(actor=None, plan=Plan("many", "lemmas", "wide", "rules", {"context": "lexical"}), sources=Source.objects.all(),
      max_tokens=10**10)
"""
_REAL = """
from tests.latex import sources
for path in sorted(Path("sample/construction").glob("*.tex")):
    domain = {"moments": "analysis", "order-pq": "algebra"}.get(path.stem, "combinatorics")
    add(path.stem, {path.name: path.read_text("utf-8")}, path.name, domain)
for name in ("paper-benning-crit", "paper-roetz22"):
    add(name, sources.files_of(name), sources.SOURCES[name][1], "analysis")
for protocol, numbers in RECIPES.items():
    begin(actor=None, plan=Plan(protocol.replace("_", "-"), protocol, "wide", "rules", numbers),
          sources=Source.objects.all(), max_tokens=10**10)
"""
WORK = """
import django
django.setup()
from construction.builds.actions import reconcile_builds
from construction.models import Build
from work.worker import drain
import time
while Build.objects.filter(state="running").exists():
    drain(shift_seconds=600)
    reconcile_builds()
    time.sleep(0.2)
"""
_RELEASED = """
import json
from construction.builds.emission import construct_again, emit
from construction.builds.queries import funnel
from construction.models import Build
from latex import render_checked
def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)
found = {}
for build in Build.objects.order_by("name"):
    release = emit(actor=None, build=build, name=f"{build.name}-release")
    check = construct_again(build)
    texts = [text for one in release.instances.all() for text in strings(one.payload)]
    reports = [render_checked(text.replace("[MASK]", ""), "latex").report for text in texts]
    stages = funnel(build)
    adds_up = all(
        stage.reached == stage.kept + stage.waiting + sum(stage.dropped.values()) for stage in stages
    ) and all(one.kept == after.reached for one, after in zip(stages, stages[1:]))
    found[build.name] = {
        "sha256": release.sha256, "instances": release.instances.count(), "differing": len(check.differing),
        "papers": check.papers, "adds_up": adds_up, "formulas": sum(one.formulas for one in reports),
        "failing": sum(len(one.failures) for one in reports),
    }
print(json.dumps(found))
"""


def figures() -> Iterator[Figure]:
    """P2 to P4 of the specification of construction."""
    yield from _killed()
    yield from _again()


def _killed() -> Iterator[Figure]:
    with (
        serving(reply, seconds=SECONDS) as model,
        tempfile.TemporaryDirectory() as folder,
        _database() as url,
    ):
        site = _Site(Path(folder), url, model.base_url)
        site.python(f"{_PREPARED}\nPAPERS, LEMMAS = {PAPERS}, {LEMMAS}\n{_MADE_UP}")
        start, worker = time.perf_counter(), site.worker()
        for kill in range(1, KILLS + 1):
            while site.answered() < QUESTIONS * kill // (KILLS + 1):
                time.sleep(0.5)
            worker.send_signal(signal.SIGKILL)
            worker.wait()
            worker = site.worker()
        worker.wait()
        seconds = time.perf_counter() - start
        counts = json.loads(
            site.python(
                "import json; from construction.models import Candidate, Step, StepCall;"
                "done = Step.objects.filter(state='done').exclude(text='').count();"
                "made = Candidate.objects.filter(state='made').count();"
                "print(json.dumps([done, StepCall.objects.count(), made]))"
            )
        )
    ideal = QUESTIONS * SECONDS / IN_FLIGHT
    yield Figure(
        f"P2: {QUESTIONS:,} questions of {SECONDS:g} s, {IN_FLIGHT} in flight, {KILLS} kills; ideally {ideal:g} s",
        Spread.of([seconds]),
    )
    yield Figure("P2: questions without a stored reply", _count(QUESTIONS - counts[0]), target=0, unit="")
    yield Figure("P2: stored calls for each question", _count(counts[1] / QUESTIONS), target=1.05, unit="")
    yield Figure(
        "P2: lemmas that did not come to a line", _count(PAPERS * LEMMAS - counts[2]), target=0, unit=""
    )


def _again() -> Iterator[Figure]:
    made: list[Mapping[str, Any]] = []
    with serving(reply) as model:
        for database in ("PostgreSQL", "SQLite"):
            with tempfile.TemporaryDirectory() as folder, _database() as url:
                site = _Site(Path(folder), url if database == "PostgreSQL" else "", model.base_url)
                site.python(f"{_PREPARED}\nRECIPES = {RECIPES!r}\n{_REAL}")
                if site.worker().wait():
                    raise RuntimeError("the worker ended with an error")
                made.append(json.loads(site.python(_RELEASED)))
    first, second = made
    apart = sum(first[name]["sha256"] != second[name]["sha256"] for name in first)
    instances = sum(one["instances"] for one in first.values())
    yield Figure(
        f"P3: of {len(first)} releases with {instances} instances, another hash on SQLite",
        _count(apart),
        target=0,
        unit="",
    )
    papers = sum(one["papers"] for one in [*first.values(), *second.values()])
    differing = sum(one["differing"] for one in [*first.values(), *second.values()])
    yield Figure(f"P3: of {papers} papers read once more, otherwise", _count(differing), target=0, unit="")
    formulas, failing = (sum(one[name] for one in first.values()) for name in ("formulas", "failing"))
    yield Figure(
        f"R4: of {formulas} formulas of these releases, not set",
        _count(failing / formulas),
        target=0.005,
        unit="of 1",
    )
    wrong = sum(not one["adds_up"] for one in [*first.values(), *second.values()])
    yield Figure("P4: funnels that do not add up", _count(wrong), target=0, unit=f"of {2 * len(first)}")


class _Site:
    """A database, and commands that run against it with the scripted model as their only endpoint."""

    def __init__(self, folder: Path, database_url: str, model_url: str) -> None:
        wide = {"base_url": model_url, "private": True, "max_concurrency": IN_FLIGHT}
        self.environment = demo(
            folder,
            DATABASE_URL=database_url,
            TOUCHSTONE_JUDGE_LEASE_SECONDS="4",
            TOUCHSTONE_JUDGE_ENDPOINTS=json.dumps({"wide": wide}),
        )
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=self.environment, check=True)

    def python(self, program: str) -> str:
        program = f"import django\ndjango.setup()\n{program}"
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout

    def worker(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", WORK], env=self.environment)

    def answered(self) -> int:
        """How many replies are stored; asked without Django, whose start costs a second of the processor."""
        with closing(connect(self.environment["DATABASE_URL"])) as database, database.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM construction_stepcall")
            return int(cursor.fetchone()[0])


@contextmanager
def _database() -> Iterator[str]:
    packages = Path(sysconfig.get_path("purelib"))
    with tempfile.TemporaryDirectory() as cluster, postgresql(packages, Path(cluster), durable=True) as url:
        yield url


def _count(number: float) -> Spread:
    return Spread.of([number])
