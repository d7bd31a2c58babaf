"""The verbs of solving: make a solver, begin a run, steer it, raise its cap, and bring back what dead workers held."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.importing.batches import check_slug
from benchmark.models import FrozenTuple, Instance, Release
from benchmark.protocols import get_protocol
from canonical import sha256_of
from solvers.recipe import BadSettings, Recipe, get_recipe, recipe_names
from solving.models import Attempt, AttemptState, Material, Solver, SolveRun, Step
from solving.runs.kinds import ASKS, TOOLS
from solving.runs.roles import check_cached_price, check_decoding, endpoints_of, is_priced, read_roles
from solving.runs.settlement import LOADED, advance
from solving.runs.stored import is_outdated
from solving.tools.reading import sources_of
from work.budget import MOST, check_cap, check_fits
from work.claims import call_for_due, take_back_expired
from work.clock import shared_now
from work.endpoints import check_endpoint
from work.models import RunState, TaskState
from work.signal import ring
from work.steering import change_job, check_model, steer_job

_BATCH = 200


@dataclass(frozen=True)
class System:
    """What a solver is made of. `settings` are those of the recipe that differ from its defaults.

    `roles` names roles of the recipe that have a model of their own: model, and if wanted endpoint, decoding, prices.
    """

    slug: str
    recipe: str
    endpoint: str
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    decoding: Mapping[str, Any] = field(default_factory=dict)
    family: str = ""
    training_cutoff: date | None = None
    prompt_price: Decimal = Decimal(0)
    completion_price: Decimal = Decimal(0)
    cached_price: Decimal | None = None
    roles: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Order:
    """What a run does: which attempts, what each may use, and what it is given besides the problem."""

    release: Release
    track: str = "raw"
    condition: str = ""
    split: str = ""
    keys: Sequence[str] = ()
    attempts: int = 1
    attempt_tokens: int | None = None
    attempt_cost: Decimal | None = None
    attempt_seconds: int | None = None
    rule: str = "hard"
    max_tokens: int | None = None
    max_cost: Decimal | None = None
    artifact: FrozenTuple | None = None
    bank: Material | None = None
    blocked: Material | None = None
    seed: int = 1
    priority: int = 0


@transaction.atomic
def make_solver(*, actor: User | None, system: System) -> Solver:
    """The solver with exactly these settings: the one that exists, or else a new version under its slug."""
    check_slug(system.slug, "solver", limit=80)
    recipe = _recipe(system.recipe)
    try:
        read = recipe.read_settings(system.settings)
    except BadSettings as error:
        raise Refused(str(error), code="bad_settings", field="settings") from error
    check_endpoint(system.endpoint)
    roles = read_roles(recipe, system.roles, system.endpoint)
    for role in roles.values():
        check_endpoint(role["endpoint"], field="roles")
    check_model(system)
    for name, most in (("model", 200), ("family", 100)):  # as the columns have them
        if len(getattr(system, name)) > most:
            raise Refused(f"The name of a {name} has at most {most} characters.", field=name)
    check_cached_price(system.cached_price, system.prompt_price)
    check_decoding(system.decoding)
    content = {
        "recipe": recipe.name, "recipe_sha256": recipe.sha256, "settings": read.model_dump(mode="json"),
        "endpoint": system.endpoint, "model": system.model.strip(), "decoding": dict(system.decoding),
        "family": system.family, "training_cutoff": system.training_cutoff,
        "prompt_price": system.prompt_price, "completion_price": system.completion_price,
        "cached_price": system.cached_price, "roles": roles,
    }  # fmt: skip
    plain = {
        **content, "slug": system.slug,
        "training_cutoff": system.training_cutoff.isoformat() if system.training_cutoff else None,
        "prompt_price": f"{system.prompt_price.normalize():f}",
        "completion_price": f"{system.completion_price.normalize():f}",
    }  # fmt: skip
    # Left out where not given, so that solvers from before there was a cached price, or roles, keep their hashes.
    if system.cached_price is None:
        del plain["cached_price"]
    else:
        plain["cached_price"] = f"{system.cached_price.normalize():f}"
    if not roles:
        del plain["roles"]
    digest = sha256_of(plain)
    if known := Solver.objects.filter(sha256=digest).first():
        return known
    last = Solver.objects.filter(slug=system.slug).aggregate(last=Max("version"))["last"] or 0
    try:
        with transaction.atomic():
            made = Solver.objects.create(
                slug=system.slug, version=last + 1, sha256=digest, created_by=actor, **content
            )
    except IntegrityError as error:
        raise Refused(
            "Another version was made at the same time. Try again.", code="busy", field="slug"
        ) from error
    record(actor=actor, verb="make_solver", target=made, details={"name": made.name, "sha256": digest})
    return made


@transaction.atomic
def begin(*, actor: User | None, solver: Solver, order: Order) -> SolveRun:
    """Queue the first steps of all attempts. Raises Refused for an order that cannot be carried out."""
    release = order.release
    if is_outdated(solver):
        reason = f"The recipe {solver.recipe} has changed since {solver.name} was made. Make a new version."
        raise Refused(reason, code="outdated", field="solver")
    check_protocol(solver, order)
    for endpoint in endpoints_of(solver):
        check_endpoint(endpoint, field="solver")
    instances = chosen_instances(order)
    _check_materials(order)
    if not 0 <= order.seed < 2**63:
        raise Refused("A seed is a number from 0 to 2^63 - 1.", field="seed")
    max_tokens, max_cost = checked_budget(solver, order, len(instances) * order.attempts)
    run = SolveRun.objects.create(
        solver=solver,
        release=release,
        track=order.track,
        condition=order.condition,
        split=order.split,
        attempts_each=order.attempts,
        attempt_tokens=order.attempt_tokens,
        attempt_cost=order.attempt_cost,
        attempt_seconds=order.attempt_seconds,
        rule=order.rule,
        max_tokens=max_tokens,
        max_cost=max_cost,
        artifact=order.artifact,
        bank=order.bank,
        blocked=order.blocked,
        seed=order.seed,
        priority=order.priority,
        endpoint=solver.endpoint,
        model=solver.model,
        prompt_price=solver.prompt_price,
        completion_price=solver.completion_price,
        cached_price=solver.cached_price,
        created_by=actor,
    )
    sources_of(run)  # a file that cannot be read is refused now, not in a worker
    rows = [
        Attempt(run=run, instance=instance, number=number)
        for instance in instances
        for number in range(1, order.attempts + 1)
    ]
    Attempt.objects.bulk_create(rows, batch_size=500)
    for start in range(0, len(rows), _BATCH):
        ids = [one.pk for one in rows[start : start + _BATCH]]
        advance(Attempt.objects.filter(pk__in=ids).select_related(*LOADED).order_by("pk"))
    details = {
        "solver": solver.name, "release": release.name, "attempts": len(rows), "max_tokens": max_tokens,
        "max_cost": None if max_cost is None else str(max_cost),
    }  # fmt: skip
    record(actor=actor, verb="begin_solve_run", target=run, details=details)
    transaction.on_commit(ring)
    return run


@transaction.atomic
def steer(*, actor: User | None, run: SolveRun, to: RunState) -> None:
    """Pause, resume or cancel a run. What is stored stays; cancelled attempts cannot be published."""
    if to == RunState.CANCELLED:
        # Attempts, steps and the run, in this order: so do workers that store results or claim steps.
        open_ones = Attempt.objects.filter(run=run).exclude(state=AttemptState.ENDED)
        list(open_ones.order_by("pk").select_for_update().values_list("pk"))
        open_ones.update(
            state=AttemptState.ENDED,
            ended_because=Attempt.Because.CANCELLED,
            outcome=Attempt.Outcome.FAILED,
            ended_at=timezone.now(),
            note="",
        )
        run.steps.filter(state__in=[TaskState.WAITING, TaskState.HELD]).update(state=TaskState.NOT_NEEDED)
    steer_job(actor=actor, run=run, to=to, verb=f"{to}_solve_run")


@transaction.atomic
def raise_budget(
    *, actor: User | None, run: SolveRun, max_tokens: int | None = None, max_cost: Decimal | None = None
) -> None:
    """Give a run another cap; None leaves one as it is. What each attempt may use is fixed from the start."""
    locked = SolveRun.objects.select_for_update(of=("self",)).select_related("solver").get(pk=run.pk)
    if locked.finished_at is not None:
        raise Refused("The run has ended.", code="wrong_state")
    check_cap(ASKS, locked, max_tokens, max_cost)
    if max_cost is not None and not is_priced(locked.solver):
        raise Refused("A budget in money needs prices.", code="no_prices", field="max_cost")
    if max_tokens is None and max_cost is None:
        raise Refused("Give a new cap, in tokens or in money.", code="no_budget", field="max_tokens")
    change_job(
        actor=actor, run=run, verb="raise_budget_of_solve_run", max_tokens=max_tokens, max_cost=max_cost
    )


def reconcile_solving() -> dict[str, int]:
    """Bring back what dead workers held, go on with attempts that were paused for another version of their recipe,
    close what is finished, and call workers if something waits."""
    back = 0
    for kind in (ASKS, TOOLS):
        with transaction.atomic():
            # Attempts before steps, as a worker that stores results locks them.
            expired = kind.tasks.objects.filter(state=TaskState.LEASED, lease_until__lt=shared_now())
            ids = set(expired.values_list("attempt_id", flat=True))
            list(Attempt.objects.filter(pk__in=ids).order_by("pk").select_for_update().values_list("pk"))
            back += take_back_expired(kind)
    resumed = 0
    # Attempts go on when the code that they began with runs again.
    for solver in Solver.objects.filter(runs__attempts__state=AttemptState.PAUSED).distinct():
        if is_outdated(solver):
            continue
        with transaction.atomic():
            paused = Attempt.objects.filter(run__solver=solver, state=AttemptState.PAUSED).order_by("pk")
            rows = list(paused.select_for_update(of=("self",)).select_related(*LOADED))
            for attempt in rows:
                attempt.state, attempt.note = AttemptState.RUNNING, ""
            Attempt.objects.bulk_update(rows, ["state", "note"])
            held = Step.objects.filter(attempt__in=rows, state=TaskState.HELD)
            held.update(state=TaskState.WAITING, available_at=shared_now())
            advance(rows)
            resumed += len(rows)
    finished = close_finished(SolveRun.objects.filter(state__in=[RunState.RUNNING, RunState.PAUSED]))
    waiting = call_for_due(ASKS, TOOLS)
    return {"returned": back, "resumed": resumed, "finished": finished, "waiting": waiting}


def close_finished(runs: QuerySet[SolveRun]) -> int:
    """Those of these runs are done whose attempts have all ended; returns how many."""
    unfinished = Attempt.objects.filter(run=OuterRef("pk")).exclude(state=AttemptState.ENDED)
    over = list(runs.exclude(Exists(unfinished)).values_list("pk", flat=True))
    return runs.filter(pk__in=over).update(state=RunState.DONE, finished_at=timezone.now(), note="")


def check_protocol(solver: Solver, order: Order) -> None:
    """Refuse a release, a track or a condition that the solver's recipe does not work on."""
    protocol = get_protocol(order.release.benchmark.protocol)
    recipe = _recipe(solver.recipe)
    if protocol.solving is None or protocol.name not in recipe.protocols:
        named = ", ".join(recipe.protocols)
        raise Refused(
            f"{solver.name} works on releases of {named}; {order.release.name} is one of {protocol.name}.",
            code="other_protocol",
            field="release",
        )
    conditions = protocol.solving.tracks.get(order.track)
    if conditions is None:
        known = ", ".join(protocol.solving.tracks)
        raise Refused(
            f"There is no track {order.track!r}. Choose one of {known}.", code="no_track", field="track"
        )
    if order.condition not in conditions:
        known = ", ".join(one for one in conditions if one)
        choice = f"Choose one of {known}" if known else "Choose no condition"
        empty = ", or leave it empty" if known and "" in conditions else ""
        reason = f"The track {order.track} has no condition {order.condition!r}. {choice}{empty}."
        raise Refused(reason, code="no_condition", field="condition")
    if not 1 <= order.attempts <= protocol.solving.attempts:
        raise Refused(
            f"Between 1 and {protocol.solving.attempts} attempts are possible.",
            code="attempts",
            field="attempts",
        )


def chosen_instances(order: Order) -> list[Instance]:
    """The instances of an order, by key. Raises Refused for names that the release does not have."""
    chosen = order.release.instances.order_by("key")
    if order.split:
        chosen = chosen.filter(split=order.split)
    found = list(chosen.defer("payload"))
    if keys := set(order.keys):
        found = [one for one in found if one.key in keys]
    if missing := sorted(keys - {one.key for one in found}):
        raise Refused(
            f"{order.release.name} has no instance {missing[0]!r}.", code="no_instance", field="keys"
        )
    if not found:
        raise Refused("There is nothing to solve in this selection.", code="no_instances", field="split")
    return found


def checked_budget(solver: Solver, order: Order, attempts: int) -> tuple[int | None, Decimal | None]:
    """The caps of the whole run: as given, else what all attempts together may use. Raises Refused."""
    if order.rule not in SolveRun.Rule.values:
        raise Refused(f"Choose one of {', '.join(SolveRun.Rule.values)}.", code="bad_rule", field="rule")
    bounds = {
        "attempt_tokens": order.attempt_tokens, "attempt_cost": order.attempt_cost,
        "attempt_seconds": order.attempt_seconds, "max_tokens": order.max_tokens, "max_cost": order.max_cost,
    }  # fmt: skip
    for name, value in bounds.items():
        if value is not None and value <= 0:
            raise Refused("A budget must be more than 0.", code="small_budget", field=name)
    check_fits(**bounds)
    if all(value is None for value in (order.attempt_tokens, order.attempt_cost, order.attempt_seconds)):
        reason = "Say what each attempt may use, in tokens, money or seconds."
        raise Refused(reason, code="no_budget", field="attempt_tokens")
    if (order.attempt_cost is not None or order.max_cost is not None) and not is_priced(solver):
        raise Refused("A budget in money needs prices.", code="no_prices", field="attempt_cost")
    max_tokens, max_cost = order.max_tokens, order.max_cost
    if max_tokens is None and max_cost is None:
        max_tokens = order.attempt_tokens * attempts if order.attempt_tokens is not None else None
        max_cost = order.attempt_cost * attempts if order.attempt_cost is not None else None
    if max_tokens is None and max_cost is None:
        reason = "Say what the whole run may use, in tokens or money."
        raise Refused(reason, code="no_budget", field="max_tokens")
    if (max_tokens or 0) > MOST["tokens"] or (max_cost or 0) > MOST["cost"]:
        reason = "All attempts together could use more than can be counted. Give the whole run a smaller cap."
        raise Refused(reason, code="large_budget", field="max_tokens")
    return max_tokens, max_cost


def _check_materials(order: Order) -> None:
    if order.artifact is not None and order.artifact.release_id != order.release.pk:
        raise Refused("The frozen tuple belongs to another release.", code="other_release", field="artifact")
    for field_name, kind in (("bank", Material.Kind.BANK), ("blocked", Material.Kind.BLOCKED)):
        material: Material | None = getattr(order, field_name)
        if material is not None and material.kind != kind:
            raise Refused(
                f"{material.name} is not a {kind.label.lower()}.", code="other_kind", field=field_name
            )


def _recipe(name: str) -> Recipe:
    try:
        return get_recipe(name)
    except KeyError as error:
        known = ", ".join(recipe_names())
        raise Refused(
            f"There is no recipe {name!r}; there are {known}.", code="no_recipe", field="recipe"
        ) from error
