"""Which of those who run a study may see the systems of a campaign (docs/adr/0015)."""

from collections.abc import Iterable
from typing import Any

from django.db.models import (
    BooleanField,
    CharField,
    Exists,
    ExpressionWrapper,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Cast

from accounts.access import STUDY_STAFF, is_study_staff, role_names
from accounts.database.sight import identities_readable
from accounts.database.statements import Parameter
from accounts.models import AuditEvent, RoleName, User
from annotation.core.visibility import Thing, may_see, viewer
from annotation.models import Campaign, Item, Unblinding
from benchmark.models import Release, Run


def is_unblinded(campaign: Campaign) -> bool:
    """Whether two people have unblinded the campaign."""
    return Unblinding.objects.filter(campaign=campaign, confirmed_at__isnull=False).exists()


def knows_identities(user: User, campaign: Campaign) -> bool:
    """Whether the person saw systems before any unblinding: owners, and those who imported outputs of the release."""
    return RoleName.OWNER in role_names(user) or _imported(user, campaign)


def sees_identities(user: User, campaign: Campaign) -> bool:
    """Whether campaign pages and files may show systems to this member of the staff."""
    who = viewer(
        signed_in=user.is_authenticated,
        staff=is_study_staff(user),
        informed=knows_identities(user, campaign) or is_unblinded(campaign),
        holds=False,
        released=False,
    )
    return may_see(who, Thing.IDENTITY, campaign.phase, submitted=False)


def informed_people(release: Release) -> set[int]:
    """Ids of everyone who saw which system wrote the release's outputs: they never grade its open rounds.

    They imported outputs, requested or confirmed an unblinding that took place, or held a staff role at any time since
    the first outputs came (current staff are already refused by role).
    """
    with identities_readable():
        return _informed(release)


def _informed(release: Release) -> set[int]:
    runs = dict(Run.objects.filter(release=release).values_list("pk", "created_at"))
    if not runs:
        return set()
    imported = _imports(list(runs)).values_list("actor_id", flat=True)
    told = Unblinding.objects.filter(campaign__release=release, confirmed_at__isnull=False)
    left = _left_staff().filter(at__gte=min(runs.values())).values_list("target_key", flat=True)
    pairs = told.values_list("requested_by", "confirmed_by")
    people = {*imported, *(person for pair in pairs for person in pair), *map(int, left)}
    return {person for person in people if person is not None}


def informed(reviewer: Parameter, release: str) -> Any:
    """Whether the parameter `reviewer` of a statement is one of `informed_people`, as a condition on rows whose path
    `release` leads to it."""
    runs = Run.objects.filter(release=OuterRef(OuterRef(release)))
    first = runs.order_by("created_at").values("created_at")[:1]
    keys = runs.annotate(key=Cast("pk", CharField())).values("key")
    imported = _all_imports().filter(actor=reviewer, target_key__in=keys)
    told = Unblinding.objects.filter(
        Q(requested_by=reviewer) | Q(confirmed_by=reviewer),
        campaign__release=OuterRef(release),
        campaign__release__runs__isnull=False,
        confirmed_at__isnull=False,
    )
    left = _left_staff().filter(target_key=Parameter(reviewer.name, str), at__gte=Subquery(first))
    return ExpressionWrapper(
        Q(Exists(imported)) | Q(Exists(told)) | Q(Exists(left)), output_field=BooleanField()
    )


def item_systems(item: Item) -> list[str]:
    """Who wrote the item's output, or its two outputs in the order of the item. For those who see identities."""
    outputs = [output for output in (item.output, item.second) if output is not None]
    return [output.run.system.name for output in outputs]


def _imported(user: User, campaign: Campaign) -> bool:
    runs = list(Run.objects.filter(release=campaign.release_id).values_list("pk", flat=True))
    return _imports(runs).filter(actor=user).exists()


def _imports(runs: Iterable[int]) -> QuerySet[AuditEvent]:
    return _all_imports().filter(target_key__in=[str(pk) for pk in runs])


def _all_imports() -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(verb="import_outputs", target_kind=Run._meta.label_lower)


def _left_staff() -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(
        verb="revoke_role", target_kind=User._meta.label_lower, details__role__in=sorted(STUDY_STAFF)
    )
