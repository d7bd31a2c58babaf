"""What reviewers of closed campaigns objected to instances, counted by ground: rows to plain values."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from annotation.core.phases import Phase
from annotation.models import Flag, Grade
from benchmark.leakage_kinds import INSTANCE_KINDS
from benchmark.models import Release
from benchmark.releases.repeated import overlaps_of
from reports.exclusions.rules import DUPLICATE, LEAK, Objection, Rule, excluded_by_primary, fallen_out
from reports.models import ExclusionRule

_PLACE = "assignment__item__"


def declared_rules(release: Release) -> list[Rule]:
    return [rule_of(row) for row in ExclusionRule.objects.filter(release=release).order_by("name")]


def rule_of(row: ExclusionRule) -> Rule:
    return Rule(
        name=row.name,
        grounds=",".join(row.grounds),
        at_least=row.at_least,
        primary=row.primary,
        late=row.late,
        reason=row.reason,
        declared_at=row.declared_at.isoformat(),
    )


def objections(release: Release) -> list[Objection]:
    """Every ground given for an instance with the number of different reviewers who gave it, by instance.

    Duplicates are among them; nobody needs to name those. Open campaigns are left out: what their reviewers say must
    not show in figures by system (ADR 0016).
    """
    raised: dict[tuple[str, str], set[int]] = defaultdict(set)
    graders: dict[str, set[int]] = defaultdict(set)
    live = {f"{_PLACE}campaign__release": release, f"{_PLACE}campaign__phase": Phase.CLOSED}
    grades = Grade.objects.filter(superseded_by=None, **live).values_list(
        f"{_PLACE}instance__key", "assignment__reviewer", "seen_before", "statement_wrong"
    )
    for instance, reviewer, seen, wrong in grades:
        graders[instance].add(reviewer)
        for ground, said in (("seen_before", seen), ("statement_wrong", wrong)):
            if said:
                raised[instance, ground].add(reviewer)
    flags = Flag.objects.filter(
        kind__in=INSTANCE_KINDS,
        grade__superseded_by=None,
        **{f"grade__{name}": value for name, value in live.items()},
    ).values_list(f"grade__{_PLACE}instance__key", "kind", "grade__assignment__reviewer")
    for instance, kind, reviewer in flags:
        raised[instance, kind].add(reviewer)
        raised[instance, LEAK].add(reviewer)
    for repeated in overlaps_of(release).duplicates.values():
        for instance in repeated:
            raised[instance, DUPLICATE] = set()
    return [
        Objection(instance, ground, len(people), len(graders[instance]))
        for (instance, ground), people in sorted(raised.items())
    ]


def excluded_of(release: Release) -> Collection[str]:
    """The instances that the release's primary rule leaves out, for what is read without the Inputs of a score."""
    rules = declared_rules(release)
    return excluded_by_primary(rules, objections(release) if rules else ())


def rules_document(release: Release) -> dict[str, Any]:
    """The release's rules with what each excludes, and every objection: what page, REST and command show."""
    found, rules = objections(release), declared_rules(release)
    return {
        "release": release.name,
        "instances": release.instances.count(),
        "rules": [
            {**asdict(rule), "grounds": rule.keys, "excluded": list(fallen_out(rule, found))}
            for rule in rules
        ],
        "objections": [asdict(objection) for objection in found],
    }
