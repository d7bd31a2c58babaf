"""The verbs of slogans: estimate, ask, pause, resume, cancel, raise the budget."""

from dataclasses import dataclass
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from search.models import Corpus, Reads, SloganRun, SloganTask
from search.slogans.kind import SLOGANS, asked_about
from search.slogans.queries import readable, unwritten
from search.slogans.wording import DECODING, prompt_of
from work.asking import MILLION
from work.budget import check_cap
from work.claims import call_for_due, take_back_expired
from work.endpoints import check_endpoint
from work.models import RunState, TaskState
from work.signal import ring
from work.steering import change_job, check_budget, check_model, steer_job

_BATCH = 500
_CHARACTERS_OF_A_TOKEN, _TOKENS_OF_A_SLOGAN = 3, 100


@dataclass(frozen=True)
class Order:
    """What is asked for: what the model reads, which model, and its prices for a million tokens."""

    reads: str
    endpoint: str
    model: str
    prompt_price: Decimal = Decimal(0)
    completion_price: Decimal = Decimal(0)


@dataclass(frozen=True)
class OrderEstimate:
    """What an order will need, about: 3 characters a token, 100 tokens a slogan.

    `left_out` are statements whose documents lack what the model is to read.
    """

    statements: int
    left_out: int
    tokens: int
    cost: str


def estimate(*, corpus: Corpus, order: Order) -> OrderEstimate:
    """The statements that an order would ask about, and its price. Raises Refused for an order that cannot be met."""
    _check(order)
    prompt = prompt_of(order.reads)
    statements = prompt_tokens = 0
    for statement in unwritten(corpus, order.reads, order.model, prompt.sha256).iterator(chunk_size=_BATCH):
        statements += 1
        sent = asked_about(statement, order.reads)
        prompt_tokens += sum(len(message["content"]) for message in sent) // _CHARACTERS_OF_A_TOKEN
    replies = statements * _TOKENS_OF_A_SLOGAN
    cost = (prompt_tokens * order.prompt_price + replies * order.completion_price) / MILLION
    left_out = corpus.statements.count() - readable(corpus, order.reads).count()
    return OrderEstimate(statements, left_out, prompt_tokens + replies, f"{cost:.2f}")


@transaction.atomic
def ask_for_slogans(
    *,
    actor: User | None,
    corpus: Corpus,
    order: Order,
    max_tokens: int | None = None,
    max_cost: Decimal | None = None,
) -> SloganRun:
    """Queue a task for each statement that has no slogan of this model and prompt yet, within a budget.

    Raises Refused without a budget, for a budget in money without prices, and if nothing is left to be written.
    """
    _check(order)
    check_budget(order, max_tokens, max_cost, decoding=DECODING, one="slogan")
    prompt = prompt_of(order.reads)
    chosen = unwritten(corpus, order.reads, order.model, prompt.sha256)
    numbers = list(chosen.values_list("pk", flat=True))
    if not numbers:
        missing = corpus.statements.count() - readable(corpus, order.reads).count()
        reason = "There is nothing to write: every statement has its slogan"
        reason += f", or its document has no {order.reads}." if missing else "."
        raise Refused(reason, code="nothing_to_write")
    try:
        with transaction.atomic():
            run = SloganRun.objects.create(
                corpus=corpus,
                created_by=actor,
                prompt_sha256=prompt.sha256,
                max_tokens=max_tokens,
                max_cost=max_cost,
                **vars(order),
            )
    except IntegrityError as error:
        reason = f"Slogans of {corpus.slug} that read the same are being written. Cancel that run first."
        raise Refused(reason, code="running") from error
    SloganTask.objects.bulk_create(
        [SloganTask(run=run, statement_id=number) for number in numbers], batch_size=_BATCH
    )
    details = {
        "corpus": corpus.slug, "reads": order.reads, "model": order.model, "statements": len(numbers),
        "max_tokens": max_tokens, "max_cost": None if max_cost is None else str(max_cost),
    }  # fmt: skip
    record(actor=actor, verb="write_slogans", target=run, details=details)
    transaction.on_commit(ring)
    return run


@transaction.atomic
def steer(*, actor: User | None, run: SloganRun, to: RunState) -> None:
    """Pause, resume or cancel a run. Raises Refused when its state has changed in the meantime."""
    steer_job(actor=actor, run=run, to=to, verb=f"{to}_slogans")


@transaction.atomic
def raise_budget(
    *,
    actor: User | None,
    run: SloganRun,
    max_tokens: int | None = None,
    max_cost: Decimal | None = None,
) -> None:
    """Give a run another budget; None leaves one as it is. Raises Refused for one that is below what is spent."""
    locked = SloganRun.objects.select_for_update().get(pk=run.pk)
    if locked.finished_at is not None:
        raise Refused("The run has ended.", code="wrong_state")
    check_budget(locked, max_tokens, max_cost, decoding=DECODING, one="slogan")
    check_cap(SLOGANS, locked, max_tokens, max_cost)
    change_job(actor=actor, run=run, verb="raise_budget_of_slogans", max_tokens=max_tokens, max_cost=max_cost)


def reconcile_slogans() -> dict[str, int]:
    """Bring back what a dead worker held, close what is finished, and call workers if something waits."""
    returned = take_back_expired(SLOGANS)
    unfinished = SloganTask.objects.filter(state__in=[TaskState.WAITING, TaskState.LEASED])
    running = SloganRun.objects.filter(state=RunState.RUNNING)
    ended = running.exclude(id__in=unfinished.values("run_id"))
    finished = ended.update(state=RunState.DONE, finished_at=timezone.now())
    return {"returned": returned, "finished": finished, "waiting": call_for_due(SLOGANS)}


def _check(order: Order) -> None:
    if order.reads not in Reads.values:
        known = ", ".join(Reads.values)
        raise Refused(f"A model reads one of {known}, not {order.reads!r}.", field="reads")
    check_endpoint(order.endpoint)
    check_model(order)
