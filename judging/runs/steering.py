"""The verbs of a judge run that exists: pause, resume, cancel, retry, change priority or caps."""

from decimal import Decimal

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from judging.asking.costs import completion_limit
from judging.asking.subjects import about, of_run, subject_of
from judging.kind import JUDGING
from judging.models import Judge, JudgeRun, JudgeTask
from judging.runs.early_stop import votes_cast
from judging.runs.queries import open_elsewhere
from work.budget import check_cap, check_fits
from work.clock import shared_now
from work.models import RunState, TaskState
from work.signal import ring
from work.steering import change_job, steer_job


@transaction.atomic
def steer(*, actor: User | None, run: JudgeRun, to: RunState, reason: str = "") -> None:
    """Pause, resume or cancel a run. Raises Refused when its state has changed in the meantime."""
    steer_job(actor=actor, run=run, to=to, verb=f"{to} judge run", reason=reason)


@transaction.atomic
def retry_failed(*, actor: User | None, run: JudgeRun) -> int:
    """Put the failed tasks of a run back into the queue with fresh tries; returns how many. Raises Refused where there
    are none to ask, or the run was cancelled.

    Votes that another run has cast since, or is still to ask for, are not paid for twice.
    """
    held = JudgeRun.objects.select_for_update(no_key=True).get(pk=run.pk)  # nobody ends it meanwhile
    Judge.objects.select_for_update().get(pk=run.judge_id)  # nobody asks it for the same meanwhile
    if held.state == RunState.CANCELLED:
        raise Refused("The run was cancelled. Ask the judge again instead.", code="wrong_state")
    failed = list(run.tasks.filter(state=TaskState.FAILED))
    if not failed:
        raise Refused("The run has no failed tasks.", code="nothing_failed")
    cast = votes_cast(judges=[run.judge_id], which=of_run(run))
    asked = {subject_of(task) for task in open_elsewhere(run)}

    def is_open(task: JudgeTask) -> bool:
        subject = subject_of(task)
        return subject not in asked and task.vote not in cast.get((run.judge_id, subject), {})

    again = [task for task in failed if is_open(task)]
    for task in again:
        task.state, task.tries, task.available_at = TaskState.WAITING, 0, shared_now()
    if not again:
        reason = "Other runs have asked for these verdicts since, so there is nothing to ask again."
        raise Refused(reason, code="asked_elsewhere")
    returned = JudgeTask.objects.bulk_update(again, ["state", "tries", "available_at"], batch_size=500)
    # Votes were not needed while the failed ones counted as cast without a value.
    subjects = {subject_of(task) for task in again}
    left_out = run.tasks.filter(about(subjects), state=TaskState.NOT_NEEDED)
    needed = [task.pk for task in left_out if subject_of(task) in subjects and is_open(task)]
    run.tasks.filter(pk__in=needed).update(state=TaskState.HELD)
    JudgeRun.objects.filter(pk=run.pk, state=RunState.DONE).update(state=RunState.RUNNING, finished_at=None)
    record(actor=actor, verb="retry failed judge tasks", target=run, details={"tasks": returned})
    transaction.on_commit(ring)
    return returned


@transaction.atomic
def adjust_run(
    *,
    actor: User | None,
    run: JudgeRun,
    priority: int | None = None,
    max_tokens: int | None = None,
    max_cost: Decimal | None = None,
) -> None:
    """Give a run another priority or cap; None leaves a setting as it is.

    Raises Refused for a finished run, for a cap below what is spent or in flight, and for a cap that cannot be kept.
    """
    locked = JudgeRun.objects.select_for_update().select_related("judge").get(pk=run.pk)
    if locked.state in (RunState.DONE, RunState.CANCELLED):
        raise Refused("The run has ended.", code="wrong_state")
    check_caps(locked.judge, max_tokens, max_cost)
    check_cap(JUDGING, locked, max_tokens, max_cost)
    asked = {"priority": priority, "max_tokens": max_tokens, "max_cost": max_cost}
    if all(value is None for value in asked.values()):
        raise Refused("There is nothing to change.", code="nothing_to_change")
    change_job(actor=actor, run=run, verb="adjust judge run", **asked)


def check_caps(judge: Judge, max_tokens: int | None, max_cost: Decimal | None) -> None:
    """Raises Refused for caps that could not be enforced: replies have no limit, there are no prices, or the cap is
    more than its column holds."""
    if max_tokens is None and max_cost is None:
        return
    if judge.program:
        raise Refused("A program uses no tokens, so it has no cap.", code="cap_of_program")
    if completion_limit(judge) is None:
        raise Refused(
            f"A cap needs a judge with replies of limited length: give {judge.slug} max_tokens in its decoding.",
            code="cap_without_max_tokens",
        )
    if max_cost is not None and not judge.prices:
        raise Refused(f"A cap on cost needs prices, and {judge.slug} has none.", code="cap_without_prices")
    check_fits(max_tokens=max_tokens, max_cost=max_cost)
