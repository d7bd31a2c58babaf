"""Slogans as a kind of work: asking for one, and storing what came back."""

import datetime as dt
import random
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction

from accounts.trail import record
from llm import CallFailed, Client, RefusedByServer
from search.models import Reads, Slogan, SloganCall, SloganRun, SloganTask, Statement
from search.slogans.wording import DECODING, messages, most_tokens, prompt_of, read_slogan
from work.backoff import delay_seconds
from work.breaker import note_results
from work.budget import charge
from work.claims import FREE, GivenBack, give_back
from work.endpoints import declared_endpoints
from work.kinds import Failure, Kind, Use
from work.models import TaskState

MILLION = Decimal(1_000_000)
_NONCE = "0" * 32


@dataclass(frozen=True)
class Outcome:
    """A reply to a task. `token` makes storing it twice harmless; `unanswered` counts attempts that may be billed."""

    task: SloganTask
    text: str
    fault: str
    request: Mapping[str, object]
    reply: Mapping[str, object]
    latency_seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None
    unanswered: int
    token: UUID = field(default_factory=uuid4)


def asked_about(statement: Statement, reads: str, nonce: str = _NONCE) -> list[dict[str, str]]:
    """The messages about a statement."""
    more = "" if reads == Reads.BODY else getattr(statement.document, reads) or ""
    name = " ".join(
        part for part in (statement.kind, f"({statement.note})" if statement.note else "") if part
    )
    return messages(prompt_of(reads), f"{name}\n{statement.body}".strip(), more, nonce)


def cost_of(run: SloganRun, prompt_tokens: int, completion_tokens: int) -> Use:
    """The use of one call at the run's prices."""
    cost = prompt_tokens * run.prompt_price + completion_tokens * run.completion_price
    return Use(prompt_tokens + completion_tokens, cost / MILLION)


def most_of_one_call(task: SloganTask) -> Use:
    """The most that one request for a task can use."""
    most = most_tokens(asked_about(task.statement, task.run.reads))
    reply = int(DECODING["max_tokens"])
    return cost_of(task.run, most - reply, reply)


def attempts(endpoint: str) -> int:
    """How often the client may send one request here."""
    declared = declared_endpoints(settings.JUDGE_ENDPOINTS).get(endpoint)
    return declared.max_attempts if declared else 1


async def ask(task: SloganTask, client: Client | None, rng: random.Random) -> Outcome | Failure:
    """One request for one slogan. No database here."""
    run = task.run
    wait = dt.timedelta(seconds=delay_seconds(task.tries + 1, rng))
    if client is None:
        reason = f"endpoint {run.endpoint} is not configured on this worker or cannot be reached"
        return Failure(task=task, error=reason, final=False, wait=wait)
    if prompt_of(run.reads).sha256 != run.prompt_sha256:
        reason = "the prompt is another one than when the run began: cancel the run and begin one"
        return Failure(task=task, error=reason, final=True, wait=dt.timedelta())
    sent = asked_about(task.statement, run.reads, secrets.token_hex(16))
    try:
        completion = await client.complete(
            sent, model=run.model, decoding=DECODING, idempotency_key=f"slogan-{run.pk}-{task.statement_id}"
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
            counts=not final,
        )
    text, fault = read_slogan(completion.text, completion.finish_reason)
    return Outcome(
        task=task,
        text=text,
        fault=fault,
        request=completion.request,
        reply=completion.reply,
        latency_seconds=completion.latency,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        unanswered=completion.unanswered,
    )


@transaction.atomic
def settle(*, results: Sequence[Outcome | Failure], owner: str) -> int:
    """Store calls and slogans, close or return the tasks; returns how many slogans are new.

    Every call is kept, also one whose lease had passed to another worker; the first slogan of a task counts.
    """
    known = SloganCall.objects.filter(token__in=[result.token for result in results])
    stored_already = set(known.values_list("token", flat=True))
    new = [result for result in results if result.token not in stored_already]
    charge(SloganTask, SloganRun, owner=owner, uses={result.task.pk: _use(result) for result in new})
    ended: dict[str, list[str | None]] = defaultdict(list)
    for result in new:
        if isinstance(result, Outcome):
            ended[result.task.run.endpoint].append(None)
        elif result.counts:
            ended[result.task.run.endpoint].append(result.error)
    for endpoint in sorted(ended):
        note_results(endpoint=endpoint, errors=ended[endpoint])
    failures = [result for result in new if isinstance(result, Failure)]
    SloganCall.objects.bulk_create([_call(result) for result in failures if result.request is not None])
    given_back = {one.task.pk: GivenBack(one.error, one.wait, one.final) for one in failures}
    give_back(SloganTask, owner=owner, failed=given_back)
    outcomes = [result for result in new if isinstance(result, Outcome)]
    calls = SloganCall.objects.bulk_create([_call(outcome) for outcome in outcomes])
    slogans = [
        Slogan(
            statement_id=outcome.task.statement_id,
            reads=outcome.task.run.reads,
            model=outcome.task.run.model,
            prompt_sha256=outcome.task.run.prompt_sha256,
            task=outcome.task,
            call=call,
            text=outcome.text,
            fault=outcome.fault,
        )
        for outcome, call in zip(outcomes, calls, strict=True)
    ]
    Slogan.objects.bulk_create(slogans, ignore_conflicts=True)
    done = SloganTask.objects.filter(id__in=[outcome.task.pk for outcome in outcomes])
    done.exclude(state=TaskState.DONE).update(**{**FREE, "state": TaskState.DONE}, last_error="")
    return Slogan.objects.filter(call__in=[call.pk for call in calls]).count()


def _use(result: Outcome | Failure) -> Use:
    """What a result cost: as the endpoint reported it, else the most it can have been."""
    task = result.task
    bound = Use(task.tokens_reserved, task.cost_reserved) / attempts(task.run.endpoint)
    if isinstance(result, Failure):
        return bound * result.unanswered
    if result.prompt_tokens is None or result.completion_tokens is None:
        return bound * (result.unanswered + 1)
    return cost_of(task.run, result.prompt_tokens, result.completion_tokens) + bound * result.unanswered


def _call(result: Outcome | Failure) -> SloganCall:
    call = SloganCall(
        task=result.task,
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


@asynccontextmanager
async def _nothing_here() -> AsyncIterator[
    Callable[[SloganTask, random.Random], Awaitable[Outcome | Failure]]
]:
    """A slogan is never written on this machine: a task without endpoint fails."""
    yield lambda task, rng: ask(task, None, rng)


SLOGANS = Kind(
    tasks=SloganTask,
    runs=SloganRun,
    endpoint="endpoint",
    loaded=("run", "statement__document"),
    ask=ask,
    here=_nothing_here,
    settle=settle,
    most=lambda task: most_of_one_call(task) * attempts(task.run.endpoint),
    paused=lambda run: record(actor=None, verb="pause_slogans", target=run, details={"note": run.note}),
)
