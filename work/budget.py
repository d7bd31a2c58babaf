"""Hard caps of a run on tokens and cost: reserved before a call is made, settled after it.

A reservation is an upper bound of what the call can use, all attempts included; what is spent and reserved
together never exceeds the cap, whatever the number of workers. A call whose fate is unknown (its worker died,
or the server never answered) counts with its whole reservation.
"""

from collections import defaultdict
from collections.abc import Collection
from decimal import ROUND_UP, Decimal

from django.db.models import F, Q, Sum

from accounts.refusal import Refused
from work.kinds import Kind, Run, Task, Use
from work.models import RunState, TaskState

_LEAST_COST = Decimal("0.000001")
# Of a cap: what the columns hold.
MOST = {"tokens": Decimal(2**62), "cost": Decimal("9999999999.999999"), "seconds": Decimal(10**8)}


def reserve(kind: Kind, claimed: list[Task]) -> list[Task]:
    """Those of the claimed tasks that their runs' caps allow, each with its reservation; the rest are returned.

    A run of which nothing fits although nothing is reserved is paused with a note. Part of a claim's
    transaction.
    """
    by_run: dict[int, list[Task]] = defaultdict(list)
    for task in claimed:
        by_run[task.run_id].append(task)
    free = {"state": TaskState.WAITING, "lease_owner": "", "lease_until": None}
    refused: set[int] = set()
    # The runs are held, and read as they are now: who gives one its first cap waits for this claim, or came before it.
    for run in kind.runs.objects.select_for_update().filter(pk__in=by_run).order_by("pk"):
        if not run.is_capped:
            continue
        reserved = _reserved(kind, run)
        used = Use(run.tokens_spent, run.cost_spent) + reserved
        granted: list[Task] = []
        for task in by_run[run.pk]:
            most = kind.most(task)
            needed = Use(most.tokens, as_booked(most.cost))
            used += needed
            if run.max_tokens is not None and used.tokens > run.max_tokens:
                break
            if run.max_cost is not None and used.cost > run.max_cost:
                break
            task.tokens_reserved, task.cost_reserved = needed.tokens, needed.cost
            granted.append(task)
        if kind.bounds:
            tokens, cost = kind.bounds
            rows = kind.tasks.objects.filter(id__in=[task.pk for task in granted])
            rows.update(tokens_reserved=F(tokens), cost_reserved=F(cost))
        else:
            kind.tasks.objects.bulk_update(granted, ["tokens_reserved", "cost_reserved"])
        beyond = [task.pk for task in by_run[run.pk][len(granted) :]]
        kind.tasks.objects.filter(id__in=beyond).update(**free)
        refused.update(beyond)
        if not granted and not reserved.tokens:
            spent = f"{run.tokens_spent:,} tokens and {run.cost_spent.normalize():f} are spent"
            more = f"it may take {needed.tokens:,} tokens and {needed.cost.normalize():f}"
            run.note = (
                f"The next call could exceed the run's cap: {spent}, {more}. Raise the cap to continue."
            )
            run.state = RunState.PAUSED
            run.save(update_fields=["note", "state"])
            kind.paused(run)
    return [task for task in claimed if task.pk not in refused]


def check_fits(**caps: int | float | Decimal | None) -> None:
    """Raises Refused for a cap, given by the name of its field, that is more than its column holds."""
    for name, cap in caps.items():
        most = MOST[name.rpartition("_")[2]]
        if cap is not None and cap > most:
            raise Refused(f"A budget is at most {most:,}.", code="large_budget", field=name)


def check_cap(kind: Kind, run: Run, max_tokens: int | None, max_cost: Decimal | None) -> None:
    """Raises Refused for a cap below what a run, which is locked, has used and what its calls in flight may use.

    Nothing is reserved for the calls of a run without a cap, so its first cap has to wait for those in flight.
    """
    wanted = max_tokens is not None or max_cost is not None
    flying = kind.tasks.objects.filter(run=run, state=TaskState.LEASED).count() if wanted else 0
    if flying and not run.is_capped:
        raise Refused(
            f"Nothing is reserved for calls that are in flight ({flying}). Pause the run, and give it a budget when "
            "they have ended.",
            code="calls_in_flight",
        )
    used = Use(run.tokens_spent, run.cost_spent) + _reserved(kind, run)
    if max_tokens is not None and max_tokens < used.tokens:
        raise Refused(f"{used.tokens:,} tokens are already spent or in flight.", code="cap_below_spent")
    if max_cost is not None and max_cost < used.cost:
        reason = f"{used.cost.normalize():f} is already spent or in flight."
        raise Refused(reason, code="cap_below_spent")


def _reserved(kind: Kind, run: Run) -> Use:
    sums = kind.tasks.objects.filter(run=run, state=TaskState.LEASED).aggregate(
        tokens=Sum("tokens_reserved"), cost=Sum("cost_reserved")
    )
    return Use(sums["tokens"] or 0, sums["cost"] or Decimal(0))


def charge(
    tasks: type[Task], runs: type[Run], *, owner: str, uses: dict[int, Use], ended: Collection[int] = ()
) -> None:
    """Book the use of tasks (by id) that `owner` still holds; what a lost lease had reserved is booked already.

    Of those that are `ended` now, and that another worker is asking about meanwhile, its reservation is booked: it
    holds them no longer when its reply comes. Part of the transaction that stores the results, before it frees the
    tasks.
    """
    if not uses:
        return
    counted = Q(id__in=uses, lease_owner=owner) | Q(id__in=ended)
    held = tasks.objects.filter(counted, state=TaskState.LEASED).order_by("id").select_for_update()
    spent: dict[int, Use] = defaultdict(Use)
    columns = "id", "run_id", "lease_owner", "tokens_reserved", "cost_reserved"
    for task_id, run_id, holder, tokens, cost in held.values_list(*columns):
        spent[run_id] += uses[task_id] if holder == owner else Use(tokens, cost)
    _book(runs, spent)


def forfeit(kind: Kind, task_ids: Collection[int]) -> None:
    """Book the whole reservations of tasks whose workers died, before they are freed; of runs without a cap, for
    which nothing is reserved, what it would have been."""
    held = kind.tasks.objects.filter(id__in=task_ids)
    spent: dict[int, Use] = defaultdict(Use)
    reserved = held.filter(tokens_reserved__gt=0)
    for run_id, tokens, cost in reserved.values_list("run_id", "tokens_reserved", "cost_reserved"):
        spent[run_id] += Use(tokens, cost)
    for task in held.filter(run__max_tokens=None, run__max_cost=None).prefetch_related(*kind.loaded):
        spent[task.run_id] += kind.most(task)
    _book(kind.runs, spent)


def as_booked(cost: Decimal) -> Decimal:
    """A cost with the places of its column, rounded up: PostgreSQL would round what is cheap to nothing."""
    return cost.quantize(_LEAST_COST, ROUND_UP)


def _book(runs: type[Run], spent: dict[int, Use]) -> None:
    for run_id in sorted(spent):
        runs.objects.filter(pk=run_id).update(
            tokens_spent=F("tokens_spent") + spent[run_id].tokens,
            cost_spent=F("cost_spent") + as_booked(spent[run_id].cost),
        )
