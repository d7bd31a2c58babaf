"""Builds as kinds of work: reading a paper on this machine, and asking a model about what was found in it."""

import asyncio
import datetime as dt
import hashlib
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from accounts.trail import record
from benchmark.importing.keys import PaperFields
from canonical import canonical_json
from construction.models import Build, BuildPaper, Candidate, Step, StepCall
from construction.pipeline import get_pipeline
from construction.reading.process import Asked, Readers
from construction.recipes.passages import UNREADABLE, Drop
from llm import Client, most_sent
from llm.structured import StructuredPrompt
from work.asking import (
    Answer,
    Question,
    attempts,
    book,
    cost_of,
    never_asked,
    nothing_here,
    put,
    without_messages,
)
from work.claims import FREE, give_back
from work.kinds import Failure, Kind, Use
from work.models import TaskState

DECODING = {"temperature": 0.0, "max_tokens": 4096}
OPEN = [TaskState.WAITING, TaskState.LEASED]


@dataclass(frozen=True)
class Read:
    """What was found in a paper with the replies so far, or why it cannot be read."""

    task: BuildPaper
    outcome: list[dict[str, Any]] | Drop
    token: UUID = field(default_factory=uuid4)


def asked_of(paper: BuildPaper, replies: Mapping[tuple[str, str], str]) -> Asked:
    """What a child process is given to construct from a paper."""
    run, source = paper.run, paper.source
    arxiv = {"arxiv": f"{source.key}{source.version}"} if source.key[:1].isdigit() else {}
    return Asked(
        protocol=run.protocol,
        recipe=run.recipe,
        files={file.path: file.text for file in source.files.all()},
        main=paper.main,
        paper=PaperFields(key=source.key, title=source.title, year=source.year, identifiers=arxiv),
        domain=source.domain,
        replies=replies,
        seed=run.seed,
        ordinal=paper.ordinal,
        category=source.category,
        pairs=paper.pairs,
    )


def replies_of(paper: BuildPaper) -> dict[tuple[str, str], str]:
    """The replies about a paper so far, by key and stage."""
    return {
        (candidate.key, step.stage): step.text
        for candidate in paper.candidates.all()
        for step in candidate.steps.all()
        if step.state == TaskState.DONE
    }


def prompt_of(step: Step) -> StructuredPrompt[Any] | None:
    """The prompt of a step, if the program still has that version of it."""
    for prompt in get_pipeline(step.run.protocol).prompts:
        if (prompt.label, prompt.sha256) == (step.prompt, step.prompt_sha256):
            return prompt
    return None


@asynccontextmanager
async def _reader() -> AsyncIterator[Callable[[BuildPaper, random.Random], Awaitable[Read | Failure]]]:
    """Papers are read in processes that threads wait for."""
    with Readers() as readers:

        def read(paper: BuildPaper) -> Read:
            with readers.one() as reader:
                return Read(paper, reader.construct(asked_of(paper, replies_of(paper))))

        yield lambda paper, rng: asyncio.to_thread(read, paper)


@transaction.atomic
def settle_papers(*, results: Sequence[Read | Failure], owner: str) -> int:
    """Store how far everything in these papers came, and queue what is to be asked; returns how many were read.

    A paper whose lease has passed to another worker is left to that one.
    """
    give_back(BuildPaper, owner=owner, failures=(one for one in results if isinstance(one, Failure)))
    read = {one.task.pk: one for one in results if isinstance(one, Read)}
    leased = BuildPaper.objects.filter(pk__in=read, state=TaskState.LEASED, lease_owner=owner).order_by("pk")
    held = list(leased.select_for_update(of=("self",)).select_related("run"))
    for paper in held:
        outcome = read[paper.pk].outcome
        done = {**FREE, "state": TaskState.DONE, "last_error": "", "code": "", "sentence": ""}
        if isinstance(outcome, Drop):
            done.update(code=outcome.code, sentence=outcome.sentence)
        else:
            _store(paper, outcome)
        BuildPaper.objects.filter(pk=paper.pk).update(**done)
    reopen([paper.pk for paper in held])
    return len(held)


def _store(paper: BuildPaper, states: Sequence[Mapping[str, Any]]) -> None:
    """The candidates of a paper as they are now, and a step for each that waits for a reply."""
    rows, questions = [], {}
    for place, state in enumerate(states):
        drop, lines = state.get("drop"), state.get("lines")
        if "question" in state:
            questions[state["key"]] = state["question"]
        rows.append(
            Candidate(
                paper=paper,
                key=state["key"],
                place=place,
                stage=state["stage"],
                state="dropped" if drop else "asked" if lines is None else "made",
                code=drop["code"] if drop else "",
                sentence=drop["sentence"] if drop else "",
                places=state["places"],
                lines=lines or [],
            )
        )
    Candidate.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["paper", "key"],
        update_fields=["place", "stage", "state", "code", "sentence", "places", "lines"],
    )
    gone = Candidate.objects.filter(paper=paper).exclude(key__in=[row.key for row in rows])
    gone.update(state=Candidate.State.PASSED, code="", sentence="", lines=[])
    steps = [
        Step(
            run=paper.run,
            candidate=candidate,
            stage=candidate.stage,
            prompt=question["prompt"],
            prompt_sha256=question["sha256"],
            input_sha256=hashlib.sha256(
                canonical_json([question["sha256"], paper.run.model, DECODING, question["fields"]])
            ).hexdigest(),
            fields=question["fields"],
        )
        for candidate in Candidate.objects.filter(paper=paper, key__in=questions).order_by("place")
        for question in [questions[candidate.key]]
    ]
    given = Step.objects.filter(input_sha256__in={step.input_sha256 for step in steps}, state=TaskState.DONE)
    # A model that said nothing, or nothing that can be read, may do better when it is asked again.
    given = given.exclude(text="").exclude(candidate__code__in=UNREADABLE, candidate__stage=F("stage"))
    first = {step.input_sha256: step for step in given.filter(reused=None).order_by("-pk")}
    for step in steps:
        if earlier := first.get(step.input_sha256):
            step.state, step.text, step.reused, step.fields = TaskState.DONE, earlier.text, earlier, {}
    Step.objects.bulk_create(steps, ignore_conflicts=True)


def reopen(papers: Collection[int] | None = None) -> int:
    """Queue papers again of which everything asked is answered, and a reply was not read yet; returns how many."""
    among = BuildPaper.objects.filter(state=TaskState.DONE, code="")
    if papers is not None:
        among = among.filter(pk__in=papers)
    steps = Step.objects.filter(candidate__paper=OuterRef("pk"))
    unread = steps.filter(
        state=TaskState.DONE, candidate__state=Candidate.State.ASKED, stage=F("candidate__stage")
    )
    again = among.filter(Exists(unread)).exclude(Exists(steps.filter(state__in=OPEN)))
    return BuildPaper.objects.filter(pk__in=list(again.values_list("pk", flat=True))).update(**FREE, tries=0)


def question_of(step: Step, nonce: str) -> Question | None:
    """What is sent about a step, if the program still has its prompt."""
    prompt = prompt_of(step)
    if prompt is None:
        return None
    sent = prompt.render(step.fields, nonce).messages
    return Question(sent, DECODING, f"build-{step.run_id}-{step.pk}", prompt.response_format)


async def ask(step: Step, client: Client | None, rng: random.Random) -> Answer | Failure:
    """One request about one step. No database here."""
    question = question_of(step, secrets.token_hex(16))
    if question is None:
        reason = f"the program no longer has this version of the prompt {step.prompt}: begin a build with the new one"
        return Failure(task=step, error=reason, final=True, wait=dt.timedelta())
    return await put(step, question, client, rng)


@transaction.atomic
def settle_steps(*, results: Sequence[Answer | Failure], owner: str) -> int:
    """Store calls and replies, close or return the steps, and queue papers all of whose steps are over.

    Returns how many replies are new.
    """
    short = [without_messages(result) for result in results]
    answers = book(short, owner=owner, tasks=Step, runs=Build, calls=StepCall)
    new = 0
    for answer, _ in answers:
        first = Step.objects.filter(pk=answer.task.pk, text="").exclude(fields={})
        new += first.update(text=answer.text.replace("\0", "\ufffd"), fields={})
    touched = Candidate.objects.filter(steps__in=[result.task.pk for result in results])
    papers = sorted(set(touched.values_list("paper_id", flat=True)))
    # Of two workers that store the last replies about a paper, the second sees what the first has stored.
    list(BuildPaper.objects.filter(pk__in=papers).order_by("pk").select_for_update().values_list("pk"))
    reopen(papers)
    return new


def most_of_one_call(step: Step) -> Use:
    """The most that one request about a step can use."""
    question = question_of(step, "0" * 32)
    sent = most_sent(question.messages, question.response_format) if question else 0
    return cost_of(step.run, sent, int(DECODING["max_tokens"]))


def _paused(run: Build) -> None:
    record(actor=None, verb="pause_build", target=run, details={"note": run.note})


PAPERS = Kind(
    tasks=BuildPaper,
    runs=Build,
    endpoint="",
    loaded=("run", "source__files", "candidates__steps"),
    ask=never_asked("a paper is read on this machine"),
    here=_reader,
    settle=settle_papers,
    most=lambda paper: Use(),
    paused=_paused,
)
STEPS = Kind(
    tasks=Step,
    runs=Build,
    endpoint="endpoint",
    loaded=("run",),
    ask=ask,
    here=nothing_here(ask),
    settle=settle_steps,
    most=lambda step: most_of_one_call(step) * attempts(step.run.endpoint),
    paused=_paused,
)
