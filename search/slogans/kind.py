"""Slogans as a kind of work: asking for one, and storing what came back."""

import datetime as dt
import random
import secrets
from collections.abc import Sequence

from django.db import transaction

from accounts.trail import record
from llm import Client
from search.models import Reads, Slogan, SloganCall, SloganRun, SloganTask, Statement
from search.slogans.wording import DECODING, messages, most_tokens, prompt_of, read_slogan
from work.asking import Answer, Question, attempts, book, cost_of, nothing_here, put
from work.kinds import Failure, Kind, Use

_NONCE = "0" * 32


def asked_about(statement: Statement, reads: str, nonce: str = _NONCE) -> list[dict[str, str]]:
    """The messages about a statement."""
    more = "" if reads == Reads.BODY else getattr(statement.document, reads) or ""
    name = " ".join(
        part for part in (statement.kind, f"({statement.note})" if statement.note else "") if part
    )
    return messages(prompt_of(reads), f"{name}\n{statement.body}".strip(), more, nonce)


def most_of_one_call(task: SloganTask) -> Use:
    """The most that one request for a task can use."""
    most = most_tokens(asked_about(task.statement, task.run.reads))
    reply = int(DECODING["max_tokens"])
    return cost_of(task.run, most - reply, reply)


async def ask(task: SloganTask, client: Client | None, rng: random.Random) -> Answer | Failure:
    """One request for one slogan. No database here."""
    run = task.run
    if prompt_of(run.reads).sha256 != run.prompt_sha256:
        reason = "the prompt has changed since the run began: cancel the run and begin another"
        return Failure(task=task, error=reason, final=True, wait=dt.timedelta())
    sent = asked_about(task.statement, run.reads, secrets.token_hex(16))
    return await put(task, Question(sent, DECODING, f"slogan-{run.pk}-{task.statement_id}"), client, rng)


@transaction.atomic
def settle(*, results: Sequence[Answer | Failure], owner: str) -> int:
    """Store calls and slogans, close or return the tasks; returns how many slogans are new.

    The first slogan of a task counts.
    """
    slogans = []
    for answer, call in book(results, owner=owner, tasks=SloganTask, runs=SloganRun, calls=SloganCall):
        text, fault = read_slogan(answer.text, answer.finish_reason)
        slogans.append(
            Slogan(
                statement_id=answer.task.statement_id,
                reads=answer.task.run.reads,
                model=answer.task.run.model,
                prompt_sha256=answer.task.run.prompt_sha256,
                task=answer.task,
                call=call,
                text=text,
                fault=fault,
            )
        )
    Slogan.objects.bulk_create(slogans, ignore_conflicts=True)
    return Slogan.objects.filter(call__in=[slogan.call_id for slogan in slogans]).count()


SLOGANS = Kind(
    tasks=SloganTask,
    runs=SloganRun,
    endpoint="endpoint",
    loaded=("run", "statement__document"),
    ask=ask,
    here=nothing_here(ask),
    settle=settle,
    most=lambda task: most_of_one_call(task) * attempts(task.run.endpoint),
    paused=lambda run: record(actor=None, verb="pause_slogans", target=run, details={"note": run.note}),
)
