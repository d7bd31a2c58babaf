"""How pages and REST look up a reviewer's place: by handle, own, and visible. There is no other way."""

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404

from accounts.access import is_study_staff, role_names
from accounts.models import RoleName, User
from annotation.core import queries
from annotation.core.phases import Phase
from annotation.core.visibility import Thing, may_see, viewer
from annotation.models import Assignment, AssignmentState


def place_or_404(user: User, handle: str) -> Assignment:
    """The assignment with this handle if `user` may see its material as its reviewer; else Http404, existing or not."""
    place = own_or_none(user, queries.place_by_handle(handle))
    if place is None:
        raise Http404
    return place


def place_to_read_or_404(user: User, handle: str) -> Assignment:
    """The same, to be read. Raises PermissionDenied where it waits for somebody who is no longer a reviewer."""
    place = place_or_404(user, handle)
    if not is_locked(place) and RoleName.REVIEWER not in role_names(user):
        raise PermissionDenied
    return place


def own_or_none(user: User, place: Assignment | None) -> Assignment | None:
    """The place if `user` may see its material as its reviewer, otherwise None."""
    if place is None:
        return None
    who = viewer(
        signed_in=user.is_authenticated,
        staff=is_study_staff(user),
        informed=False,
        holds=place.reviewer_id == user.pk,
        released=place.state == AssignmentState.RELEASED,
    )
    phase, submitted = place.item.campaign.phase, place.state == AssignmentState.SUBMITTED
    own = may_see(who, Thing.OWN_LABELS, phase, submitted=submitted)
    return place if own and place.reviewer_id == user.pk and not is_study_staff(user) else None


def waits_elsewhere(place: Assignment) -> str:
    """The campaign in which the reviewer has still to grade the same text blind, by name; "" if there is none.

    What others or a judge said about the text in this campaign is not shown to them before. A grade that was reopened
    is still to be given, and so is one for a place that was released as late and can come back.
    """
    returnable = queries.returnable(place.reviewer).values("pk")
    still = Q(state=AssignmentState.WAITING) | Q(draft__isnull=False, draft__locked_at=None)
    others = of_the_same_text(place).filter(still | Q(pk__in=returnable))
    others = others.exclude(item__campaign__phase=Phase.CLOSED)
    return others.values_list("item__campaign__name", flat=True).first() or ""


def of_the_same_text(place: Assignment) -> QuerySet[Assignment]:
    """The reviewer's places in other campaigns that show a text of this one."""
    item = place.item
    outputs = [pk for pk in (item.output_id, item.second_id) if pk is not None]
    same = (
        Q(item__output__in=outputs) | Q(item__second__in=outputs)
        if outputs
        else Q(item__instance=item.instance_id, item__output=None)
    )
    return Assignment.objects.filter(same, reviewer=place.reviewer_id).exclude(
        item__campaign=item.campaign_id
    )


def is_locked(place: Assignment) -> bool:
    """Submitted and not reopened: the page is read-only."""
    draft = getattr(place, "draft", None)
    return place.state == AssignmentState.SUBMITTED and (draft is None or draft.locked_at is not None)
