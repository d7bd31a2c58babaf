"""What there is to score: releases with their tracks, systems, judges and campaigns. A fixed number of queries."""

from dataclasses import dataclass, field

from django.db.models import Count

from annotation.models import Campaign
from benchmark.models import Release, Run
from judging.models import Judge, Verdict
from reports.core.datasets import PLAIN


@dataclass
class TrackOverview:
    """One track of a release with everything that has labels or outputs there.

    `systems` counts the outputs under the usual condition; those under other `conditions` are never added to them.
    """

    release: Release
    track: str
    systems: dict[str, int] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    campaigns: list[Campaign] = field(default_factory=list)

    @property
    def n_outputs(self) -> int:
        return sum(self.systems.values())


def tracks_overview() -> list[TrackOverview]:
    """Every track with outputs, by release and track."""
    releases = Release.objects.select_related("benchmark").in_bulk()
    found: dict[tuple[int, str], TrackOverview] = {}
    runs = Run.objects.filter(outputs__isnull=False).order_by("condition", "system__slug")
    counted = runs.values("release_id", "track", "condition", "system__slug").annotate(n=Count("outputs"))
    columns = ("release_id", "track", "condition", "system__slug", "n")
    for release, track, condition, system, n_outputs in counted.values_list(*columns):
        entry = found.setdefault((release, track), TrackOverview(releases[release], track))
        if condition == PLAIN:
            entry.systems[system] = n_outputs
        elif condition not in entry.conditions:
            entry.conditions.append(condition)
    labels = {judge.pk: judge.label for judge in Judge.objects.order_by("slug", "version")}
    said = (
        Verdict.objects.filter(output__isnull=False)
        .order_by()
        .values_list("output__run__release_id", "output__run__track", "judge_id")
        .distinct()
    )
    for place, label in sorted(((release, track), labels[judge]) for release, track, judge in said):
        found[place].judges.append(label)
    for campaign in Campaign.objects.order_by("slug"):
        if (campaign.release_id, campaign.track) in found:
            found[campaign.release_id, campaign.track].campaigns.append(campaign)
    return [found[key] for key in sorted(found, key=lambda key: (releases[key[0]].name, key[1]))]
