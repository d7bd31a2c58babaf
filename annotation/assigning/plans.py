"""A plan of assignment as a coordinator reads it before it is applied."""

from collections import Counter

from accounts.models import User
from annotation.assigning.allocation import Plan
from annotation.core.queries import seconds_per_grade
from annotation.models import Assignment, AssignmentState, Campaign, CampaignSetup


def plan_in_words(campaign: Campaign, plan: Plan) -> dict[str, object]:
    """Places per reviewer (new and after), and unmet items grouped by domain and reason. `again` counts the places that
    give somebody a text which another campaign gave them, too.

    Hours are at the minutes that the coordinator said, or else at the mean of finished grades; a pair that comes twice
    takes twice as long.
    """
    items = {row.pk: row for row in campaign.items.select_related("instance")}
    people = User.objects.in_bulk(plan.loads)
    new = Counter(reviewer for _, reviewer in plan.pairs)
    domains = {(reviewer, items[item].instance.domain) for item, reviewer in plan.pairs}
    reviewers = [
        {
            "name": str(people[reviewer]),
            "new": new[reviewer],
            "load": load,
            "domains": sorted(domain for who, domain in domains if who == reviewer),
        }
        for reviewer, load in sorted(plan.loads.items(), key=lambda row: (-row[1], str(people[row[0]])))
    ]
    unmet = Counter((items[row.item].instance.domain, row.reason) for row in plan.unmet)
    missing = sum(row.wanted - row.placed for row in plan.unmet)
    said = CampaignSetup.objects.filter(campaign=campaign).values_list("minutes_per_item", flat=True).first()
    seconds = said * 60 if said else seconds_per_grade(campaign)
    gradings = len(plan.pairs) + sum(items[item].mirrored for item, _ in plan.pairs)
    had = set(
        Assignment.objects.exclude(item__campaign=campaign)
        .exclude(state=AssignmentState.RELEASED)
        .filter(reviewer__in=people, item__output__in=campaign.items.values("output"))
        .values_list("item__output", "reviewer")
    )
    return {
        "plan": plan,
        "again": sum((items[item].output_id, reviewer) in had for item, reviewer in plan.pairs),
        "hours": None if seconds is None else gradings * seconds / 3600,
        "minutes": None if seconds is None else seconds / 60,
        "minutes_said": said is not None,
        "sha256": plan.sha256,
        "reviewers": reviewers,
        "most": max(plan.loads.values(), default=0),
        "unmet": [
            {"domain": domain, "reason": reason, "items": count}
            for (domain, reason), count in sorted(unmet.items())
        ],
        "missing": missing,
        "wanted": len(plan.pairs) + missing,
    }
