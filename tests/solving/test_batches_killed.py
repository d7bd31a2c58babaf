"""A settlement is killed (SIGKILL) at one statement after another: nothing is half done, and it is run again."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
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
IN_ONE_GO, ATTEMPTS, SHAPE = 20, 50, Shape(rounds=1, verifiers=1)
DYING = f"""
import django
django.setup()
from solving.batches import actions
from tests.chaos.dies_while_writing import main
actions.IN_ONE_GO = {IN_ONE_GO}
main()
"""
TABLES = (
    "solving_step", "solving_solvecall", "solving_attempt", "solving_memoryentry", "solving_solverun",
    "accounts_auditevent",
)  # fmt: skip
NEVER = 1_000_000
AGAIN = """
from accounts.models import Role, User
Role.objects.create(user=User.objects.create_user("olga@study.test", "seven quiet lemmas asleep"), name="owner")
from solving.models import SolveRun
from solving.runs.actions import steer
begin(actor=None, solver=solver, order=order)
for run in SolveRun.objects.all():
    steer(actor=None, run=run, to="paused")
"""


@pytest.fixture
def deployment(tmp_path: Path) -> Any:
    endpoints = {"local": {"base_url": "http://127.0.0.1:9/v1", "private": True}}
    with deployed(tmp_path, TOUCHSTONE_JUDGE_ENDPOINTS=json.dumps(endpoints)) as made:
        yield made


def stored(deployment: Deployment) -> list[Any]:
    return [deployment.query(f"SELECT * FROM {table} ORDER BY id") for table in TABLES]


def answered(deployment: Deployment, run: int, name: str) -> Path:
    """The results of a batch: what a provider whose model is the scripted world says to each of its lines."""
    questions = deployment.folder / f"{name}-{run}-questions.jsonl"
    address = f"solving/runs/{run}/batch/"
    deployment.manage("api", "POST", f"{address}steer/", "--data", '{"step": "export"}')
    questions.write_text(deployment.manage("api", "GET", address), "utf-8")
    rows = deployment.query(
        "SELECT step.id, step.key, attempt.number, solver.sha256 FROM solving_step AS step"
        " JOIN solving_attempt AS attempt ON step.attempt_id = attempt.id"
        " JOIN solving_solverun AS run ON attempt.run_id = run.id"
        " JOIN solving_solver AS solver ON run.solver_id = solver.id"
    )
    known = {step: idempotency_key(sha256, SEED, "p1", number, key) for step, key, number, sha256 in rows}
    path = deployment.folder / f"{name}-{run}-results.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for line in map(json.loads, questions.read_text("utf-8").splitlines()):
            said = answer(WORLD, SEED, line["body"], known[int(line["custom_id"].split("-")[1])])
            response = {"status_code": 200, "request_id": "r", "body": chat_reply(line["body"], said)}
            found = {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}
            file.write(json.dumps(found) + "\n")
    return path


def settlement(run: int, path: Path) -> tuple[str, ...]:
    return "api", "POST", f"solving/runs/{run}/batch/", "--file", f"file={path}"


@pytest.fixture
def settle(deployment: Deployment) -> Iterator[Callable[[int, Path, int], int]]:
    """Settles a batch in a process that dies at its statement of this number that writes; returns how many it had, or
    0 if it died."""
    process = subprocess.Popen(
        [sys.executable, "-c", DYING],
        cwd=ROOT,
        env={**deployment.environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def settled(run: int, path: Path, dies_at: int) -> int:
        print(json.dumps([dies_at, settlement(run, path)]), file=process.stdin, flush=True)
        status, written = json.loads(process.stdout.readline())
        assert status in (0, -signal.SIGKILL)
        return int(written)

    with process:
        yield settled
        process.stdin.close()


@pytest.mark.slow
def test_a_settlement_that_is_killed_leaves_nothing_and_the_next_one_completes(
    deployment: Deployment, settle: Callable[[int, Path, int], int]
) -> None:
    deployment.manage("shell", "-c", BEGIN.format(shape=SHAPE, attempts=ATTEMPTS, seed=SEED) + AGAIN)
    undisturbed, killed = [run for (run,) in deployment.query("SELECT id FROM solving_solverun ORDER BY id")]
    for name in ("drafts", "reviews"):
        writes = settle(undisturbed, answered(deployment, undisturbed, name), NEVER)
        path = answered(deployment, killed, name)
        before = stored(deployment)
        # the first and the last statement, and between them one in each quarter
        for statement in (1, writes // 4, writes // 2, writes * 3 // 4, writes):
            assert settle(killed, path, statement) == 0, f"lived through statement {statement}"
            assert stored(deployment) == before, f"killed at statement {statement} of {writes}"
        assert settle(killed, path, NEVER) == writes
        after = stored(deployment)
        told: dict[str, Any] = json.loads(deployment.manage(*settlement(killed, path)))
        assert (told["settled"], told["failed"], told["known"], told["out"]) == (0, 0, ATTEMPTS, 0)
        assert stored(deployment) == after
    assert told["state"] == "done"
    results = [
        deployment.query(
            f"SELECT number, outcome, result FROM solving_attempt WHERE run_id = {run} ORDER BY 1"
        )
        for run in (undisturbed, killed)
    ]
    assert results[0] == results[1]
    assert len(results[1]) == ATTEMPTS
    ((solver,),) = deployment.query("SELECT sha256 FROM solving_solver")
    for number, outcome, result in results[1]:
        document = json.loads(result) if isinstance(result, str) else result
        token, _, _ = reference(WORLD, SHAPE, SEED, key_of(solver, SEED, "p1", number))
        assert outcome == "answered"
        assert token in document["proof_latex"]
    deployment.manage("check_invariants")
