"""Querysets of judging: what is left to ask, how far a run is, and verdicts for reports."""

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Count, Q, QuerySet, Sum

from benchmark.files.queries import only_in_files
from benchmark.models import Output, OutputState, Release, Run
from benchmark.protocols import get_protocol
from benchmark.subjects import USUAL
from judging.asking.costs import use_of
from judging.asking.prompts import pair_predicates, predicates_about
from judging.asking.subjects import of_run
from judging.models import Call, Judge, JudgeRun, JudgeTask, RunSubject, Verdict
from work.models import RunState, TaskState

OPEN = (TaskState.WAITING, TaskState.LEASED, TaskState.HELD)

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


def runs_asked_about(release: Release, track: str, condition: str) -> QuerySet[Run]:
    """The runs of a track under a condition, "usual" for the usual one and "" for all of them."""
    runs = Run.objects.filter(release=release, track=track)
    return runs.filter(condition="" if condition == USUAL else condition) if condition else runs


def open_elsewhere(run: JudgeRun) -> QuerySet[JudgeTask]:
    """What other runs, even paused ones, are still to ask the run's judge about the same release."""
    others = JudgeRun.objects.filter(judge=run.judge_id, state__in=[RunState.RUNNING, RunState.PAUSED])
    return JudgeTask.objects.filter(of_run(run), run__in=others.exclude(pk=run.pk), state__in=OPEN)


def votes_to_come(judge: Judge, about: QuerySet[Run], predicates: Sequence[str] | None = None) -> int:
    """How many votes on the outputs of these runs, of all or of these predicates, are still to come, even of a paused
    judge: they can change what it says."""
    tasks = JudgeTask.objects.filter(run__judge=judge, output__run__in=about)
    if predicates is not None:
        tasks = tasks.filter(predicate__in=predicates)
    return tasks.filter(run__state__in=[RunState.RUNNING, RunState.PAUSED], state__in=OPEN).count()


def questions_about_outputs(
    release: Release, track: str, predicates: Sequence[str], condition: str
) -> Iterator[tuple[int, str]]:
    """(output, predicate) for all that can be judged on a track: answered outputs, on what they are asked of, and
    abstained ones on the stages that they reached."""
    protocol = get_protocol(release.benchmark.protocol)
    asked_of, reached = protocol.asked_of, protocol.reached
    answered = judgeable_outputs(release, track, condition)
    if asked_of is None:
        for output in answered.values_list("id", flat=True).iterator():
            yield from ((output, predicate) for predicate in predicates)
    else:
        for output, payload in answered.values_list("id", "payload").iterator(chunk_size=2000):
            yield from ((output, predicate) for predicate in predicates if asked_of(predicate, payload))
    if reached is None:
        return
    runs = runs_asked_about(release, track, condition)
    abstained = Output.objects.filter(run__in=runs, state=OutputState.ABSTAINED).order_by("id")
    for output, payload in abstained.values_list("id", "payload").iterator(chunk_size=2000):
        yield from ((output, predicate) for predicate in predicates if reached(predicate, payload))


def judgeable_outputs(release: Release, track: str, condition: str) -> QuerySet[Output]:
    """Answered outputs of one track, which can be judged on everything; without those that are a PDF alone."""
    runs = runs_asked_about(release, track, condition)
    answered = Output.objects.filter(run__in=runs, state=OutputState.ANSWERED)
    return answered.exclude(pk__in=only_in_files(release)).order_by("id")


def judgeable_pairs(release: Release, track: str, condition: str = "") -> Iterator[tuple[int, int]]:
    """Pairs of answered outputs to one instance by different systems with the same attempt and condition.

    The smaller id comes first; in the order of instances.
    """
    rows = (
        judgeable_outputs(release, track, condition)
        .order_by("instance_id", "attempt", "run__condition", "id")
        .values_list("id", "run__system_id", "instance_id", "attempt", "run__condition")
    )
    for _, group in groupby(rows.iterator(), key=lambda row: row[2:]):
        for one, other in combinations(group, 2):
            if one[1] != other[1]:
                yield one[0], other[0]


def newest_judge(slug: str) -> Judge | None:
    """The latest version of the judge called `slug`."""
    return Judge.objects.filter(slug=slug).order_by("-version").first()


def newest_judges() -> list[Judge]:
    """The latest version of every judge, by slug."""
    newest: dict[str, Judge] = {}
    for judge in Judge.objects.order_by("slug", "version"):
        newest[judge.slug] = judge
    return list(newest.values())


class Progress(TypedDict):
    """Counts of a run's tasks: all of them, and by state."""

    n_tasks: int
    n_waiting: int
    n_leased: int
    n_done: int
    n_failed: int
    n_held: int
    n_not_needed: int


def runs_with_progress() -> "QuerySet[WithAnnotations[JudgeRun, Progress]]":
    """Runs with counts of their tasks by state, newest first."""
    return (
        JudgeRun.objects.select_related("judge", "after", "release__benchmark", "asked_by")
        .annotate(
            n_tasks=Count("tasks"),
            n_waiting=_tasks_in(TaskState.WAITING),
            n_leased=_tasks_in(TaskState.LEASED),
            n_done=_tasks_in(TaskState.DONE),
            n_failed=_tasks_in(TaskState.FAILED),
            n_held=_tasks_in(TaskState.HELD),
            n_not_needed=_tasks_in(TaskState.NOT_NEEDED),
        )
        .order_by("-id")
    )


def _tasks_in(state: TaskState) -> Count:
    return Count("tasks", filter=Q(tasks__state=state))


class Cost(TypedDict):
    """Calls made for a run, the tokens they reported, and their cost at the judge's prices ("" without either)."""

    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: str


def run_cost(run: JudgeRun) -> Cost:
    """What a run has used so far, by the endpoint's own count of tokens."""
    sums = Call.objects.filter(task__run=run).aggregate(
        calls=Count("id"), prompt_tokens=Sum("prompt_tokens"), completion_tokens=Sum("completion_tokens")
    )
    used = use_of(run.judge, sums["prompt_tokens"] or 0, sums["completion_tokens"] or 0)
    is_silent = sums["calls"] and sums["prompt_tokens"] is None
    return Cost(
        calls=sums["calls"],
        prompt_tokens=sums["prompt_tokens"],
        completion_tokens=sums["completion_tokens"],
        cost=f"{used.cost.normalize():f}" if run.judge.prices and not is_silent else "",
    )


def verdict_counts(run: JudgeRun) -> list[dict[str, object]]:
    """Stored verdicts of the run's judge on what the run asks about, counted by predicate, state and value."""
    rows = (
        Verdict.objects.filter(of_run(run), judge=run.judge, predicate__in=run.predicates)
        .values("predicate", "state", "value")
        .annotate(n=Count("id"))
        .order_by("predicate", "state", "value")
    )
    return [dict(row) for row in rows]


def left_out(run: JudgeRun) -> dict[str, str]:
    """The predicates of the judge that a run does not ask, each with the reason."""
    protocol, applies = get_protocol(run.judge.protocol), predicates_about(run.subject, run.judge)
    diagnostic = {predicate.key for predicate in protocol.diagnostic_predicates}
    found = {}
    for predicate in run.judge.prompts:
        if predicate in run.predicates:
            continue
        if predicate not in applies:
            found[predicate] = "about outputs" if run.subject == RunSubject.INSTANCE else "about instances"
        elif run.after is not None and predicate in pair_predicates(protocol.name):
            found[predicate] = "compares two outputs, so it cannot follow another judge"
        elif run.after is not None and predicate not in run.after.prompts:
            found[predicate] = f"{run.after.label} was not asked it"
        else:
            found[predicate] = "only asked where it is named" if predicate in diagnostic else "not chosen"
    return found


def recent_errors(run: JudgeRun) -> QuerySet[JudgeTask]:
    """Tasks of a run that met an error and are not done, latest first."""
    return run.tasks.exclude(last_error="").exclude(state=TaskState.DONE).order_by("-id")[:20]
