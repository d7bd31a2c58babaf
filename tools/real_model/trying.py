"""One problem of the sample for every recipe, through the queue, to the published output and its pages."""

import datetime as dt
import json
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.request import urlopen

from django.conf import settings
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.people.invitations import accept_invitation, invite_first_owner
from accounts.refusal import Refused
from benchmark.models import FrozenTuple, Release
from benchmark.protocols.masked_steps.schema import ATTEMPTS
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from benchmark.tuples.actions import declare_tuple
from reports.invariants.rules import violations
from retrieval.artifact import EXTERNAL, Artifact, Result, Row, Terms, packed
from solvers.recipe import Recipe, get_recipe, recipe_names
from solving.models import SolveCall, SolveRun, Step
from solving.publishing.actions import publish
from solving.runs.actions import Order, System, begin, make_solver, reconcile_solving
from tools.console import say
from tools.debian import pango_is_there
from work.models import RunState, TaskState
from work.worker import drain

TOKENS = 500  # of the longest reply
# Settings of recipes that have them; a smaller default remains.
AT_MOST = {"rounds": 2, "proposers": 1, "verifiers": 1, "n": 1, "in_a_row": 1, "tool_steps": 1}
OFF = {"analysis": "off", "literature": False, "knowledge": False}
# Without the penalty a model of this size repeats its first sentence to the end of every reply.
DECODING = {"temperature": 0, "frequency_penalty": 1.0}
ATTEMPTS_OF = {"masked_steps": ATTEMPTS}  # as many as are counted; else one
SHIFTS = 100  # after which a run that has not ended is a fault
SEARCHED = 6  # sources of the artifact, made of other gaps of the sample


def tried(folder: Path, address: str) -> list[str]:
    """What is wrong, a sentence for each fault; prints what became of every recipe's questions."""
    faults: list[str] = []
    invitation = invite_first_owner(email="owner@real-model.test")
    owner = accept_invitation(token=invitation.token, name="Owner", password=token_urlsafe(), expertise={})
    for name in recipe_names():
        recipe = get_recipe(name)
        began = time.monotonic()
        run = _finished(recipe, owner, folder)
        seconds = time.monotonic() - began
        found = list(_unanswered(run))
        try:
            publish(actor=owner, run=run)
        except Refused as refusal:
            found.append(f"not published: {refusal}")
        run.refresh_from_db()
        pages, missing = _pages(run, owner)
        found += missing
        faults += [f"{name}: {fault}" for fault in found]
        asked = run.steps.filter(kind=Step.Kind.ASK)
        states = Counter(asked.values_list("reply_state", flat=True))
        calls = SolveCall.objects.filter(task__run=run)
        used: Any = [one for pair in calls.values_list("prompt_tokens", "completion_tokens") for one in pair]
        ends = Counter(f"{one.outcome} ({one.ended_because})" for one in run.attempts.all())
        say(
            f"{name}: {calls.count()} calls, {states['parsed']} parsed, {states['unparsed']} unparsed, "
            f"{run.steps.filter(kind=Step.Kind.TOOL).count()} tools, {sum(used):,} tokens, {seconds:.0f} s; "
            + ", ".join(f"{count} {end}" for end, count in ends.items())
            + f"; {'published' if run.published_id else 'not published'}; {pages} pages"
        )
    with urlopen(f"{address}/answered", timeout=30) as reply:  # noqa: S310 # nosec B310 # our own server
        answered = json.load(reply)
    stored = SolveCall.objects.count()
    if answered != stored:
        faults.append(f"the model answered {answered} calls, and {stored} are stored")
    faults += [f"{rule}: {sentence}" for rule, found in violations().items() for sentence in found]
    return faults


def _finished(recipe: Recipe, owner: User, folder: Path) -> SolveRun:
    protocol = recipe.protocols[0]
    release = _release(protocol, folder)
    known = recipe.settings.model_fields
    lengths = [name for name in known if name.endswith("_tokens") and name != "context_tokens"]
    most = {**AT_MOST, **dict.fromkeys(lengths, TOKENS)}
    small = {name: min(bound, known[name].default) for name, bound in most.items() if name in known}
    system = System(
        slug=f"real-{recipe.name.replace('_', '-')}",
        recipe=recipe.name,
        endpoint="local",
        model="SmolLM2-135M-Instruct",
        settings={**small, **{name: value for name, value in OFF.items() if name in known}},
        decoding=DECODING,
    )
    order = Order(
        release,
        attempts=ATTEMPTS_OF.get(protocol, 1),
        attempt_tokens=200_000,
        artifact=_artifact(release) if protocol == "re2math" else None,
    )
    run = begin(actor=owner, solver=make_solver(actor=owner, system=system), order=order)
    for _ in range(SHIFTS):
        drain()
        reconcile_solving()
        run.refresh_from_db()
        if run.state != RunState.RUNNING:
            break
    return run


@cache
def _release(protocol: str, folder: Path) -> Release:
    """The first problem of the sample's release, frozen."""
    name, path = f"real-{protocol.replace('_', '-')}", folder / f"{protocol}.jsonl"
    path.write_text(_lines(protocol)[0] + "\n", encoding="utf-8")
    import_release(actor=None, path=path, protocol=protocol, name=name)
    release = Release.objects.get(name=name)
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    return release


def _lines(protocol: str) -> list[str]:
    path = settings.SAMPLE_DIR / protocol / "release.jsonl"
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


@cache
def _artifact(release: Release) -> FrozenTuple:
    """The theorems of other gaps as sources; every query of the problem ranks them by words."""
    gaps = {gap["paper"]["paper_id"]: gap for gap in map(json.loads, _lines("re2math"))}
    key = release.instances.get().key
    results, texts = [], []
    for rank, (paper, gap) in enumerate(list(gaps.items())[:SEARCHED], 1):
        theorem = gap["x"]["global_context"]["target_theorem"]
        results.append(Result(rank, paper, SEARCHED - rank, title=gap["paper"]["title"], snippet=theorem))
        texts.append({"key": paper, "text": f"Theorem. {theorem}"})
    terms = Terms(release=release.sha256, provider=EXTERNAL, settings={"service": "the sample"})
    made = Artifact(terms, (Row(key, "theorem", tuple(results)),))
    lines = "".join(json.dumps(one) + "\n" for one in texts)
    return declare_tuple(
        actor=None, release=release, name="real", split="all", retrieval="r", materialisation="m", scoring="s",
        evaluated_on=dt.date(2026, 11, 26),
        files={
            "retrieval": ContentFile(packed(made), "retrieval.zip"),
            "materialisation": ContentFile(lines.encode(), "texts.jsonl"),
        },
    )  # fmt: skip


def _unanswered(run: SolveRun) -> Iterator[str]:
    """Steps that are open or had no reply, and calls that no step has."""
    if run.state != RunState.DONE:
        yield f"the run is {run.state}: {run.note}"
    for step in run.steps.exclude(state=TaskState.DONE):
        yield f"{step.key} of attempt {step.attempt.number} is {step.state}: {step.last_error}"
    for step in run.steps.filter(kind=Step.Kind.ASK, state=TaskState.DONE):
        if step.calls.filter(adopted=True).count() != 1:
            yield f"{step.key} of attempt {step.attempt.number} is answered without a call"


def _pages(run: SolveRun, owner: User) -> tuple[int, list[str]]:
    """How many pages of the run were opened, and which could not be."""
    client = Client(raise_request_exception=False, headers={"host": "localhost"})
    client.force_login(owner)
    found = [reverse("solve-runs"), reverse("solve-run", args=[run.pk])]
    for attempt in run.attempts.all():
        found.append(reverse("solve-attempt", args=[attempt.pk]))
        found += [reverse("solve-step", args=[attempt.pk, step.key]) for step in attempt.steps.all()]
        found += [reverse("solve-entry", args=[attempt.pk, one.number]) for one in attempt.memory.all()]
    for instance in run.release.instances.all():
        found.append(reverse("instance", args=[run.release.name, instance.key]))
    found.append(reverse("score", args=[run.release.name]))
    if pango_is_there():
        found.append(reverse("score-report", args=[run.release.name]))
    statuses = {address: client.get(address).status_code for address in found}
    return len(found), [
        f"{address} answers {status}" for address, status in statuses.items() if status != 200
    ]
