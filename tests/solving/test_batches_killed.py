"""`settle_batch` is killed (SIGKILL) at one statement after another: nothing is half done, and it is run again."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solvers.keys import idempotency_key
from tests.deployment import ROOT, Deployment, deployed
from tests.llm.moods import chat_reply
from tests.solving.begin import BEGIN
from tests.solving.site import SEED, WORLD
from tests.solving.world import Shape, answer, key_of, reference

pytestmark = pytest.mark.no_database  # the deployment has its own
# More questions than are settled in one go, so that a death comes between two.
ATTEMPTS, SHAPE = 520, Shape(rounds=1, verifiers=1)
FEWEST_KILLS = 3
TABLES = (
    "solving_step", "solving_solvecall", "solving_attempt", "solving_memoryentry", "solving_solverun",
    "accounts_auditevent",
)  # fmt: skip
PAUSE = """
from solving.models import SolveRun
from solving.runs.actions import steer
steer(actor=None, run=SolveRun.objects.get(), to="paused")
"""


@pytest.fixture
def deployment(tmp_path: Path) -> Any:
    endpoints = {"local": {"base_url": "http://127.0.0.1:9/v1", "private": True}}
    with deployed(tmp_path, TOUCHSTONE_JUDGE_ENDPOINTS=json.dumps(endpoints)) as made:
        yield made


def stored(deployment: Deployment) -> list[Any]:
    return [deployment.query(f"SELECT * FROM {table} ORDER BY id") for table in TABLES]


def answered(deployment: Deployment, run: str, name: str) -> Path:
    """The results of a batch: what a provider whose model is the scripted world says to each of its lines."""
    questions = deployment.folder / f"{name}-questions.jsonl"
    deployment.manage("export_batch", run, "--out", str(questions))
    rows = deployment.query(
        "SELECT step.id, step.key, attempt.number, solver.sha256 FROM solving_step AS step"
        " JOIN solving_attempt AS attempt ON step.attempt_id = attempt.id"
        " JOIN solving_solverun AS run ON attempt.run_id = run.id"
        " JOIN solving_solver AS solver ON run.solver_id = solver.id"
    )
    known = {step: idempotency_key(sha256, SEED, "p1", number, key) for step, key, number, sha256 in rows}
    path = deployment.folder / f"{name}-results.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for line in map(json.loads, questions.read_text("utf-8").splitlines()):
            said = answer(WORLD, SEED, line["body"], known[int(line["custom_id"].split("-")[1])])
            response = {"status_code": 200, "request_id": "r", "body": chat_reply(line["body"], said)}
            found = {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}
            file.write(json.dumps(found) + "\n")
    return path


def dies_at(deployment: Deployment, statement: int, *command: str) -> bool:
    """Whether the command was killed at its statement of this number; otherwise it ended well."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos.dies_while_writing", str(statement), *command],
        cwd=ROOT,
        env={**deployment.environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr[-3_000:]
    return done.returncode != 0


def settled(deployment: Deployment, *command: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(deployment.manage(*command, "--json"))
    return told


def test_a_settlement_that_is_killed_leaves_nothing_and_the_next_one_completes(
    deployment: Deployment,
) -> None:
    deployment.manage("shell", "-c", BEGIN.format(shape=SHAPE, attempts=ATTEMPTS, seed=SEED) + PAUSE)
    ((run,),) = deployment.query("SELECT id FROM solving_solverun")
    for name in ("drafts", "reviews"):
        path = answered(deployment, str(run), name)
        before, statement, kills = stored(deployment), 1, 0
        command = ("settle_batch", str(run), str(path))
        # at the 1st, 2nd, 4th, 8th, ... statement that writes, until it has no more
        while dies_at(deployment, statement, *command):
            assert stored(deployment) == before, f"killed at statement {statement}"
            statement, kills = statement * 2, kills + 1
        assert kills >= FEWEST_KILLS, "killed too seldom to prove anything"
        calls = deployment.query("SELECT count(*), count(DISTINCT token) FROM solving_solvecall")
        assert calls == [(ATTEMPTS * (1 + (name == "reviews")),) * 2]
        after = stored(deployment)
        told = settled(deployment, *command)
        assert (told["settled"], told["failed"], told["known"], told["out"]) == (0, 0, ATTEMPTS, 0)
        assert stored(deployment) == after
    assert told["state"] == "done"
    ((solver,),) = deployment.query("SELECT sha256 FROM solving_solver")
    rows = deployment.query("SELECT number, result FROM solving_attempt WHERE outcome = 'answered'")
    assert len(rows) == ATTEMPTS
    for number, result in rows:
        document = json.loads(result) if isinstance(result, str) else result
        token, _, _ = reference(WORLD, SHAPE, SEED, key_of(solver, SEED, "p1", number))
        assert token in document["proof_latex"]
    deployment.manage("check_invariants")
