"""The plan of a judge audit and its draw: here, because only reports sees verdicts and experts together.

Annotation gets plain names of strata by output and never a verdict.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns.actions import create_campaign, draw_items
from annotation.models import Campaign, CampaignKind, Item
from annotation.rubrics.available import known_rubrics
from benchmark.models import Release
from benchmark.releases.queries import excluded_outputs
from benchmark.subjects import USUAL
from reports.audit.frame import SYSTEM_BUCKET, AuditFrame, audit_frame
from reports.audit.precision import Expected, ExpectedPrecision, expected_precision
from reports.audit.sizes import PerStratum, Wanted
from reports.core.datasets import PLAIN
from stats.analyses.plans import strata_plan
from stats.planning.allocations import PlannedStratum
from stats.planning.sizes import MIN_PER_STRATUM


@dataclass(frozen=True)
class DrawnStratum:
    """`population` outputs are in the judge's bucket, `available` may be drawn, `sample` will be."""

    name: str
    population: int
    available: int
    sample: int


@dataclass(frozen=True)
class AuditPlan:
    """What a draw would do. `placement` maps the ids of the outputs that may be drawn to their stratum.

    `expected` are the strata that may be drawn from, with what one thinks an audit of them will find; `precision` also
    counts what earlier audits found. `excluded` is how many of the frame may not be drawn; `leaves_out` are the
    campaigns that had drawn some of them, `systems` those of which anything is in a bucket.
    """

    release: Release
    track: str
    condition: str
    judge: str
    by: str
    strata: tuple[DrawnStratum, ...]
    expected: tuple[PlannedStratum, ...]
    placement: Mapping[int, str]
    excluded: int
    systems: frozenset[str]
    leaves_out: frozenset[str]
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
            self.condition,
            self.judge,
            str(sorted(self.placement.items())),
            str(self.sizes),
        ]
        return hashlib.sha256("\x1f".join(told).encode()).hexdigest()


def audit_buckets(release: Release, track: str, judge: str = "", condition: str = PLAIN) -> list[str]:
    """The judge's buckets that have outputs an expert can audit, by name."""
    return audit_frame(release, track, judge, condition=condition).buckets


def plan_audit(
    *,
    release: Release,
    track: str = "raw",
    condition: str = PLAIN,
    judge: str = "",
    by: str = SYSTEM_BUCKET,
    wanted: Wanted = PerStratum(),  # noqa: B008 - frozen
    expected: Expected = Expected(),  # noqa: B008 - frozen
    buckets: Collection[str] | None = None,
    exclude_campaigns: Iterable[str] = (),
) -> AuditPlan:
    """Strata and sample sizes of an audit of `judge` (may be left out when only one has spoken).

    `buckets` limits the frame; outputs drawn in `exclude_campaigns` (slugs) are left out, and those that no draw
    takes because they reveal who wrote them. Raises Refused when no judge has spoken, when a bucket or a campaign is
    unknown, when the sizes do not fit, or when nothing is left to draw.
    """
    frame = audit_frame(release, track, judge, by, condition)
    chosen = set(buckets) if buckets is not None else set(frame.buckets)
    unknown = sorted(chosen - set(frame.buckets))
    if unknown:
        names = ", ".join(frame.buckets) or "none"
        raise Refused(
            f"There is no bucket {unknown[0]!r}; there are: {names}.", code="no_bucket", field="buckets"
        )
    in_frame = {pk: name for pk, name in frame.placement.items() if frame.bucket_of[name] in chosen}
    leaves_out = frozenset(exclude_campaigns)
    in_others, never = _drawn_in(leaves_out), set(excluded_outputs(release))
    left_out = in_others | never
    placement = {pk: name for pk, name in in_frame.items() if pk not in left_out}
    population, available = Counter(in_frame.values()), Counter(placement.values())
    if not available:
        raise Refused("Nothing is left to draw from.", code="nothing_to_draw")
    guessed = tuple(
        expected.stratum(name, available[name], frame.successes[name] / population[name])
        for name in sorted(available)
    )
    sizes = wanted.sizes(guessed)
    strata = tuple(
        DrawnStratum(name, population[name], available[name], sizes.get(name, 0))
        for name in sorted(population)
    )
    known = _known_with(release, frame, sizes, in_others - never, leaves_out)
    by_group: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for name, size in sorted(Counter(frame.placement.values()).items()):
        guess = expected.stratum(name, size, frame.successes[name] / size).guess
        by_group[frame.group_of[name]].append((size, known[name], guess))
    return AuditPlan(
        release=release,
        track=track,
        condition=condition,
        judge=frame.judge,
        by=by,
        strata=strata,
        expected=guessed,
        placement=placement,
        excluded=len(in_frame) - len(placement),
        systems=frozenset(frame.systems),
        leaves_out=leaves_out,
        by_rule=frame.by_rule,
        precision=tuple(
            expected_precision(group, rows, frame.by_rule_of[group])
            for group, rows in sorted(by_group.items())
        ),
    )


def _known_with(
    release: Release,
    frame: AuditFrame,
    sizes: Mapping[str, int],
    left_out: Collection[int],
    exclude_campaigns: Collection[str],
) -> Counter[str]:
    """By stratum how many outputs a corrected score will know after a draw of these `sizes`.

    As reports/audit/corrections.py counts them: also what the audits found that the draw leaves out, or any audit where
    it draws nothing. A stratum of which other draws took what this one leaves out will not be corrected.
    """
    audits = Item.objects.filter(
        campaign__kind=CampaignKind.AUDIT, campaign__release=release, output__in=frame.placement
    )
    drawn: dict[int, set[str]] = defaultdict(set)
    for output, stratum, slug in audits.values_list("output", "stratum", "campaign__slug"):
        if stratum in (frame.placement[output], frame.bucket_of[frame.placement[output]]):
            drawn[output].add(slug)
    known, lost = Counter(sizes), set()
    for output, stratum in frame.placement.items():
        if not sizes.get(stratum):
            known[stratum] += output in drawn
        elif output in left_out:
            known[stratum] += 1
            if not drawn[output] & set(exclude_campaigns):
                lost.add(stratum)
    return Counter({stratum: number for stratum, number in known.items() if stratum not in lost})


def _drawn_in(slugs: frozenset[str]) -> set[int]:
    """The ids of the outputs that these campaigns have drawn, both of a pair. Raises Refused for an unknown one."""
    known = Campaign.objects.filter(slug__in=slugs).values_list("slug", flat=True)
    for unknown in sorted(slugs - set(known)):
        raise Refused(f"There is no campaign {unknown!r}.", code="no_campaign", field="exclude")
    drawn = Item.objects.filter(campaign__slug__in=slugs).values_list("output_id", "second_id")
    return {pk for both in drawn for pk in both if pk is not None}


def comparison(plan: AuditPlan, half_width: float | None = None) -> dict[str, object]:
    """The plan next to the other allocations of as many audits; `custom` is the plan itself. `half_width`, a
    share, asks for the total that brings it.

    Small totals are raised to what every stratum needs at least.
    """
    least = sum(min(MIN_PER_STRATUM, stratum.size) for stratum in plan.expected)
    return strata_plan(
        plan.expected,
        max(plan.n_sampled, least),
        half_width=None if half_width is None else min(half_width, 0.499),
        custom=[plan.sizes[stratum.name] for stratum in plan.expected],
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
        condition=plan.condition or USUAL,
        seed=seed,
        slug=slug,
        instructions=instructions,
    )
    sizes = {name: size for name, size in plan.sizes.items() if size}
    frame = {"systems": sorted(plan.systems), "leaves_out": sorted(plan.leaves_out)}
    draw_items(actor=actor, campaign=campaign, strata=plan.placement, sizes=sizes, frame=frame)
    details = {
        "judge": plan.judge,
        "strata": plan.by,
        "excluded": plan.excluded,
        "leaves_out": sorted(plan.leaves_out),
        "plan_sha256": plan.sha256,
    }
    record(actor=actor, verb="draw_audit", target=campaign, details=details)
    return campaign


def audit_rubrics(release: Release) -> dict[str, str]:
    """Labels and titles of the audit rubrics of a release's protocol."""
    rubrics = known_rubrics(release.benchmark.protocol)
    return {rubric.label: rubric.title for rubric in rubrics if rubric.kind == CampaignKind.AUDIT}
