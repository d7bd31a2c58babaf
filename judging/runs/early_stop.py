"""Votes are only asked for while they can change the majority; the rest are held back, and then not needed."""

from collections import Counter, defaultdict
from collections.abc import Collection

from django.db.models import Q

from judging.asking.subjects import FIELDS, Subject, about, subject_of
from judging.models import JudgeTask, Verdict
from llm import fewest_more
from work.models import TaskState

Question = tuple[int, Subject]  # run, subject
_NOT_ANSWERED = (TaskState.FAILED, TaskState.WAITING, TaskState.LEASED)


def advance(questions: Collection[Question]) -> None:
    """Release the next held votes of these questions once all before them have ended, or end them as not needed.

    Part of the transaction that stores results. The held tasks are locked first: of two workers that store
    two votes of a question at the same time, the second sees the first one's vote.
    """
    tasks = (
        JudgeTask.objects.filter(
            about(subject for _, subject in questions),
            run_id__in={run for run, _ in questions},
            state=TaskState.HELD,
        )
        .select_for_update(of=("self",))
        .select_related("run__judge")
        .order_by("id")
    )
    held: dict[Question, list[JudgeTask]] = defaultdict(list)
    for task in tasks:
        if question_of(task) in questions:
            held[question_of(task)].append(task)
    if not held:
        return
    # votes stored for the judge, and this run's tasks that failed for good or are still to end
    runs = {kept[0].run_id: kept[0].run for kept in held.values()}
    which = about(subject for _, subject in held)
    said = votes_cast(judges={run.judge_id for run in runs.values()}, which=which)
    failed: dict[Question, set[int]] = defaultdict(set)
    open_tasks: Counter[Question] = Counter()
    for task in JudgeTask.objects.filter(which, run__in=runs, state__in=_NOT_ANSWERED):
        if task.state == TaskState.FAILED:
            failed[question_of(task)].add(task.vote)
        else:
            open_tasks[question_of(task)] += 1
    released, ended = [], []
    for (run_id, subject), kept in held.items():
        cast = said[runs[run_id].judge_id, subject]
        known = [*cast.values(), *[None] * len(failed[run_id, subject] - cast.keys())]
        more = fewest_more(known, planned=runs[run_id].judge.votes)
        if more == 0:
            ended += kept
        elif open_tasks[run_id, subject] == 0:  # what is open may settle it, or make a majority impossible
            released += kept[:more]
    _move(released, TaskState.WAITING)
    _move(ended, TaskState.NOT_NEEDED)


def question_of(task: JudgeTask) -> Question:
    """What a task casts a vote on."""
    return task.run_id, subject_of(task)


def votes_cast(*, judges: Collection[int], which: Q) -> dict[tuple[int, Subject], dict[int, str | None]]:
    """(judge, subject) to value by vote, of the verdicts that `which` selects; None for a vote without value."""
    cast: dict[tuple[int, Subject], dict[int, str | None]] = defaultdict(dict)
    rows = Verdict.objects.filter(which, judge__in=judges)
    for judge, vote, value, *subject in rows.values_list("judge_id", "vote", "value", *FIELDS):
        cast[judge, Subject(*subject)][vote] = value or None
    return cast


def _move(tasks: list[JudgeTask], state: TaskState) -> None:
    if tasks:
        JudgeTask.objects.filter(id__in=[task.pk for task in tasks]).update(state=state)
