"""Nobody who is informed gets past the cheap question: `MAY_BE_INFORMED` holds of all of `informed_people`."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusal import NotAllowed
from accounts.trail import record
from annotation.assigning.taking import take_next
from annotation.core.identities import MAY_BE_INFORMED, informed_people
from annotation.models import Item, Unblinding
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.conftest import member
from tests.factories import CampaignFactory, ItemFactory

pytestmark = pytest.mark.django_db


def may_be_informed(person):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {MAY_BE_INFORMED}", {"reviewer": person.pk})
        return bool(cursor.fetchone()[0])


def imported(person, campaign):
    record(actor=person, verb="import_outputs", target=campaign.release.runs.first())


def left_staff(person, campaign):
    record(actor=None, verb="revoke_role", target=person, details={"role": "coordinator"})


def asked_to_unblind(person, campaign):
    unblinded(campaign, requested_by=person, confirmed_by=member("x@study.test", "X", "owner"))


def confirmed_unblinding(person, campaign):
    unblinded(campaign, requested_by=member("x@study.test", "X", "owner"), confirmed_by=person)


def unblinded(campaign, **people):
    now = timezone.now()
    other = CampaignFactory(
        release=campaign.release, slug="before", phase="closed", opened_at=now, closed_at=now
    )
    Unblinding.objects.create(campaign=other, reason="Done.", confirmed_at=now, **people)


WAYS = [imported, left_staff, asked_to_unblind, confirmed_unblinding]


def test_the_question_is_false_of_a_reviewer_who_took_and_submitted(place, algebraist):
    assert AuditEvent.objects.filter(actor=algebraist).exists()
    assert not may_be_informed(algebraist)


@pytest.mark.parametrize("way", WAYS)
def test_whichever_way_somebody_was_informed_the_question_is_true_of_them_alone(
    way, opened, algebraist, analyst
):
    way(algebraist, opened)
    assert algebraist.pk in informed_people(opened.release)
    assert may_be_informed(algebraist)
    assert not may_be_informed(analyst)


@pytest.mark.parametrize("way", WAYS)
def test_they_take_nothing_and_submit_nothing_from_then_on(way, place, opened, algebraist):
    way(algebraist, opened)
    with pytest.raises(NotAllowed, match="seen which systems"):
        take_next(reviewer=algebraist, campaign=opened)
    with pytest.raises(NotAllowed, match="seen which systems"):
        submit_grade(
            reviewer=algebraist,
            assignment=place,
            content=COMPLETE,
            idempotency_key="k",
            rubric_sha256=opened.rubric.sha256,
        )
    place.refresh_from_db()
    assert place.state == "waiting"


def test_a_way_that_concerns_another_release_only_asks_for_a_closer_look(place, opened, algebraist):
    other = ItemFactory(campaign__slug="elsewhere").campaign
    imported(algebraist, other)
    assert may_be_informed(algebraist)
    assert take_next(reviewer=algebraist, campaign=opened)


def test_an_item_of_another_domain_than_its_instance_is_refused_by_the_database():
    with pytest.raises(IntegrityError, match="domain of its instance"), transaction.atomic():
        ItemFactory(domain="topology")
    item = ItemFactory()
    with pytest.raises(IntegrityError, match="domain of its instance"), transaction.atomic():
        Item.objects.filter(pk=item.pk).update(domain="topology")
