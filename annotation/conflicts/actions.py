"""Conflicts of interest: decided by coordinators, fixed before a reviewer's first place, and later changed only on
purpose.
"""

from collections.abc import Collection, Iterable

from django.db import transaction
from django.utils import timezone

from accounts.database.sight import identities_readable
from accounts.models import Conflict, RoleName, User
from accounts.profile.actions import declare_conflict
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns.actions import require_staff
from annotation.conflicts import resolving as conflicts
from annotation.models import Assignment, Campaign, ConflictTarget, Exclusion, TargetKind
from benchmark.models import Benchmark, Instance, Paper, System


@transaction.atomic
def fix_conflicts(*, campaign: Campaign, reviewers: Collection[int]) -> None:
    """Fix what counts for these reviewers in the campaign, unless it is fixed: before their first place in it.

    An undecided declaration must prevent the first place; callers check that.
    """
    people = User.objects.filter(pk__in=reviewers).order_by("pk")
    list(people.select_for_update(no_key=True).values_list("pk"))  # two windows of one person take turns
    with identities_readable():
        histories = conflicts.fixed_in(campaign.release.benchmark_id, reviewers)
        fresh = [
            person
            for person in reviewers
            if not any(row.campaign_id == campaign.pk for row in histories.get(person, []))
        ]
        if fresh:
            pairs = conflicts.targets_for(fresh, histories)
            conflicts.write_exclusions(campaign, pairs, timezone.now())


@transaction.atomic
def enter_conflict(*, actor: User, member: User, kind: str, key: str, reason: str = "") -> Conflict:
    """Declare a conflict on behalf of a reviewer; it still has to be decided. Raises Refused for anyone else."""
    require_staff(actor)
    if not member.is_active or not member.roles.filter(name=RoleName.REVIEWER).exists():
        raise Refused(
            "Conflicts can only be entered for active reviewers.", code="no_reviewer", field="member"
        )
    if not key.strip():
        raise Refused("Enter whom or what the conflict is with.", field="key")
    made = declare_conflict(actor=member, kind=kind, key=key.strip(), reason=reason)
    record(actor=actor, verb="enter_conflict", target=member, details={"kind": kind})
    return made


@transaction.atomic
def decide_conflict(
    *,
    actor: User,
    conflict: Conflict,
    targets: Iterable[tuple[str, str]],
    reason: str = "",
    seen: str | None = None,
) -> Conflict:
    """Say what a declaration excludes, as pairs of kind and key; none dismisses it. It can be decided again: with
    `seen`, the time of the decision that was looked at ("" for none), no other one than that.

    It counts where the reviewer has not begun. Where they have, what was fixed there stays until `apply_conflicts`.
    Raises Refused (field "targets") naming a system, paper or problem that does not exist, or (code
    "decided_meanwhile").
    """
    require_staff(actor)
    conflict = Conflict.objects.select_for_update().get(pk=conflict.pk)
    if seen not in (None, conflict.decided_at.isoformat() if conflict.decided_at else ""):
        raise Refused(
            "Someone has decided about this conflict in the meantime; look at that decision first.",
            code="decided_meanwhile",
        )
    wanted = sorted(set(targets))
    for kind, key in wanted:
        if kind == TargetKind.SYSTEM:
            known = System.objects.filter(slug=key).exists()
        elif kind == TargetKind.PAPER:
            known = Paper.objects.filter(key=key).exists()
        else:
            benchmark, _, problem = key.partition("/")
            rows = Instance.objects.filter(release__benchmark__slug=benchmark, key=problem)
            known = kind == TargetKind.PROBLEM and rows.exists()
        if not known:
            raise Refused(f"There is no {kind} {key!r} on this platform.", code="no_target", field="targets")
    conflict.targets.all().delete()
    ConflictTarget.objects.bulk_create(
        ConflictTarget(conflict=conflict, kind=kind, key=key) for kind, key in wanted
    )
    conflict.decided_at, conflict.decided_by = timezone.now(), actor
    conflict.save(update_fields=["decided_at", "decided_by"])
    # not the person's own words, which are gone when the account is erased
    details = {"kind": conflict.kind, "targets": [list(pair) for pair in wanted]}
    record(actor=actor, verb="decide_conflict", target=conflict.user, reason=reason, details=details)
    return conflict


@transaction.atomic
def apply_conflicts(*, actor: User, member: User, benchmark: Benchmark, reason: str = "") -> None:
    """Let the reviewer's decided conflicts count in a benchmark that they have begun, from now on.

    Places that they had stay theirs, and what was excluded stays excluded; problems of which they had an output are
    excluded as a whole. Only while they never had a place in the benchmark is a withdrawn conflict forgotten too.
    Raises Refused when nothing is fixed there yet (the conflicts then count by themselves) or nothing would change.
    """
    require_staff(actor)
    User.objects.select_for_update(no_key=True).get(pk=member.pk)
    histories = conflicts.fixed_in(benchmark.pk, [member.pk])
    history = histories.get(member.pk, [])
    if not history:
        raise Refused(
            f"{member} has not begun {benchmark}; their conflicts will apply there anyway.", code="not_begun"
        )
    before = conflicts.targets_for([member.pk], histories)[member.pk]
    now = conflicts.decided_targets([member.pk])[member.pk]
    had = Assignment.objects.filter(reviewer=member, item__campaign__release__benchmark=benchmark).exists()
    counting = before | now if had else now
    if counting == before:
        raise Refused("All decisions already apply there.", code="nothing_new")
    at = timezone.now()
    for campaign in Campaign.objects.filter(pk__in={row.campaign_id for row in history}).order_by("pk"):
        if not had:
            Exclusion.objects.filter(reviewer=member, item__campaign=campaign).delete()
        conflicts.write_exclusions(campaign, {member.pk: counting}, at)
    details = {"benchmark": benchmark.slug, "targets": [list(pair) for pair in sorted(counting)]}
    record(actor=actor, verb="apply_conflicts", target=member, reason=reason, details=details)
