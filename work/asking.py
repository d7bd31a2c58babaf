"""What kinds of work that ask a model share: one request, what it costs, and the row that is kept of it."""

import datetime as dt
import hashlib
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID, uuid4

from django.conf import settings

from canonical import canonical_json
from llm import CallFailed, Client, RefusedByServer, TooLarge
from work.backoff import delay_seconds
from work.breaker import note_results
from work.budget import charge
from work.claims import FREE, give_back
from work.endpoints import declared_endpoints
from work.kinds import Failure, Task, Use
from work.models import Call, PricedJob, TaskState

MILLION = Decimal(1_000_000)
OneCall = TypeVar("OneCall", bound=Call)


@dataclass(frozen=True)
class Question:
    """What is sent for a task. A server knows by `key` that it was asked the same before."""

    messages: Sequence[Mapping[str, str]]
    decoding: Mapping[str, Any]
    key: str
    response_format: Mapping[str, Any] | None = None
    max_attempts: int | None = None  # of this request, if not the endpoint's
    model: str = ""  # if not the run's


@dataclass(frozen=True)
class Answer:
    """A reply to a task; `text` is empty where the model said nothing.

    `token` makes storing it twice harmless; `unanswered` counts attempts that may be billed.
    """

    task: Task
    text: str
    finish_reason: str
    request: Mapping[str, object]
    reply: Mapping[str, object]
    latency_seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None
    unanswered: int
    token: UUID = field(default_factory=uuid4)
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


def cost_of(run: PricedJob, prompt_tokens: int, completion_tokens: int) -> Use:
    """The use of one call at the run's prices."""
    cost = prompt_tokens * run.prompt_price + completion_tokens * run.completion_price
    return Use(prompt_tokens + completion_tokens, cost / MILLION)


def attempts(endpoint: str) -> int:
    """How often the client may send one request here."""
    declared = declared_endpoints(settings.JUDGE_ENDPOINTS).get(endpoint)
    return declared.max_attempts if declared else 1


async def put(task: Task, question: Question, client: Client | None, rng: random.Random) -> Answer | Failure:
    """One request for one task. No database here."""
    wait = dt.timedelta(seconds=delay_seconds(task.tries + 1, rng))
    if client is None:
        reason = f"endpoint {task.asked_endpoint} is not configured on this worker or cannot be reached"
        return Failure(task=task, error=reason, final=False, wait=wait)
    try:
        completion = await client.complete(
            question.messages,
            model=question.model or task.run.model,
            decoding=question.decoding,
            response_format=question.response_format,
            idempotency_key=question.key,
            max_attempts=question.max_attempts,
        )
    except CallFailed as failure:
        final = isinstance(failure, RefusedByServer)
        return Failure(
            task=task,
            error=failure.reason,
            final=final,
            wait=wait,
            request=dict(failure.request) if failure.request else None,
            reply=failure.reply,
            latency_seconds=failure.latency,
            unanswered=failure.unanswered,
            counts=not isinstance(failure, (RefusedByServer, TooLarge)),
        )
    return Answer(
        task=task,
        text=completion.text,
        finish_reason=completion.finish_reason,
        request=completion.request,
        reply=completion.reply,
        latency_seconds=completion.latency,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        unanswered=completion.unanswered,
        cached_tokens=completion.cached_tokens,
        reasoning_tokens=completion.reasoning_tokens,
    )


def nothing_here(
    ask: Callable[[Task, Client | None, random.Random], Awaitable[Answer | Failure]],
) -> Callable[[], AbstractAsyncContextManager[Callable[[Task, random.Random], Awaitable[Answer | Failure]]]]:
    """For a kind that is never done on this machine: a task without endpoint fails."""

    @asynccontextmanager
    async def here() -> AsyncIterator[Callable[[Task, random.Random], Awaitable[Answer | Failure]]]:
        yield lambda task, rng: ask(task, None, rng)

    return here


def never_asked(
    reason: str,
) -> Callable[[Task, Client | None, random.Random], Awaitable[Failure]]:
    """For a kind that is done on this machine alone: a task that comes to an endpoint fails."""

    async def ask(task: Task, client: Client | None, rng: random.Random) -> Failure:
        return Failure(task=task, error=reason, final=True, wait=dt.timedelta())

    return ask


def book(
    results: Sequence[Answer | Failure],
    *,
    owner: str,
    tasks: type[Task],
    runs: type[PricedJob],
    calls: type[OneCall],
) -> list[tuple[Answer, OneCall]]:
    """Charge for results, store their calls, return failed tasks and close answered ones: answers with their calls.

    Part of the transaction that stores what the answers say. Every call is kept, also one whose lease had passed to
    another worker; results that are stored already are left out.
    """
    known = calls._default_manager.filter(token__in=[result.token for result in results])
    stored_already = set(known.values_list("token", flat=True))
    new = [result for result in results if result.token not in stored_already]
    failures = [result for result in new if isinstance(result, Failure)]
    answers = [result for result in new if isinstance(result, Answer)]
    uses = {}
    for result in new:  # what each cost: as the endpoint reported it, else the most it can have been
        task = result.task
        bound = Use(task.tokens_reserved, task.cost_reserved) / attempts(task.asked_endpoint)
        if isinstance(result, Failure):
            uses[task.pk] = bound * result.unanswered
        elif result.prompt_tokens is None or result.completion_tokens is None:
            uses[task.pk] = bound * (result.unanswered + 1)
        else:
            reported = cost_of(task.run, result.prompt_tokens, result.completion_tokens)
            uses[task.pk] = reported + bound * result.unanswered
    charge(tasks, runs, owner=owner, uses=uses, ended=[answer.task.pk for answer in answers])
    tell_breakers(new)
    calls._default_manager.bulk_create(
        [call_of(calls, result) for result in failures if result.request is not None]
    )
    give_back(tasks, owner=owner, failures=failures)
    stored = calls._default_manager.bulk_create([call_of(calls, answer) for answer in answers])
    done = tasks.objects.filter(id__in=[answer.task.pk for answer in answers])
    done.exclude(state=TaskState.DONE).update(**{**FREE, "state": TaskState.DONE}, last_error="")
    return list(zip(answers, stored, strict=True))


def tell_breakers(results: Sequence[Answer | Failure]) -> None:
    """Let the breakers of the endpoints know how these calls ended."""
    ended: dict[str, list[str | None]] = defaultdict(list)
    for result in results:
        if isinstance(result, Answer):
            ended[result.task.asked_endpoint].append(None)
        elif result.counts:
            ended[result.task.asked_endpoint].append(result.error)
    for endpoint in sorted(ended):
        note_results(endpoint=endpoint, errors=ended[endpoint])


def without_messages(result: Answer | Failure) -> Answer | Failure:
    """For a kind that can make its messages again, which are long: only their hash is kept."""
    if not result.request:
        return result
    messages = canonical_json(result.request.get("messages", []))
    kept = {name: value for name, value in result.request.items() if name != "messages"}
    return replace(result, request={**kept, "messages_sha256": hashlib.sha256(messages).hexdigest()})


def call_of(calls: type[OneCall], result: Answer | Failure) -> OneCall:
    """The row of a call, not saved yet."""
    call = calls(
        **{"task": result.task},
        token=result.token,
        request=result.request,
        reply=result.reply,
        latency_seconds=result.latency_seconds,
    )
    if isinstance(result, Failure):
        call.error = result.error[:2000]
    else:
        call.prompt_tokens, call.completion_tokens = result.prompt_tokens, result.completion_tokens
    return call
