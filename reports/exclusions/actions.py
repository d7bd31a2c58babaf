"""Declaring an exclusion rule: the one verb about them, for there is no changing one."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from annotation.campaigns.actions import require_staff
from annotation.core.phases import Phase
from annotation.models import CampaignKind, Grade, Unblinding
from benchmark.models import Release
from reports.exclusions.rules import GROUNDS
from reports.models import Artifact, ExclusionRule


@transaction.atomic
def declare_rule(
    *,
    actor: User,
    release: Release,
    name: str,
    grounds: Sequence[str],
    at_least: int,
    reason: str,
    primary: bool = False,
) -> ExclusionRule:
    """Declare a rule; with `primary` scores and comparisons of the release leave out from now on what it excludes.

    It is marked late if results could be read before.

    Raises Refused for a name that is taken or no slug, unknown or no grounds, a number outside 1 to 25, no reason,
    a second primary rule (code "primary_taken"), or a primary one after an unblinding (code "unblinded").
    """
    require_staff(actor)
    release = Release.objects.select_for_update().get(pk=release.pk)
    reason = reason.strip()
    try:
        validate_slug(name)
    except ValidationError:
        raise Refused(
            "A rule's name holds letters, digits, hyphens and underscores.", code="bad_name", field="name"
        ) from None
    if len(name) > 100:
        raise Refused("A rule's name has at most 100 characters.", code="bad_name", field="name")
    unknown = sorted(set(grounds) - set(GROUNDS))
    if unknown or not grounds:
        what = f"There is no ground {unknown[0]!r}" if unknown else "Name at least one ground"
        raise Refused(f"{what}; there are: {', '.join(GROUNDS)}.", code="bad_ground", field="grounds")
    if not 1 <= at_least <= 25:
        raise Refused("A rule asks for 1 to 25 reviewers.", code="bad_number", field="at_least")
    if not reason:
        raise Refused("Say why these instances should be excluded.", code="no_reason", field="reason")
    rules = ExclusionRule.objects.filter(release=release)
    if rules.filter(name=name).exists():
        raise Refused(f"There is already a rule {name}.", code="name_taken", field="name")
    unblinded = Unblinding.objects.filter(campaign__release=release, confirmed_at__isnull=False).exists()
    if primary and unblinded:
        raise Refused(
            "A campaign of this release was unblinded; a rule declared now is shown next to the primary score.",
            code="unblinded",
            field="primary",
        )
    if primary and rules.filter(primary=True).exists():
        raise Refused("This release already has a primary rule.", code="primary_taken", field="primary")
    row = ExclusionRule.objects.create(
        release=release,
        name=name,
        grounds=[ground for ground in GROUNDS if ground in grounds],
        at_least=at_least,
        primary=primary,
        late=unblinded or _results_could_be_read(release),
        reason=reason,
        declared_by=actor,
    )
    details = {
        "rule": name,
        "grounds": row.grounds,
        "at_least": at_least,
        "primary": primary,
        "late": row.late,
    }
    record(actor=actor, verb="declare_exclusion_rule", target=release, reason=reason, details=details)
    return row


def _results_could_be_read(release: Release) -> bool:
    """Whether a round with grades of outputs is closed, so that its figures are shown, or a score is frozen."""
    campaign = "assignment__item__campaign__"
    graded = Grade.objects.filter(**{f"{campaign}release": release, f"{campaign}phase": Phase.CLOSED})
    closed = graded.exclude(**{f"{campaign}kind": CampaignKind.CONSTRUCTION}).exists()
    return closed or Artifact.objects.filter(release=release, kind="score").exists()
