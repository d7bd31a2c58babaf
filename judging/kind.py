"""Judging as a kind of work: what a worker's shift must know to ask judges."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random

from accounts.trail import record
from judging.asking.asking import answer
from judging.asking.costs import attempts, most_of_one_call
from judging.asking.settlement import Outcome, settle
from judging.models import JudgeRun, JudgeTask
from judging.programs.pool import ProgramPool
from judging.programs.programs import answer_by_program
from work.kinds import Failure, Kind


@asynccontextmanager
async def _programs() -> AsyncIterator[Callable[[JudgeTask, Random], Awaitable[Outcome | Failure]]]:
    """The protocols' programs, in child processes that live as long as the shift."""
    async with ProgramPool() as pool:
        yield lambda task, rng: answer_by_program(task, pool, rng)


JUDGING = Kind(
    tasks=JudgeTask,
    runs=JudgeRun,
    endpoint="judge__endpoint",
    loaded=(
        "run__judge",
        "output__instance",
        "output__redacted",
        "second__redacted",
        "instance",
        "repair_of",
    ),
    ask=answer,
    here=_programs,
    settle=settle,
    most=lambda task: most_of_one_call(task) * attempts(task.run.judge),
    paused=lambda run: record(
        actor=None, verb="paused judge run at its cap", target=run, details={"note": run.note}
    ),
)
