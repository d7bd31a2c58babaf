"""What every job can be told: to pause, go on or end, and how much it may use."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Protocol

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from work.budget import check_fits
from work.kinds import Run
from work.models import RunState
from work.signal import ring

MOVES = {"pause": RunState.PAUSED, "resume": RunState.RUNNING, "cancel": RunState.CANCELLED}
_FROM = {
    RunState.PAUSED: {RunState.RUNNING},
    RunState.RUNNING: {RunState.PAUSED},
    RunState.CANCELLED: {RunState.RUNNING, RunState.PAUSED},
}


class Priced(Protocol):
    """What asks one model: a job, or the order of one."""

    @property
    def model(self) -> str: ...
    @property
    def prompt_price(self) -> Decimal: ...
    @property
    def completion_price(self) -> Decimal: ...


def steer_job(
    *, actor: User | None, run: Run, to: RunState, verb: str, reason: str = "", called: str = "run"
) -> None:
    """Pause, resume or cancel a job. Raises Refused when its state has changed in the meantime."""
    changed = (
        type(run)
        .objects.filter(pk=run.pk, state__in=_FROM[to])
        .update(state=to, finished_at=timezone.now() if to == RunState.CANCELLED else None, note="")
    )
    if not changed:
        now = type(run).objects.values_list("state", flat=True).get(pk=run.pk)
        done = "resumed" if to == RunState.RUNNING else to
        raise Refused(f"The {called} is {now}, so it cannot be {done}.", code="wrong_state")
    record(actor=actor, verb=verb, target=run, reason=reason)
    transaction.on_commit(ring)


def change_job(*, actor: User | None, run: Run, verb: str, **asked: int | Decimal | None) -> None:
    """Give a job, which is locked, another priority or other caps; None leaves one as it is."""
    changes = {name: value for name, value in asked.items() if value is not None}
    type(run).objects.filter(pk=run.pk).update(**changes)
    details = {name: str(value) for name, value in changes.items()}
    record(actor=actor, verb=verb, target=run, details=details)


def check_model(asked: Priced) -> None:
    """Raises Refused for a model without a name, and for prices below 0."""
    if not asked.model.strip():
        raise Refused("Name the model as its server does.", field="model")
    if min(asked.prompt_price, asked.completion_price) < 0:
        raise Refused("A price is not negative.", field="prompt_price")


def check_budget(
    asked: Priced,
    max_tokens: int | None,
    max_cost: Decimal | None,
    *,
    decoding: Mapping[str, object],
    one: str,
) -> None:
    """Raises Refused for no budget, and for one that cannot be kept or is not enough for a single call."""
    if max_tokens is None and max_cost is None:
        raise Refused("Give a budget, in tokens or in money.", code="no_budget", field="max_cost")
    least = int(str(decoding["max_tokens"]))
    if max_tokens is not None and max_tokens <= least:
        reason = f"This budget is not enough for one {one}, whose reply alone may have {least:,} tokens."
        raise Refused(reason, code="small_budget", field="max_tokens")
    if max_cost is not None and max_cost <= 0:
        raise Refused(f"This budget is not enough for one {one}.", code="small_budget", field="max_cost")
    if max_cost is not None and not (asked.prompt_price or asked.completion_price):
        raise Refused("A budget in money needs prices.", code="no_prices", field="prompt_price")
    check_fits(max_tokens=max_tokens, max_cost=max_cost)
