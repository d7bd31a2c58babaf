"""What there is to score: releases with their tracks, systems, judges and campaigns. A fixed number of queries."""

from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Count

from annotation.models import Campaign
from benchmark.models import Release, Run
from judging.models import Judge, Verdict
from reports.datasets import PLAIN


@dataclass
class TrackOverview:
    """One track of a release with everything that has labels or outputs there."""

    release: Release
    track: str
    systems: dict[str, int] = field(default_factory=dict)
    judges: list[str] = field(default_factory=list)
    campaigns: list[Campaign] = field(default_factory=list)

    @property
    def n_outputs(self) -> int:
        return sum(self.systems.values())


def tracks_overview() -> list[TrackOverview]:
    """Every track with outputs, by release and track."""
    releases = Release.objects.select_related("benchmark").in_bulk()
    found: dict[tuple[int, str], TrackOverview] = {}
    for release, track, system, n_outputs in _runs():
        entry = found.setdefault((release, track), TrackOverview(releases[release], track))
        entry.systems[system] = n_outputs
    judges, campaigns = _judges(), _campaigns()
    for key, entry in found.items():
        entry.judges = judges.get(key, [])
        entry.campaigns = campaigns.get(key, [])
    return [found[key] for key in sorted(found, key=lambda key: (releases[key[0]].name, key[1]))]


def release_tracks(release: Release) -> list[str]:
    """The tracks of a release that have outputs, by name."""
    runs = Run.objects.filter(release=release, condition=PLAIN, outputs__isnull=False)
    return list(runs.order_by("track").values_list("track", flat=True).distinct())


def _runs() -> list[tuple[int, str, str, int]]:
    runs = Run.objects.filter(condition=PLAIN, outputs__isnull=False).order_by("system__slug")
    counted = runs.values("release_id", "track", "system__slug").annotate(n=Count("outputs"))
    return list(counted.values_list("release_id", "track", "system__slug", "n"))


def _judges() -> dict[tuple[int, str], list[str]]:
    labels = {judge.pk: judge.label for judge in Judge.objects.order_by("slug", "version")}
    said = (
        Verdict.objects.filter(output__isnull=False)
        .order_by()
        .values_list("output__run__release_id", "output__run__track", "judge_id")
    )
    found: dict[tuple[int, str], list[str]] = defaultdict(list)
    for release, track, judge in said.distinct():
        found[release, track].append(labels[judge])
    return {key: sorted(names) for key, names in found.items()}


def _campaigns() -> dict[tuple[int, str], list[Campaign]]:
    found: dict[tuple[int, str], list[Campaign]] = defaultdict(list)
    for campaign in Campaign.objects.order_by("slug"):
        found[campaign.release_id, campaign.track].append(campaign)
    return found
