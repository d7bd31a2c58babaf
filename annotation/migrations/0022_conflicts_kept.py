"""Declared conflicts keep their words and go on excluding what they matched; a coordinator has still to decide them.

Reviewers see the same state for every declaration, since a different one would tell which systems are known here.
Campaigns that have opened keep giving what they gave: they had no least number of possible authors.
"""

from collections import defaultdict

from django.db import migrations
from django.db.models import Min


def keep(apps, schema_editor):
    found = _resolve(apps)
    LeastAuthors = apps.get_model("annotation", "LeastAuthors")
    Campaign = apps.get_model("annotation", "Campaign")
    LeastAuthors.objects.bulk_create(
        LeastAuthors(campaign=campaign, least=1) for campaign in Campaign.objects.exclude(phase="draft")
    )
    _fix(apps, found)


def _resolve(apps):
    """Write what each declaration matches exactly; by person, the pairs of kind and key."""
    Conflict = apps.get_model("accounts", "Conflict")
    ConflictTarget = apps.get_model("annotation", "ConflictTarget")
    found = defaultdict(set)
    for conflict in Conflict.objects.order_by("pk"):
        for kind, key in _matches(apps, conflict):
            ConflictTarget.objects.create(conflict=conflict, kind=kind, key=key)
            found[conflict.user_id].add((kind, key))
    return found


def _matches(apps, conflict):
    systems = apps.get_model("benchmark", "System").objects
    papers = apps.get_model("benchmark", "Paper").objects
    instances = apps.get_model("benchmark", "Instance").objects
    key = conflict.key.strip()
    if conflict.kind == "system":
        named = systems.filter(slug=key) | systems.filter(name=key)
        return {("system", slug) for slug in named.values_list("slug", flat=True)}
    if conflict.kind == "paper":
        named = papers.filter(key=key) | papers.filter(title=key)
        problems = instances.filter(key=key).values_list("release__benchmark__slug", flat=True)
        return {("paper", paper) for paper in named.values_list("key", flat=True)} | {
            ("problem", f"{benchmark}/{key}") for benchmark in problems
        }
    return set()


def _fix(apps, found):
    """What counted for everybody who has begun goes on counting there, and in the benchmark's other campaigns."""
    Assignment = apps.get_model("annotation", "Assignment")
    ConflictsFixed = apps.get_model("annotation", "ConflictsFixed")
    Exclusion = apps.get_model("annotation", "Exclusion")
    begun = Assignment.objects.order_by().values_list(
        "reviewer_id", "item__campaign_id", "item__campaign__release__benchmark__slug"
    )
    rows = list(begun.annotate(first=Min("assigned_at")))
    first = {}
    for reviewer, _, benchmark, at in rows:
        first[reviewer, benchmark] = min(at, first.get((reviewer, benchmark), at))
    for reviewer, campaign, benchmark, _ in rows:
        pairs = found.get(reviewer, set())
        ConflictsFixed.objects.create(
            campaign_id=campaign, reviewer_id=reviewer, targets=sorted(pairs), fixed_at=first[reviewer, benchmark]
        )
        if pairs:
            Exclusion.objects.bulk_create(
                Exclusion(item_id=item, reviewer_id=reviewer)
                for item in _excluded(apps, campaign, benchmark, pairs)
            )


def _excluded(apps, campaign, benchmark, pairs):
    items = apps.get_model("annotation", "Item").objects.filter(campaign=campaign)
    of = defaultdict(set)
    for kind, key in pairs:
        of[kind].add(key)
    problems = {key.partition("/")[2] for key in of["problem"] if key.partition("/")[0] == benchmark}
    return set(
        (
            items.filter(output__run__system__slug__in=of["system"])
            | items.filter(second__run__system__slug__in=of["system"])
            | items.filter(instance__paper__key__in=of["paper"])
            | items.filter(instance__key__in=problems)
        ).values_list("pk", flat=True)
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_conflicts"), ("accounts", "0010_conflicts_decided")]
    operations = [migrations.RunPython(keep, migrations.RunPython.noop)]
