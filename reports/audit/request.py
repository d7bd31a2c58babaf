"""An audit as it is asked for, and its plan as a document."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from accounts.refusal import Refused
from benchmark.models import Release
from benchmark.subjects import USUAL
from reports.audit.draw import AuditPlan, comparison, plan_audit
from reports.audit.frame import SYSTEM_BUCKET
from reports.audit.precision import Expected
from reports.audit.sizes import ByHand, PerStratum, Spread, Wanted
from reports.core.datasets import PLAIN
from stats.planning.allocations import CUSTOM, EQUAL, NEYMAN, PROPORTIONAL

PER_STRATUM = "per_stratum"
ALLOCATIONS = (PER_STRATUM, PROPORTIONAL, NEYMAN, EQUAL, CUSTOM)


@dataclass(frozen=True)
class AuditRequest:
    """Which audit is meant. `sizes` are for CUSTOM, `total` for the rules, `per_stratum` for the same number
    each; `condition` is that of the runs, "usual" or "" the usual one; `expected` is what one thinks
    the experts will find.
    """

    track: str = "raw"
    condition: str = PLAIN
    judge: str = ""
    strata: str = SYSTEM_BUCKET
    allocation: str = PER_STRATUM
    per_stratum: int | None = 5
    total: int | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    expected: Expected = Expected()  # noqa: RUF009 - frozen
    buckets: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()

    def plan(self, release: Release) -> AuditPlan:
        """The plan. Raises what plan_audit raises, and Refused for an allocation without its number."""
        return plan_audit(
            release=release,
            track=self.track,
            condition=PLAIN if self.condition == USUAL else self.condition,
            judge=self.judge,
            by=self.strata,
            wanted=self.wanted(),
            expected=self.expected,
            buckets=self.buckets,
            exclude_campaigns=self.exclude,
        )

    def wanted(self) -> Wanted:
        if self.allocation not in ALLOCATIONS:
            known = ", ".join(ALLOCATIONS)
            raise Refused(
                f"There is no allocation {self.allocation!r}; there are: {known}.", field="allocation"
            )
        if self.allocation == PER_STRATUM:
            return PerStratum(self.per_stratum)
        if self.allocation == CUSTOM:
            return ByHand(self.sizes)
        if self.total is None:
            raise Refused("Say how many outputs in total.", code="bad_sample", field="total")
        return Spread(self.allocation, self.total)


def audit_document(plan: AuditPlan, half_width: float | None = None) -> dict[str, object]:
    """The plan: what would be drawn, the precision to expect, and other allocations of as many audits."""
    return {
        "release": plan.release.name,
        "track": plan.track,
        "condition": plan.condition or USUAL,
        "judge": plan.judge,
        "strata_by": plan.by,
        "sha256": plan.sha256,
        "sampled": plan.n_sampled,
        "excluded": plan.excluded,
        "by_rule": plan.by_rule,
        "drawn": [
            {"stratum": s.name, "population": s.population, "available": s.available, "sample": s.sample}
            for s in plan.strata
        ],
        "precision": [{"system": row.system, "half_width": row.half_width} for row in plan.precision],
        **comparison(plan, half_width),
    }
