"""Hard caps of a run on tokens and cost: reserved before a call is made, settled after it.

A reservation is an upper bound of what the call can use, all attempts included; what is spent and reserved
together never exceeds the cap, whatever the number of workers. A call whose fate is unknown (its worker died,
or the server never answered) counts with its whole reservation.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.db.models import F, Sum

from accounts.trail import record
from judging.asking.endpoints import declared_endpoints
from judging.asking.questions import PromptChanged, question
from judging.models import Judge, JudgeRun, JudgeTask, RunState, TaskState
from llm import PromptError

MILLION = Decimal(1_000_000)
_NONCE = "0" * 32  # of the length of the real one


@dataclass(frozen=True)
class Use:
    """Tokens, in and out together, and what they cost."""

    tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: "Use") -> "Use":
        return Use(self.tokens + other.tokens, self.cost + other.cost)

    def __mul__(self, times: int) -> "Use":
        return Use(self.tokens * times, self.cost * times)

    def __truediv__(self, parts: int) -> "Use":
        return Use(self.tokens // parts, self.cost / parts)


def completion_limit(judge: Judge) -> int | None:
    """The most tokens of a reply, by the judge's decoding; None when it sets no limit."""
    limit = judge.decoding.get("max_completion_tokens", judge.decoding.get("max_tokens"))
    return int(limit) if limit is not None else None


def use_of(judge: Judge, prompt_tokens: int, completion_tokens: int) -> Use:
    """The use of one call at the judge's prices."""
    prices = {kind: Decimal(str(judge.prices.get(kind, 0))) for kind in ("prompt", "completion")}
    cost = prompt_tokens * prices["prompt"] + completion_tokens * prices["completion"]
    return Use(prompt_tokens + completion_tokens, cost / MILLION)


def most_of_one_call(task: JudgeTask) -> Use:
    """The most that one request for a task can use; nothing for a task that cannot be asked at all."""
    judge = task.run.judge
    try:
        return use_of(judge, question(task, _NONCE).most_tokens, completion_limit(judge) or 0)
    except (PromptChanged, PromptError):
        return Use()


def attempts(judge: Judge) -> int:
    """How often the client may send one request here."""
    endpoint = declared_endpoints(settings.JUDGE_ENDPOINTS).get(judge.endpoint)
    return endpoint.max_attempts if endpoint else 1


def reserve(claimed: list[JudgeTask]) -> list[JudgeTask]:
    """Those of the claimed tasks that their runs' caps allow, each with its reservation; the rest are returned.

    A run of which nothing fits although nothing is reserved is paused with a note. Part of a claim's
    transaction.
    """
    by_run: dict[int, list[JudgeTask]] = defaultdict(list)
    for task in claimed:
        if task.run.is_capped:
            by_run[task.run_id].append(task)
    refused = {task.pk for run_id in sorted(by_run) for task in _reserve_in(run_id, by_run[run_id])}
    return [task for task in claimed if task.pk not in refused]


def _reserve_in(run_id: int, tasks: list[JudgeTask]) -> list[JudgeTask]:
    """Reserve what fits into one run, in order; returns the tasks that do not, which are waiting again."""
    run = JudgeRun.objects.select_for_update().get(pk=run_id)
    reserved = _reserved(run)
    used = Use(run.tokens_spent, run.cost_spent) + reserved
    granted = []
    for task in tasks:
        needed = most_of_one_call(task) * attempts(task.run.judge)
        if not _fits(run, used + needed):
            break
        used += needed
        task.tokens_reserved, task.cost_reserved = needed.tokens, needed.cost
        granted.append(task)
    JudgeTask.objects.bulk_update(granted, ["tokens_reserved", "cost_reserved"])
    refused = tasks[len(granted) :]
    free = {"state": TaskState.WAITING, "lease_owner": "", "lease_until": None}
    JudgeTask.objects.filter(id__in=[task.pk for task in refused]).update(**free)
    if not granted and not reserved.tokens:
        _pause(run)
    return refused


def _reserved(run: JudgeRun) -> Use:
    sums = run.tasks.filter(state=TaskState.LEASED).aggregate(
        tokens=Sum("tokens_reserved"), cost=Sum("cost_reserved")
    )
    return Use(sums["tokens"] or 0, sums["cost"] or Decimal(0))


def _fits(run: JudgeRun, used: Use) -> bool:
    return (run.max_tokens is None or used.tokens <= run.max_tokens) and (
        run.max_cost is None or used.cost <= run.max_cost
    )


def _pause(run: JudgeRun) -> None:
    spent = f"{run.tokens_spent:,} tokens and {run.cost_spent.normalize():f} are spent"
    run.note = f"The next call could exceed the run's cap: {spent}. Raise the cap to continue."
    run.state = RunState.PAUSED
    run.save(update_fields=["note", "state"])
    record(actor=None, verb="paused judge run at its cap", target=run, details={"note": run.note})


def charge(*, owner: str, uses: dict[int, Use]) -> None:
    """Book the use of tasks (by id) that `owner` still holds; what a lost lease had reserved is booked already.

    Part of the transaction that stores the results, before it frees the tasks.
    """
    if not uses:
        return
    held = JudgeTask.objects.filter(id__in=uses, state=TaskState.LEASED, lease_owner=owner)
    spent: dict[int, Use] = defaultdict(Use)
    for task_id, run_id in held.order_by("id").select_for_update().values_list("id", "run_id"):
        spent[run_id] += uses[task_id]
    _book(spent)


def forfeit(task_ids: Collection[int]) -> None:
    """Book the whole reservations of tasks whose workers died, before they are freed."""
    reserved = JudgeTask.objects.filter(id__in=task_ids, tokens_reserved__gt=0)
    spent: dict[int, Use] = defaultdict(Use)
    for run_id, tokens, cost in reserved.values_list("run_id", "tokens_reserved", "cost_reserved"):
        spent[run_id] += Use(tokens, cost)
    _book(spent)


def _book(spent: dict[int, Use]) -> None:
    for run_id in sorted(spent):
        JudgeRun.objects.filter(pk=run_id).update(
            tokens_spent=F("tokens_spent") + spent[run_id].tokens,
            cost_spent=F("cost_spent") + spent[run_id].cost,
        )
