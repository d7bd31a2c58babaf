"""Programs of a protocol as judges: their predicates, and asking one for a vote. No database here."""

import datetime as dt
import hashlib
import random
from collections.abc import Mapping

from benchmark.protocol import ProgramJudge, ProgramReply, Protocol
from benchmark.protocols import get_protocol
from judging.asking.settlement import Outcome
from judging.asking.subjects import output_of
from judging.models import JudgeTask
from judging.programs.pool import NoChild, NoReply, ProgramPool
from work.backoff import delay_seconds
from work.kinds import Failure


def program_identities(program: ProgramJudge) -> dict[str, dict[str, str]]:
    """Predicate to the program that answers it, in the shape of a judge's prompts."""
    return {predicate: {"program": program.label} for predicate in program.predicates}


def current_program(protocol: Protocol, label: str) -> ProgramJudge | None:
    """The program with exactly this name and version; None when the protocol has another version now."""
    return next((program for program in protocol.program_judges if program.label == label), None)


async def answer_by_program(task: JudgeTask, pool: ProgramPool, rng: random.Random) -> Outcome | Failure:
    """One run of the program for one vote.

    A program that is killed, fails or replies that it cannot run gives a verdict "unavailable" with the
    reason: the same input would end the same way. Only a child that cannot be started is tried again.
    """
    judge = task.run.judge
    program = current_program(get_protocol(judge.protocol), judge.program)
    if program is None:
        return _failure(
            task, rng, f"the program {judge.program} has another version on this worker", final=True
        )
    try:
        output = output_of(task)
        question = {
            "protocol": judge.protocol,
            "program": program.label,
            "predicate": task.predicate,
            "instance": output.instance.payload,
            "output": output.payload,
            "text": output.text,
        }
        reply, seconds = await pool.reply(question, seconds=program.seconds)
        answered = ProgramReply(**reply)
    except NoChild as error:
        return _failure(task, rng, str(error), final=False)
    except NoReply as error:
        reason = f"{program.label}: {error.reason}"
        return _outcome(task, program, ProgramReply("", reason, state="unavailable"), None, error.seconds)
    return _outcome(task, program, answered, reply, seconds)


def _outcome(
    task: JudgeTask,
    program: ProgramJudge,
    answered: ProgramReply,
    reply: Mapping[str, object] | None,
    seconds: float,
) -> Outcome:
    return Outcome(
        task=task,
        prompt_sha256=hashlib.sha256(program.label.encode()).hexdigest(),
        request={"program": program.label, "predicate": task.predicate, "seconds": program.seconds},
        reply=reply,
        latency_seconds=seconds,
        state=answered.state,
        value=answered.value,
        reason=answered.reason,
    )


def _failure(task: JudgeTask, rng: random.Random, error: str, *, final: bool) -> Failure:
    wait = dt.timedelta(seconds=delay_seconds(task.tries + 1, rng))
    return Failure(task=task, error=error, final=final, wait=wait)
