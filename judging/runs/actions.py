"""The verbs of judging: make a judge version, ask for verdicts, steer a run, import published verdicts."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import Instance, Output, Release, Run
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol
from benchmark.releases.freezing import freeze_run
from benchmark.subjects import DEFAULT_TRACK, USUAL
from canonical import sha256_of
from judging.asking.prompts import asked_unless_named, pair_predicates, predicates_about, prompt_identities
from judging.asking.subjects import FIELDS, Subject, of_run
from judging.kind import JUDGING
from judging.models import Judge, JudgeRun, JudgeTask, RunSubject, StepVerdict, Verdict
from judging.programs.programs import current_program, program_identities
from judging.prompts.queries import prompts_called
from judging.runs.combining import combination_settings, combined_verdicts, decided, tallies
from judging.runs.early_stop import votes_cast
from judging.runs.queries import (
    OPEN,
    judgeable_pairs,
    newest_judge,
    open_elsewhere,
    questions_about_outputs,
    runs_asked_about,
    votes_to_come,
)
from judging.runs.steering import check_caps
from llm import fewest_more
from llm.completion import decoding_fault
from work.claims import call_for_due, take_back_expired
from work.models import RunState, TaskState
from work.signal import ring

logger = logging.getLogger(__name__)
_BATCH = 1000


@transaction.atomic
def create_judge(
    *,
    actor: User | None,
    slug: str,
    protocol: str,
    model: str = "",
    endpoint: str = "",
    family: str = "",
    decoding: Mapping[str, object] | None = None,
    votes: int = 1,
    program: str = "",
    prices: Mapping[str, str] | None = None,
    budget: Mapping[str, object] | None = None,
    early_stop: bool = False,
    repair: bool = False,
    own_prompts: Sequence[str] = (),
) -> Judge:
    """The judge version with exactly these settings and today's prompts; the existing row if there is one.

    `own_prompts` are labels of uploaded prompts (judging/prompts), which take the place of the protocol's.

    `prices` are those of a million tokens (prompt, completion) in the deployment's currency, as decimal strings.
    `budget` caps each run (tokens, cost) unless it is asked with caps of its own. `early_stop` leaves out votes that
    cannot change the majority; `repair` asks once more for a reply that cannot be read.

    With `program`, the judge is that program of the protocol in its present version, and has no model, endpoint,
    decoding or further votes. Raises Refused when that does not fit, when there is neither an endpoint nor a program,
    or when the protocol asks its judges nothing.
    """
    if program:
        if model or endpoint or family or decoding or votes != 1 or prices or budget or repair or own_prompts:
            raise Refused("A program has no model, endpoint, decoding or votes.", code="program_settings")
        try:
            chosen = get_protocol(protocol).program(program)
        except KeyError as error:
            raise Refused(str(error.args[0]), code="no_program", field="program") from error
        own = {"slug": slug, "protocol": protocol, "program": chosen.label}
        return judge_version(actor, {**own, "prompts": program_identities(chosen)})
    if not endpoint or not model:
        raise Refused("A judge needs an endpoint and a model, or a program.", code="no_endpoint")
    if fault := decoding_fault(decoding or {}):
        raise Refused(fault, code="bad_decoding", field="decoding")
    prompts: dict[str, object] = dict(prompt_identities(get_protocol(protocol)))
    prompts |= {own.predicate: own.identity for own in prompts_called(protocol, own_prompts)}
    if not prompts:
        raise Refused(f"The protocol {protocol} has no questions for judges.", code="no_predicates")
    if budget:  # a version never changes, and one whose own budget cannot be kept could never be asked
        unsaved = Judge(slug=slug, decoding=decoding or {}, prices=prices or {}, budget=budget)
        check_caps(unsaved, *own_caps(unsaved))
    settings = {
        "slug": slug,
        "protocol": protocol,
        "model": model,
        "family": family,
        "endpoint": endpoint,
        "decoding": decoding or {},
        "votes": votes,
        "prompts": prompts,
        **({"prices": prices} if prices else {}),  # left out when empty: older versions keep their hash
        **({"budget": budget} if budget else {}),
        **({"early_stop": True} if early_stop and votes > 1 else {}),
        **({"repair": True} if repair else {}),
    }
    return judge_version(actor, settings)


def own_caps(judge: Judge) -> tuple[int | None, Decimal | None]:
    """The most tokens and the most cost of one run that the judge version itself sets."""
    cost = judge.budget.get("cost")
    return judge.budget.get("tokens"), None if cost is None else Decimal(str(cost))


def judge_version(actor: User | None, settings: Mapping[str, object]) -> Judge:
    """The judge version with exactly these settings, made if it does not exist; part of a transaction."""
    sha256 = sha256_of(settings)
    existing = Judge.objects.filter(sha256=sha256).first()
    if existing:
        return existing
    previous = newest_judge(str(settings["slug"]))
    judge = Judge.objects.create(sha256=sha256, version=previous.version + 1 if previous else 1, **settings)
    record(actor=actor, verb="create judge version", target=judge, details={"judge": judge.label, **settings})
    return judge


@transaction.atomic
def ask(
    *,
    actor: User | None,
    judge: Judge,
    release: Release,
    subject: str = RunSubject.OUTPUT,
    track: str = "",
    condition: str = "",
    predicates: Sequence[str] = (),
    after: Judge | None = None,
    priority: int = 0,
    max_tokens: int | None = None,
    max_cost: Decimal | None = None,
) -> JudgeRun:
    """Record what is to be judged. The rows written here are the queue of record; the signal only speeds things up.

    One task for each answered output, predicate and vote that has no verdict of this judge yet. An output that
    abstained is asked about where it did so after the stage that the predicate is about. A predicate that compares is
    asked of each pair of outputs, in both orders. The outputs are those of `track` ("raw" if left out) under
    `condition` ("usual" is the usual one; left out: all). Freezes the runs judged, so that a verdict always refers to
    the text that was read.

    With `after`, only what that judge left undecided is asked (judging/runs/combining.py); when the run ends, the
    combined verdicts are stored. With `subject` "instance", there is one task for each instance of the release,
    predicate about instances and vote, and neither track nor `after`.

    Raises Refused when there is nothing to ask, when a predicate is unknown, when the judge only has imported verdicts,
    or when `after` has no verdict on some outputs.
    """
    protocol = get_protocol(release.benchmark.protocol)
    # Two that ask at once come one after the other, and the second sees what the first asks.
    Judge.objects.select_for_update().get(pk=judge.pk)
    chosen = _checked_predicates(judge, protocol, predicates, subject)
    if subject == RunSubject.INSTANCE and (track or condition or after):
        raise Refused(
            "A run on instances has no track or condition and cannot follow another judge.",
            code="instance_run",
        )
    if subject == RunSubject.OUTPUT:
        track = track or DEFAULT_TRACK
        # Nobody marks an answer as abstained until these are frozen.
        list(runs_asked_about(release, track, condition).select_for_update().order_by("pk").values_list("pk"))
        if condition and not runs_asked_about(release, track, condition).exists():
            there = Run.objects.filter(release=release, track=track).order_by("condition")
            known = ", ".join(dict.fromkeys(run.condition or USUAL for run in there)) or "none"
            raise Refused(
                f"{release.name} ({track}) has no runs under condition {condition!r}; there are: {known}.",
                code="no_condition",
                field="condition",
            )
    if after:
        chosen = _that_can_follow(judge, after, chosen)
    settled = _settled(judge, after, release, track, condition, chosen) if after else set()
    own_tokens, own_cost = own_caps(judge)
    max_tokens = own_tokens if max_tokens is None else max_tokens
    max_cost = own_cost if max_cost is None else max_cost
    check_caps(judge, max_tokens, max_cost)
    run = JudgeRun.objects.create(
        judge=judge,
        release=release,
        subject=subject,
        track=track,
        condition=condition,
        predicates=chosen,
        asked_by=actor,
        after=after,
        priority=priority,
        max_tokens=max_tokens,
        max_cost=max_cost,
    )
    n_tasks = _write_tasks(run, chosen, settled)
    if not n_tasks:
        asked = f"answered output of {release.name} ({track})" if track else f"instance of {release.name}"
        others = sorted(set(open_elsewhere(run).values_list("run_id", flat=True)))
        waiting = f", or waits for them in run {', '.join(map(str, others))}" if others else ""
        raise Refused(
            f"Nothing to ask: every {asked} has its verdicts from {judge.label}{waiting}.",
            code="nothing_to_ask",
        )
    for judged in runs_asked_about(release, track, condition).filter(frozen_at=None):
        freeze_run(actor=actor, run=judged)
    record(
        actor=actor,
        verb="ask judge",
        target=run,
        details={
            "judge": judge.label,
            "subject": subject,
            "tasks": n_tasks,
            "after": after.label if after else "",
        },
    )
    transaction.on_commit(ring)
    return run


def _checked_predicates(judge: Judge, protocol: Protocol, wanted: Sequence[str], subject: str) -> list[str]:
    if not judge.endpoint and not judge.program:
        raise Refused(
            f"{judge.label} holds imported verdicts and has no endpoint to ask.",
            code="judge_without_endpoint",
        )
    if judge.protocol != protocol.name:
        raise Refused(
            f"{judge.label} judges {judge.protocol}, the release is {protocol.name}.", code="other_protocol"
        )
    program = current_program(protocol, judge.program) if judge.program else None
    if program and program.subject == "instance":
        raise Refused(
            f"{judge.label} judges instances, not outputs: the construction audit runs it.",
            code="judges_instances",
        )
    if judge.program and program is None:
        raise Refused(
            f"{judge.label} was made for {judge.program}, which has another version now. "
            "Create a new version of the judge.",
            code="program_changed",
        )
    known = predicates_about(subject, judge)
    applying = [predicate for predicate in dict.fromkeys(wanted) if predicate in known]
    unknown = [predicate for predicate in wanted if predicate not in judge.prompts]
    # what is about another kind of subject is left out (queries.left_out), unless nothing else is wanted
    if unknown or not known or (wanted and not applying):
        wrong = f"no predicate {', '.join(unknown or wanted)}" if wanted else "no predicate"
        there = ", ".join(known) or "none"
        raise Refused(
            f"{judge.label} has {wrong} about {subject}s; it has {there}.", code="unknown_predicate"
        )
    return applying or asked_unless_named(subject, judge)


def _that_can_follow(judge: Judge, after: Judge, predicates: Sequence[str]) -> list[str]:
    """Those about single outputs that `after` was asked too. Raises Refused when there is none."""
    comparing = pair_predicates(judge.protocol)
    found = [key for key in predicates if key in after.prompts and key not in comparing]
    if after == judge or not found:
        raise Refused(
            f"{judge.label} cannot follow {after.label}: only another judge with the same predicates can.",
            code="cannot_follow",
        )
    return found


def _settled(
    judge: Judge, after: Judge, release: Release, track: str, condition: str, predicates: Sequence[str]
) -> set[tuple[int, str]]:
    """Outputs and predicates that `after` decided. Makes the combined judge version."""
    spoken = tallies(after, release, track, predicates, condition)
    missing = set(questions_about_outputs(release, track, predicates, condition)) - set(spoken)
    if missing:
        raise Refused(
            f"{after.label} has no verdicts on {len(missing)} answers of {release.name} ({track}); ask it first.",
            code="first_judge_missing",
        )
    if to_come := votes_to_come(after, runs_asked_about(release, track, condition), predicates):
        raise Refused(
            f"Not all votes of {after.label} on {release.name} are in ({to_come} to come), and they can change what it "
            "says; let its run end, or cancel it, first.",
            code="first_judge_unfinished",
        )
    judge_version(None, combination_settings(after, judge))
    return {key for key, found in spoken.items() if decided(found)}


def _write_tasks(run: JudgeRun, predicates: Sequence[str], settled: Set[tuple[int, str]]) -> int:
    """Tasks for the votes that are not cast; with early stop only what the majority still needs is not held.

    What another run is still to ask this judge is left to it: nothing is paid for twice.
    """
    cast = votes_cast(judges=[run.judge_id], which=of_run(run))
    asked = {Subject(*subject) for subject in open_elsewhere(run).values_list(*FIELDS).distinct()}
    planned = run.judge.votes
    tasks = []
    for subject in _subjects(run, predicates):
        if (subject.output, subject.predicate) in settled or subject in asked:
            continue
        known = cast.get((run.judge_id, subject), {})
        missing = [vote for vote in range(1, planned + 1) if vote not in known]
        now = fewest_more(list(known.values()), planned=planned) if run.judge.early_stop else len(missing)
        question = dict(zip(FIELDS, subject, strict=True))
        for place, vote in enumerate(missing if now else []):
            state = TaskState.WAITING if place < now else TaskState.HELD
            tasks.append(JudgeTask(run=run, **question, vote=vote, state=state))
    return len(JudgeTask.objects.bulk_create(tasks, batch_size=_BATCH))


def _subjects(run: JudgeRun, predicates: Sequence[str]) -> Iterator[Subject]:
    """Every instance, or output, by predicate; every pair by predicate that compares, in both orders."""
    if run.subject == RunSubject.INSTANCE:
        for instance in run.release.instances.order_by("id").values_list("id", flat=True).iterator():
            yield from (Subject(None, None, instance, predicate) for predicate in predicates)
        return
    comparing = pair_predicates(run.judge.protocol)
    single = [predicate for predicate in predicates if predicate not in comparing]
    for output, predicate in questions_about_outputs(run.release, run.track, single, run.condition):
        yield Subject(output, None, None, predicate)
    for predicate in predicates:
        if predicate in comparing:
            for first, second in judgeable_pairs(run.release, run.track, run.condition):
                yield from (Subject(first, second, None, predicate, order) for order in (1, 2))


@transaction.atomic
def finish_runs() -> int:
    """Close running runs that have nothing waiting or leased; returns how many."""
    unfinished = JudgeTask.objects.filter(state__in=OPEN)
    running = JudgeRun.objects.filter(state=RunState.RUNNING)
    over = running.exclude(id__in=unfinished.values("run_id"))
    # Who asks failed tasks again holds their run, so they are looked for once more when these are held.
    held = list(over.order_by("id").select_for_update(no_key=True).values_list("id", flat=True))
    ended = list(over.filter(id__in=held).values_list("id", flat=True))
    for run in running.filter(id__in=ended, after__isnull=False).select_related("judge", "after", "release"):
        # Store the combined verdicts of both judges; those that are stored already stay.
        assert run.after is not None
        judge = judge_version(None, combination_settings(run.after, run.judge))
        Verdict.objects.bulk_create(combined_verdicts(run, judge), batch_size=_BATCH, ignore_conflicts=True)
    return running.filter(id__in=ended).update(state=RunState.DONE, finished_at=timezone.now())


def reconcile() -> dict[str, int]:
    """Bring back what a dead worker held, close what is finished, and signal again if work is waiting.

    This, not the broker, guarantees that every task ends: run it every few seconds.
    """
    returned = take_back_expired(JUDGING)
    finished = finish_runs()
    return {"returned": returned, "finished": finished, "waiting": call_for_due(JUDGING)}


@dataclass(frozen=True)
class PublishedVerdict:
    """One verdict from a published run, on an output, a pair (with `second`) or an instance."""

    output: Output | None
    predicate: str
    value: str
    state: str
    vote: int = 1
    order: int = 1
    confidence: float | None = None
    reason: str = ""
    created_at: Any = None
    second: Output | None = None
    instance: Instance | None = None
    line: int = 0
    file: str = ""

    @property
    def place(self) -> tuple[object, ...]:
        """What a judge has one verdict about."""
        about = (row and row.pk for row in (self.output, self.second, self.instance))
        return *about, self.predicate, self.order, self.vote

    @property
    def content(self) -> dict[str, object]:
        """What it says, by the columns of the label table; its time may be missing there."""
        return {"value": self.value or self.state, "confidence": self.confidence, "comment": self.reason}


@dataclass(frozen=True)
class PublishedStep:
    """What a published verdict says about one step; `output`, `predicate` and `vote` are those of the verdict."""

    output: Output
    predicate: str
    question: str
    step: str
    label: str
    reason: str = ""
    vote: int = 1
    line: int = 0
    file: str = ""

    @property
    def content(self) -> dict[str, object]:
        """The same for a step."""
        return {"value": self.label, "comment": self.reason}


class VerdictsDiffer(Refused):
    """Verdicts of a file that say something else than those stored of the same judge: each with the field in which it
    differs, and why."""

    def __init__(self, differing: Sequence[tuple[PublishedVerdict | PublishedStep, str, str]]) -> None:
        self.differing = differing
        said, field, reason = differing[0]
        super().__init__(reason, code="labels_differ", line=said.line or None, field=field)


@transaction.atomic
def imported_judge(*, actor: User | None, slug: str, protocol: str, published_as: str) -> Judge:
    """The judge without endpoint under which published verdicts of `slug` are kept."""
    settings = {"slug": slug, "protocol": protocol, "model": "", "published_as": published_as}
    return judge_version(actor, {**settings, "votes": 1, "prompts": {}})


@transaction.atomic
def store_published(*, judge: Judge, verdicts: Iterable[PublishedVerdict]) -> int:
    """Store published verdicts; those stored for the judge already change nothing. Returns how many are new.

    Raises VerdictsDiffer if what is stored says something else.
    """
    given = list(verdicts)
    places = {verdict.place for verdict in given}
    stored = {}
    found = judge.verdicts.values_list(
        "output", "second", "instance", "predicate", "order", "vote", "value", "state", "confidence", "reason"
    )
    for *place, value, state, confidence, reason in found.iterator():
        if tuple(place) in places:
            stored[tuple(place)] = {"value": value or state, "confidence": confidence, "comment": reason}
    _refuse_other(judge, [(said, said.content, stored[said.place]) for said in given if said.place in stored])
    rows = [
        Verdict(
            judge=judge,
            output=verdict.output,
            second=verdict.second,
            instance=verdict.instance,
            predicate=verdict.predicate,
            order=verdict.order,
            vote=verdict.vote,
            value=verdict.value,
            state=verdict.state,
            confidence=verdict.confidence,
            reason=verdict.reason,
            created_at=verdict.created_at or timezone.now(),
        )
        for verdict in given
    ]
    before = judge.verdicts.count()
    Verdict.objects.bulk_create(rows, batch_size=_BATCH, ignore_conflicts=True)
    return judge.verdicts.count() - before


@transaction.atomic
def store_published_steps(*, judge: Judge, steps: Sequence[PublishedStep]) -> int:
    """Store what published verdicts of the judge, which are stored already, say about steps; the same rules."""
    outputs = {said.output.pk for said in steps}
    stored = judge.verdicts.filter(output__in=outputs, second=None)
    verdicts = {key[1:]: key[0] for key in stored.values_list("pk", "output", "predicate", "vote")}
    rows = [
        StepVerdict(
            verdict_id=verdicts[said.output.pk, said.predicate, said.vote],
            question=said.question,
            step=said.step,
            label=said.label,
            reason=said.reason,
        )
        for said in steps
    ]
    known = StepVerdict.objects.filter(verdict__judge=judge)
    before_now = {
        (row.verdict_id, row.question, row.step): {"value": row.label, "comment": row.reason}
        for row in known.filter(verdict__output__in=outputs)
    }
    places = [(row.verdict_id, row.question, row.step) for row in rows]
    told = zip(steps, places, strict=True)
    _refuse_other(
        judge, [(said, said.content, before_now[place]) for said, place in told if place in before_now]
    )
    before = known.count()
    StepVerdict.objects.bulk_create(rows, batch_size=_BATCH, ignore_conflicts=True)
    return known.count() - before


Content = Mapping[str, object]


def _refuse_other(
    judge: Judge, told: Iterable[tuple[PublishedVerdict | PublishedStep, Content, Content]]
) -> None:
    """Raise VerdictsDiffer where what a file says, given first, is not what is stored, given second."""
    differing = []
    for said, given, stored in told:
        column = next((name for name in given if given[name] != stored[name]), None)
        if column:
            reason = (
                f"{judge.label} says {stored[column]!r} of it here already, and {given[column]!r} in the file"
            )
            differing.append((said, column, reason))
    if differing:
        raise VerdictsDiffer(differing)
