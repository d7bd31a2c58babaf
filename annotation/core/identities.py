"""Which of those who run a study may see the systems of a campaign (docs/adr/0015)."""

import re
from collections.abc import Iterable, Iterator

from django.db.models import Min, Q, QuerySet

from accounts.access import STUDY_STAFF, is_study_staff, role_names
from accounts.database.sight import identities_readable
from accounts.models import AuditEvent, RoleName, User
from annotation.core.item_names import is_turned
from annotation.core.visibility import Thing, may_see, viewer
from annotation.models import Campaign, Item, Unblinding
from benchmark.models import Release, Run, System


def is_unblinded(campaign: Campaign) -> bool:
    """Whether two people have unblinded the campaign."""
    return Unblinding.objects.filter(campaign=campaign, confirmed_at__isnull=False).exists()


def is_shown_elsewhere(item: Item) -> bool:
    """Whether a campaign that has an output of the item, too, was unblinded, so that its pages say who wrote it."""
    outputs = [pk for pk in (item.output_id, item.second_id) if pk is not None]
    there = Q(campaign__items__output__in=outputs) | Q(campaign__items__second__in=outputs)
    return Unblinding.objects.filter(there, confirmed_at__isnull=False).exists()


def would_be_shown_too(campaign: Campaign) -> QuerySet[Campaign]:
    """Other campaigns with outputs of this one, whose systems an unblinding of it shows before they are unblinded."""
    outputs = {pk for pair in campaign.items.values_list("output", "second") for pk in pair if pk is not None}
    there = Q(items__output__in=outputs) | Q(items__second__in=outputs)
    others = Campaign.objects.filter(there).exclude(pk=campaign.pk)
    return others.exclude(unblindings__confirmed_at__isnull=False).order_by("name").distinct()


def knows_identities(user: User, campaign: Campaign) -> bool:
    """Whether the person saw systems before any unblinding: owners, and those who imported outputs of the release."""
    runs = Run.objects.filter(release=campaign.release_id).values_list("pk", flat=True)
    return RoleName.OWNER in role_names(user) or _imports(runs).filter(actor=user).exists()


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
        runs = dict(Run.objects.filter(release=release).values_list("pk", "created_at"))
        if not runs:
            return set()
        imported = _imports(runs).values_list("actor_id", flat=True)
        told = Unblinding.objects.filter(campaign__release=release, confirmed_at__isnull=False)
        first = _imports(runs).aggregate(first=Min("pk"))["first"]
        since = Q(at__gte=min(runs.values()))
        if first is not None:  # also where the clock was set back after the import
            since |= Q(pk__gt=first)
        left = AuditEvent.objects.filter(
            since,
            verb="revoke_role",
            target_kind=User._meta.label_lower,
            details__role__in=sorted(STUDY_STAFF),
        ).values_list("target_key", flat=True)
        pairs = told.values_list("requested_by", "confirmed_by")
        people = {*imported, *(person for pair in pairs for person in pair), *map(int, left)}
        return {person for person in people if person is not None}


# True of everybody in `informed_people` of any release, and of few others; asked by each request to take or submit. It
# reads the trail itself, so nothing has to be kept up to date.
MAY_BE_INFORMED = """(
    EXISTS (SELECT 1 FROM accounts_auditevent e WHERE e.verb = 'import_outputs' AND e.target_kind = 'benchmark.run'
        AND e.actor_id = %(reviewer)s)
    OR EXISTS (SELECT 1 FROM accounts_auditevent e WHERE e.verb = 'revoke_role' AND e.target_kind = 'accounts.user'
        AND e.target_key = CAST(%(reviewer)s AS text))
    OR EXISTS (SELECT 1 FROM annotation_unblinding b WHERE b.confirmed_at IS NOT NULL
        AND %(reviewer)s IN (b.requested_by_id, b.confirmed_by_id))
)"""


def item_systems(item: Item) -> list[str]:
    """Who wrote the item's output, or its two outputs as staff see them. For those who see identities."""
    outputs = [output for output in (item.output, item.second) if output is not None]
    return [output.run.system.name for output in (reversed(outputs) if is_turned(item) else outputs)]


def system_names() -> Iterator[str]:
    """Names by which a text would reveal who wrote an answer."""
    with identities_readable():
        rows = list(System.objects.values_list("name", "slug"))
    for row in rows:
        yield from row


def person_names() -> Iterator[str]:
    """Names by which a text would reveal who graded an answer."""
    for row in User.objects.values_list("name", "pseudonym", "email"):
        yield from row


def name_in(text: str, names: Iterable[str]) -> str:
    """The first of `names` in `text` as whole words, whatever is between their parts (GPT-5: "GPT 5"); "" for none."""
    for name in names:
        parts = re.findall(r"[^\W_]+", name)
        sought = r"[\W_]*".join(map(re.escape, parts))
        if len("".join(parts)) > 1 and re.search(rf"(?<!\w){sought}(?!\w)", text, re.IGNORECASE):
            return name
    return ""


def _imports(runs: Iterable[int]) -> QuerySet[AuditEvent]:
    keys = [str(pk) for pk in runs]
    return AuditEvent.objects.filter(
        verb="import_outputs", target_kind=Run._meta.label_lower, target_key__in=keys
    )
