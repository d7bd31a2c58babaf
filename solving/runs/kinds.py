"""Steps of attempts as kinds of work: asking the model, and using tools on this machine.

A step is claimed, done without a transaction, and stored in a batch; the attempts none of whose steps is open are then
planned on, in the same transaction. So a worker may die at any moment: what is stored goes on from there.
"""

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from accounts.trail import record
from llm import Client
from solvers.asking import rendered
from solvers.keys import idempotency_key
from solvers.recipe import get_recipe
from solvers.steps import Ask
from solving.models import AskStep, SolveRun, Step, ToolStep
from solving.runs.roles import model_of
from solving.runs.settlement import returned, settle_asks, settle_tools
from solving.runs.stored import is_outdated
from solving.tools.tools import used
from work.asking import Answer, Question, never_asked, nothing_here, put
from work.backoff import LONGEST_WAIT
from work.kinds import Failure, Kind, Use
from work.models import RunState


@dataclass(frozen=True)
class Done:
    """What a tool came to. `fault` says why it failed."""

    task: Step
    document: dict[str, object]
    fault: str = ""
    seconds: float = 0.0
    token: UUID = field(default_factory=uuid4)


def question_of(step: Step, nonce: str) -> Question:
    """What is sent for a step: the same words whenever it is sent, but for the nonce of the fences."""
    run, solver = step.run, step.run.solver
    recipe = get_recipe(solver.recipe)
    asked = Ask(
        step.key,
        step.name,
        step.question["fields"],
        step.question["max_tokens"],
        rules=step.question["rules"],
    )
    attempt, own = step.attempt, model_of(solver, step.name)
    return Question(
        rendered(recipe, asked, nonce).messages,
        {**own.decoding, "max_tokens": asked.max_tokens},
        idempotency_key(solver.sha256, run.seed, attempt.instance.key, attempt.number, step.key),
        recipe.prompts[step.name].response_format,
        max_attempts=1,  # a repetition is a new try of the step, with a reservation of its own
        model=own.model,
    )


async def ask(step: Step, client: Client | None, rng: random.Random) -> Answer | Failure:
    """One request for one step. No database here."""
    if is_outdated(step.run.solver):
        return Failure(task=step, error="the recipe has changed", final=False, wait=LONGEST_WAIT)
    return await put(step, question_of(step, secrets.token_hex(16)), client, rng)


@asynccontextmanager
async def _tools() -> AsyncIterator[Callable[[Step, random.Random], Awaitable[Done | Failure]]]:
    """Tools that compute, each in a child process that a thread waits for."""

    async def use(step: Step, rng: random.Random) -> Done | Failure:
        if is_outdated(step.run.solver):
            return Failure(task=step, error="the recipe has changed", final=False, wait=LONGEST_WAIT)
        began = time.monotonic()
        document, fault = await asyncio.to_thread(used, step)
        return Done(step, document, fault, time.monotonic() - began)

    yield use


def _paused(run: SolveRun) -> None:
    record(actor=None, verb="pause_solve_run", target=run, details={"note": run.note})


ASKS = Kind(
    tasks=AskStep,
    runs=SolveRun,
    endpoint="",
    own_endpoint="endpoint",
    loaded=("run__solver", "attempt__instance"),
    ask=ask,
    here=nothing_here(ask),
    settle=settle_asks,
    most=lambda step: Use(step.tokens_bound, step.cost_bound),
    paused=_paused,
    bounds=("tokens_bound", "cost_bound"),
    returned=returned,
)
TOOLS = Kind(
    tasks=ToolStep,
    runs=SolveRun,
    endpoint="",
    loaded=("run__solver",),
    ask=never_asked("a tool is used on this machine"),
    here=_tools,
    settle=settle_tools,
    most=lambda step: Use(),
    paused=_paused,
    # They cost nothing, and batches of a paused run wait for them.
    states=(RunState.RUNNING, RunState.PAUSED),
)
