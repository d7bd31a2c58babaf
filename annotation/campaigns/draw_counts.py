"""What a draw would draw from, counted before anything is drawn. For those who run the study only."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.campaigns.pairing import mirrored_count
from annotation.models import Campaign
from benchmark.models import IdentityDecision, IdentityScan, IdentityVerdict, Output, OutputState, Release
from benchmark.subjects import USUAL


@dataclass(frozen=True)
class DrawFrame:
    """Units by stratum. `undecided` counts outputs that are waiting in quarantine, by domain, or by system where
    systems are compared; they are in no stratum."""

    strata: Mapping[str, int]
    undecided: Mapping[str, int]

    @property
    def units(self) -> int:
        return sum(self.strata.values())


@dataclass(frozen=True)
class Size:
    """What a choice would draw: items, and how often they are shown if each has one reviewer.

    `undecided` outputs would be left out, or block the draw.
    """

    items: int
    presentations: int
    undecided: int = 0

    def gradings(self, reviewers_per_item: int) -> int:
        return self.presentations * reviewers_per_item


def outputs_frame(release: Release, track: str, condition: str | None = None) -> DrawFrame:
    """Answered outputs by domain, as draw_items takes them."""
    rows = _rows(release, track, condition).values_list("instance__domain", "undecided")
    counts = Counter((domain, undecided) for domain, undecided in rows)
    strata = {domain: n for (domain, undecided), n in sorted(counts.items()) if not undecided}
    return DrawFrame(strata, {domain: n for (domain, undecided), n in sorted(counts.items()) if undecided})


def instances_frame(release: Release, track: str, condition: str | None = None) -> DrawFrame:
    """Instances by domain, as draw_items takes them for a construction audit, which has no track."""
    domains = release.instances.values_list("domain", flat=True)
    return DrawFrame(dict(sorted(Counter(domains).items())), {})


def pairs_frame(release: Release, track: str, condition: str | None = None) -> DrawFrame:
    """Problems that both systems of a pair answered, by pair ("aurora|cobalt"), as draw_pairs takes them."""
    rows = _rows(release, track, condition or USUAL).filter(attempt=1)
    answered: dict[str, set[int]] = {}
    undecided: Counter[str] = Counter()
    for system, instance, waits in rows.values_list("run__system__slug", "instance", "undecided"):
        if waits:
            undecided[system] += 1
        else:
            answered.setdefault(system, set()).add(instance)
    both = {
        f"{one}|{other}": len(answered[one] & answered[other])
        for one, other in combinations(sorted(answered), 2)
    }
    return DrawFrame({pair: n for pair, n in both.items() if n}, undecided)


def domains_size(frame: DrawFrame, *, sizes: Mapping[str, int] | None) -> Size:
    """What draw_items would draw with these sizes; without any, everything."""
    items = frame.units if sizes is None else sum(sizes.values())
    return Size(items, items, sum(frame.undecided.values()))


def pairs_size(
    frame: DrawFrame, *, systems: Iterable[str], per_stratum: int | None, mirrored_share: float
) -> Size:
    """What draw_pairs would draw; a mirrored pair is shown twice to each of its reviewers."""
    chosen = frozenset(systems)
    sizes = [n for pair, n in frame.strata.items() if chosen.issuperset(pair.split("|"))]
    items = sum(n if per_stratum is None else min(n, per_stratum) for n in sizes)
    waiting = sum(n for system, n in frame.undecided.items() if system in chosen)
    return Size(items, items + mirrored_count(items, mirrored_share), waiting)


def _rows(
    release: Release, track: str, condition: str | None
) -> "QuerySet[Any, Any]":  # the annotation is unknown to the type checker
    live = IdentityDecision.objects.filter(output=OuterRef("pk"), withdrawn_at=None)
    telling = Exists(IdentityScan.objects.filter(output=OuterRef("pk"), certain__gt=0))
    runs = Campaign(release=release, track=track, condition=condition).runs()
    return (
        Output.objects.filter(run__in=runs, state=OutputState.ANSWERED)
        .exclude(Exists(live.filter(verdict=IdentityVerdict.EXCLUDED)))
        .annotate(undecided=telling & ~Exists(live))
    )
