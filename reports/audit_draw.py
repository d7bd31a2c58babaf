"""The plan of a judge audit and its draw: here, because only reports sees verdicts and experts together.

Strata are the judge's buckets within each system, named `<system>/<bucket>`. Annotation gets plain names of
strata by output and never a verdict. Abstained, failed and unavailable outputs are not in the frame.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction

from accounts.actions import record
from accounts.models import User
from accounts.refusal import Refused
from annotation.actions import create_campaign, draw_items
from annotation.models import Campaign, CampaignKind, Item
from annotation.sampling import equal_sizes
from benchmark.models import Output, Release
from benchmark.protocol import UNAVAILABLE_BUCKET, LabelledOutput
from benchmark.protocols import get_protocol
from benchmark.subjects import Subject
from reports.audit_precision import ExpectedPrecision, SystemFrame, expected_precision
from reports.datasets import PLAIN, judge_votes, labelled_outputs, output_rows, tallies
from reports.inputs import choose_judge


@dataclass(frozen=True)
class PlannedStratum:
    """`population` outputs are in the judge's bucket, `available` may be drawn, `sample` will be."""

    name: str
    population: int
    available: int
    sample: int


@dataclass(frozen=True)
class AuditPlan:
    """What a draw would do. `placement` maps the ids of the outputs that may be drawn to their stratum."""

    release: Release
    track: str
    judge: str
    strata: tuple[PlannedStratum, ...]
    placement: Mapping[int, str]
    excluded: int
    by_rule: int
    precision: tuple[ExpectedPrecision, ...]

    @property
    def sizes(self) -> dict[str, int]:
        return {stratum.name: stratum.sample for stratum in self.strata}

    @property
    def n_sampled(self) -> int:
        return sum(stratum.sample for stratum in self.strata)

    @property
    def n_available(self) -> int:
        return sum(stratum.available for stratum in self.strata)

    @property
    def sha256(self) -> str:
        """Names the plan that was shown, so that exactly this one is drawn."""
        told = [
            self.release.name,
            self.track,
            self.judge,
            str(sorted(self.placement.items())),
            str(self.sizes),
        ]
        return hashlib.sha256("\x1f".join(told).encode()).hexdigest()


def audit_buckets(release: Release, track: str, judge: str = "") -> list[str]:
    """The judge's buckets that have outputs an expert can audit, by name."""
    return sorted({name.split("/", 1)[1] for name in _frame(release, track, judge).placement.values()})


def plan_audit(
    *,
    release: Release,
    track: str = "raw",
    judge: str = "",
    per_stratum: int | None = 5,
    buckets: Collection[str] | None = None,
    exclude_campaigns: Iterable[str] = (),
) -> AuditPlan:
    """Strata and sample sizes of an audit of `judge` (may be left out when only one has spoken).

    `per_stratum` outputs of each stratum are planned, all of smaller ones; None means all. `buckets` limits
    the frame; outputs drawn in `exclude_campaigns` (slugs) are left out. Raises Refused when no judge has
    spoken, when a bucket is unknown, or when nothing is left to draw.
    """
    frame = _frame(release, track, judge)
    population = Counter(frame.placement.values())
    wanted = set(buckets) if buckets is not None else {_bucket(name) for name in population}
    _check_buckets(wanted, {_bucket(name) for name in population})
    in_frame = {pk: name for pk, name in frame.placement.items() if _bucket(name) in wanted}
    drawn = set(
        Item.objects.filter(campaign__slug__in=list(exclude_campaigns)).values_list("output_id", flat=True)
    )
    placement = {pk: name for pk, name in in_frame.items() if pk not in drawn}
    available = Counter(placement.values())
    try:
        sizes = equal_sizes(dict(sorted(available.items())), per_stratum)
    except ValueError as error:
        raise Refused(f"{str(error).capitalize()}.", code="bad_sample", field="per_stratum") from error
    if not sizes:
        raise Refused("Nothing is left to draw from.", code="nothing_to_draw")
    strata = tuple(
        PlannedStratum(name, population[name], available[name], sizes.get(name, 0))
        for name in sorted(set(in_frame.values()))
    )
    return AuditPlan(
        release=release,
        track=track,
        judge=frame.judge,
        strata=strata,
        placement=placement,
        excluded=len(in_frame) - len(placement),
        by_rule=frame.by_rule,
        precision=_precision(frame, strata),
    )


def _check_buckets(wanted: set[str], known: set[str]) -> None:
    unknown = sorted(wanted - known)
    if unknown:
        names = ", ".join(sorted(known)) or "none"
        raise Refused(
            f"There is no bucket {unknown[0]!r}; there are: {names}.", code="no_bucket", field="buckets"
        )


def _bucket(stratum: str) -> str:
    return stratum.split("/", 1)[1]


@dataclass(frozen=True)
class _Frame:
    """Auditable outputs by id with their stratum; judged successes by stratum; what is known by rule."""

    judge: str
    placement: dict[int, str]
    successes: Counter[str]
    by_rule_of: Counter[str]
    by_rule: int


def _frame(release: Release, track: str, judge: str) -> _Frame:
    chosen = choose_judge(release, track, judge)
    if chosen is None:
        raise Refused(f"{release.name} has no verdicts on track {track} to audit.", code="no_judge")
    protocol = get_protocol(release.benchmark.protocol)
    labelled = labelled_outputs(output_rows(release, track), tallies(judge_votes(release, track, chosen)))
    pks = _pks(release, track)
    placement: dict[int, str] = {}
    successes: Counter[str] = Counter()
    by_rule_of: Counter[str] = Counter()
    for subject, output in labelled.items():
        bucket = protocol.bucket(output)
        if not _auditable(output, bucket):
            by_rule_of[output.system] += bucket != UNAVAILABLE_BUCKET
            continue
        stratum = f"{output.system}/{bucket}"
        placement[pks[subject]] = stratum
        successes[stratum] += protocol.metrics[0].success(output)
    by_rule = len(labelled) - len(placement)
    return _Frame(chosen.label, placement, successes, by_rule_of, by_rule)


def _auditable(output: LabelledOutput, bucket: str) -> bool:
    return output.state == "answered" and bucket not in (UNAVAILABLE_BUCKET, "abstained")


def _pks(release: Release, track: str) -> dict[str, int]:
    rows = Output.objects.filter(run__release=release, run__track=track, run__condition=PLAIN).values_list(
        "pk", "instance__key", "run__system__slug", "attempt"
    )
    return {str(Subject(key, system, attempt, track)): pk for pk, key, system, attempt in rows}


def _precision(frame: _Frame, strata: Iterable[PlannedStratum]) -> tuple[ExpectedPrecision, ...]:
    by_system: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for stratum in strata:
        system = stratum.name.split("/", 1)[0]
        share = frame.successes[stratum.name] / stratum.population
        by_system[system].append((stratum.population, stratum.sample, share))
    return tuple(
        expected_precision(SystemFrame(system, tuple(rows), frame.by_rule_of[system]))
        for system, rows in sorted(by_system.items())
    )


@transaction.atomic
def draw_audit(
    *,
    actor: User,
    plan: AuditPlan,
    name: str,
    rubric: str,
    reviewers_per_item: int = 3,
    seed: int = 1,
    slug: str = "",
    instructions: str = "",
) -> Campaign:
    """Create an audit campaign in draft and draw its items as planned. Refuses what create_campaign refuses.

    Raises Refused when `rubric` is not for audits.
    """
    if rubric not in audit_rubrics(plan.release):
        raise Refused(f"{rubric} is not a rubric for audits of {plan.release.name}.", field="rubric")
    campaign = create_campaign(
        actor=actor,
        name=name,
        release=plan.release,
        rubric=rubric,
        reviewers_per_item=reviewers_per_item,
        track=plan.track,
        seed=seed,
        slug=slug,
        instructions=instructions,
    )
    sizes = {name: size for name, size in plan.sizes.items() if size}
    draw_items(actor=actor, campaign=campaign, strata=plan.placement, sizes=sizes)
    details = {"judge": plan.judge, "excluded": plan.excluded, "plan_sha256": plan.sha256}
    record(actor=actor, verb="draw_audit", target=campaign, details=details)
    return campaign


def audit_rubrics(release: Release) -> dict[str, str]:
    """Labels and titles of the audit rubrics of a release's protocol."""
    rubrics = get_protocol(release.benchmark.protocol).rubrics
    return {rubric.label: rubric.title for rubric in rubrics if rubric.kind == CampaignKind.AUDIT}
