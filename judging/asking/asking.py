"""Asking one question: from a claimed task to its outcome or failure. No database here."""

import datetime as dt
import random
import secrets

from judging.asking.questions import PromptChanged, question
from judging.asking.replies import read
from judging.asking.settlement import Outcome
from judging.models import JudgeTask
from llm import CallFailed, Completer, RefusedByServer, TooLarge
from work.backoff import delay_seconds
from work.kinds import Failure


async def answer(task: JudgeTask, client: Completer | None, rng: random.Random) -> Outcome | Failure:
    """One call for one vote; `client` is None where the endpoint cannot be used.

    The proof is in the prompt as data behind a random fence.
    """
    judge = task.run.judge
    if client is None:
        reason = f"endpoint {judge.endpoint} is not configured on this worker or cannot be reached"
        return _failed(task, rng, reason, final=False)
    try:
        asked = question(task, secrets.token_hex(16))
    except PromptChanged as changed:
        return fault(task, str(changed))
    # Equal for repeats of the same question and vote, so that a server that knows the header asks once.
    subject = f"instance.{task.instance_id}" if task.instance_id else f"{task.output_id}"
    if task.second_id is not None:
        subject += f".{task.second_id}"
    key = f"{judge.sha256[:16]}-{subject}-{task.predicate}-{task.order}-{task.vote}"
    try:
        completion = await client.complete(
            asked.messages,
            model=judge.model,
            decoding=judge.decoding,
            response_format=asked.prompt.response_format,
            idempotency_key=key if task.repair_of_id is None else f"{key}-repair",
        )
    except CallFailed as failure:
        final = isinstance(failure, RefusedByServer)
        return _failed(
            task, rng, failure.reason, final=final, failure=failure, prompt_sha256=asked.prompt.sha256
        )
    reading = read(completion.text, asked.prompt)
    return Outcome(
        task=task,
        prompt_sha256=asked.prompt.sha256,
        request=completion.request,
        reply=completion.reply,
        latency_seconds=completion.latency,
        **vars(reading),
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        unanswered=completion.unanswered,
    )


def fault(task: JudgeTask, error: str) -> Failure:
    """The failure of a task that cannot be asked at all, for a reason that repeating does not cure."""
    return Failure(task=task, error=error, final=True, wait=dt.timedelta())


def _failed(
    task: JudgeTask,
    rng: random.Random,
    error: str,
    *,
    final: bool,
    failure: CallFailed | None = None,
    prompt_sha256: str = "",
) -> Failure:
    return Failure(
        task=task,
        error=error,
        final=final,
        wait=dt.timedelta(seconds=delay_seconds(task.tries + 1, rng)),
        prompt_sha256=prompt_sha256,
        request=dict(failure.request) if failure and failure.request else None,
        reply=failure.reply if failure else None,
        latency_seconds=failure.latency if failure else 0.0,
        unanswered=failure.unanswered if failure else 0,
        counts=failure is not None and not isinstance(failure, (RefusedByServer, TooLarge)),
    )
