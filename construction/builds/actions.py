"""The verbs of builds: begin, pause, resume, cancel, raise the budget, ask again, review, and make the release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.importing.batches import check_slug
from canonical import sha256_of
from construction.builds.kinds import DECODING, OPEN, PAPERS, STEPS, reopen
from construction.builds.repairs import check_repair
from construction.builds.strings import string_at
from construction.models import Build, BuildPaper, Candidate, Decision, Review, Source, SourceState, Step
from construction.pipeline import get_pipeline, pipeline_names
from construction.recipes.about import numbers_of
from construction.sources.queries import pairs_of
from work.budget import check_cap
from work.claims import call_for_due, take_back_expired
from work.endpoints import check_endpoint
from work.models import RunState, TaskState
from work.signal import ring
from work.steering import change_job, check_budget, check_model, steer_job

RESERVED = frozenset(("new", "recipes", "estimate"))  # addresses at the place of a build's name
_BATCH = 500


@dataclass(frozen=True)
class Plan:
    """What a build follows: `numbers` are those of the recipe that differ from ours."""

    name: str
    protocol: str
    endpoint: str
    model: str
    numbers: Mapping[str, object] = field(default_factory=dict)
    seed: int = 1
    prompt_price: Decimal = Decimal(0)
    completion_price: Decimal = Decimal(0)


def read_numbers(protocol: str, different: Mapping[str, object]) -> dict[str, object]:
    """All numbers of a recipe, of which some differ from ours. Raises Refused for those that it does not take."""
    try:
        return numbers_of(get_pipeline(protocol).recipe(different))
    except ValueError as error:
        raise Refused(str(error), code="bad_recipe", field="recipe") from error


@transaction.atomic
def begin(
    *,
    actor: User | None,
    plan: Plan,
    sources: QuerySet[Source],
    max_tokens: int | None = None,
    max_cost: Decimal | None = None,
) -> Build:
    """Queue these papers to be read, in the order of their keys. Raises Refused for a plan that cannot be followed."""
    check_slug(plan.name, "build")
    if plan.name in RESERVED:
        raise Refused(f"{plan.name} is an address of its own: choose another name.", field="name")
    if plan.protocol not in pipeline_names():
        known = ", ".join(pipeline_names())
        raise Refused(
            f"There is a recipe for each of {known}, and none for {plan.protocol!r}.", field="protocol"
        )
    numbers = read_numbers(plan.protocol, plan.numbers)
    if not 0 <= plan.seed < 2**63:
        raise Refused("A seed is a number from 0 to 2^63 - 1.", field="seed")
    pipeline = get_pipeline(plan.protocol)
    check_endpoint(plan.endpoint)
    check_model(plan)
    check_budget(plan, max_tokens, max_cost, decoding=DECODING, one="question")
    papers = list(
        sources.order_by("key", "version").only("key", "version", "sha256", "state", "domain", "main")
    )
    _check_papers(papers, pipeline.most_papers)
    pairs = pairs_of(papers)
    try:
        with transaction.atomic():
            build = Build.objects.create(
                name=plan.name,
                protocol=plan.protocol,
                recipe=numbers,
                recipe_sha256=sha256_of(numbers),
                sources_sha256=sha256_of(
                    [[paper.sha256, pairs[paper.pk]] if pairs[paper.pk] else paper.sha256 for paper in papers]
                ),
                prompts={prompt.label: prompt.sha256 for prompt in pipeline.prompts},
                seed=plan.seed,
                endpoint=plan.endpoint,
                model=plan.model.strip(),
                prompt_price=plan.prompt_price,
                completion_price=plan.completion_price,
                max_tokens=max_tokens,
                max_cost=max_cost,
                created_by=actor,
            )
    except IntegrityError as error:
        raise Refused(f"There is a build {plan.name} already.", code="name_taken", field="name") from error
    rows = [
        BuildPaper(run=build, source=paper, main=paper.main, pairs=pairs[paper.pk], ordinal=ordinal)
        for ordinal, paper in enumerate(papers)
    ]
    BuildPaper.objects.bulk_create(rows, batch_size=_BATCH)
    details = {
        "protocol": plan.protocol, "recipe_sha256": build.recipe_sha256, "papers": len(papers), "model": plan.model,
        "max_tokens": max_tokens, "max_cost": None if max_cost is None else str(max_cost),
    }  # fmt: skip
    record(actor=actor, verb="begin_build", target=build, details=details)
    transaction.on_commit(ring)
    return build


@transaction.atomic
def steer(*, actor: User | None, build: Build, to: RunState) -> None:
    """Pause, resume or cancel a build. Raises Refused when its state has changed in the meantime."""
    steer_job(actor=actor, run=build, to=to, verb=f"{to}_build", called="build")


@transaction.atomic
def raise_budget(
    *, actor: User | None, build: Build, max_tokens: int | None = None, max_cost: Decimal | None = None
) -> None:
    """Give a build another budget; None leaves one as it is. Raises Refused for one that is below what is spent."""
    locked = Build.objects.select_for_update().get(pk=build.pk)
    if locked.finished_at is not None:
        raise Refused("The build has ended.", code="wrong_state")
    check_budget(locked, max_tokens, max_cost, decoding=DECODING, one="question")
    check_cap(STEPS, locked, max_tokens, max_cost)
    change_job(actor=actor, run=build, verb="raise_budget_of_build", max_tokens=max_tokens, max_cost=max_cost)


@transaction.atomic
def ask_again(*, actor: User | None, build: Build) -> int:
    """Queue what failed once more: questions without a reply, and papers that could not be read; returns how many."""
    locked = Build.objects.select_for_update().get(pk=build.pk)
    if locked.release_id or locked.state == RunState.CANCELLED:
        raise Refused("The build was cancelled or has made its release.", code="wrong_state")
    again = {"state": TaskState.WAITING, "tries": 0, "last_error": ""}
    failed = locked.steps.filter(state=TaskState.FAILED).update(**again)
    failed += locked.papers.filter(state=TaskState.FAILED).update(**again)
    failed += locked.papers.exclude(code="").update(**again, code="", sentence="")
    if not failed:
        raise Refused("Nothing of this build failed.", code="nothing_failed")
    Build.objects.filter(pk=build.pk, state=RunState.DONE).update(state=RunState.RUNNING, finished_at=None)
    record(actor=actor, verb="ask_again_in_build", target=build, details={"tasks": failed})
    transaction.on_commit(ring)
    return failed


@transaction.atomic
def review(
    *,
    actor: User,
    candidate: Candidate,
    decision: Decision,
    reason: str,
    after: Mapping[str, str] | None = None,
) -> Review:
    """Drop a candidate that came to lines, or repair strings of them; `after` is by line and field: "0.anchor".

    What all lines have in common is repaired in all of them. A repaired text must pass what a model's must: it can be
    set, its line is an instance, an anchor gives nothing away.
    """
    build = Build.objects.select_for_update().get(papers__candidates=candidate)
    if build.release_id:
        raise Refused("The build has made its release.", code="released")
    if candidate.state != Candidate.State.MADE:
        raise Refused("Only what came to lines can be reviewed.", code="not_made")
    if not reason.strip():
        raise Refused("Give a reason.", field="reason")
    if (decision == Decision.REPAIR) != bool(after):
        raise Refused("A repair says what the strings shall be, and nothing else does.", field="after")
    before: dict[str, str] = {}
    after, common = dict(after or {}), get_pipeline(build.protocol).common
    for name, text in list(after.items()):
        number, _, path = name.partition(".")
        if number not in map(str, range(len(candidate.lines))):
            raise Refused(f"There is no line {number[:20]!r}.", field="after")
        if path not in candidate.lines[int(number)]["provenance"]:
            raise Refused(f"Line {number} has no string {path!r}.", field="after")
        alike = range(len(candidate.lines)) if path in common else [int(number)]
        for other in alike:
            before[f"{other}.{path}"] = string_at(candidate.lines[other]["line"], path)
            after.setdefault(f"{other}.{path}", text)
    check_repair(build, candidate.lines, after)
    try:
        with transaction.atomic():
            made = Review.objects.create(
                candidate=candidate, decision=decision, reason=reason.strip()[:1000], before=before,
                after=after, by=actor,
            )  # fmt: skip
    except IntegrityError as error:
        raise Refused(
            "It has already been reviewed: withdraw that decision first.", code="reviewed"
        ) from error
    record(actor=actor, verb=f"{decision}_candidate", target=candidate, details={"reason": made.reason})
    return made


@transaction.atomic
def withdraw_review(*, actor: User, candidate: Candidate, seen: int | None = None) -> None:
    """Undo the decision about a candidate; with `seen`, the number of the one that was looked at, no other."""
    build = Build.objects.select_for_update().get(papers__candidates=candidate)
    if build.release_id:
        raise Refused("The build has made its release.", code="released")
    live = candidate.reviews.filter(withdrawn_at=None).first()
    if live is None:
        raise Refused("There is no decision to withdraw.", code="not_reviewed")
    if seen not in (None, live.pk):
        raise Refused(
            "Someone has decided again in the meantime; look at that decision first.", code="meanwhile"
        )
    candidate.reviews.filter(pk=live.pk).update(withdrawn_at=timezone.now())
    record(actor=actor, verb="withdraw_review_of_candidate", target=candidate)


def reconcile_builds() -> dict[str, int]:
    """Bring back what a dead worker held, close what is finished, and call workers if something waits."""
    returned = take_back_expired(PAPERS) + take_back_expired(STEPS)
    reopen()
    running = Build.objects.filter(state=RunState.RUNNING)
    papers = BuildPaper.objects.filter(run=OuterRef("pk"), state__in=OPEN)
    steps = Step.objects.filter(run=OuterRef("pk"), state__in=OPEN)
    ended = running.exclude(Exists(papers)).exclude(Exists(steps))
    with transaction.atomic():
        # Who asks again or cancels holds the build, so what has ended is looked for once more when it is held.
        held = list(ended.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
        over = list(ended.filter(pk__in=held).values_list("pk", flat=True))
        finished = Build.objects.filter(pk__in=over).update(state=RunState.DONE, finished_at=timezone.now())
    return {"returned": returned, "finished": finished, "waiting": call_for_due(PAPERS, STEPS)}


def _check_papers(papers: list[Source], most: int | None) -> None:
    if not papers:
        raise Refused("Choose at least one source.", code="no_sources", field="sources")
    if most is not None and len(papers) > most:
        reason = f"These are {len(papers):,} sources; a build of this recipe has numbers for {most:,}. Make several."
        raise Refused(reason, code="too_many_sources", field="sources")
    for first, second in pairwise(papers):
        if first.key == second.key:
            reason = f"{first.key} is there as {first} and {second}: choose one version."
            raise Refused(reason, code="several_versions", field="sources")
    for paper in papers:
        if paper.state != SourceState.READABLE:
            raise Refused(
                f"{paper} has no main file yet, or cannot be read.", code="unreadable", field="sources"
            )
        if not paper.domain:
            raise Refused(
                f"{paper} has no domain: give it in the manifest.", code="no_domain", field="sources"
            )
