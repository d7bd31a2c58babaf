"""Preferences, the broad domains that narrow ones cover, everything stored about a person, and erasure."""

import datetime as dt
import json

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import AuditEvent, IdempotencyRecord, Invitation, User
from accounts.people import erasure, invitations
from accounts.profile import actions as profile_actions
from accounts.profile.domains import RE2MATH, SUGGESTED, covered
from accounts.profile.personal_data import personal_data
from accounts.profile.tokens import create_token
from accounts.refusal import NotAllowed, Refused
from accounts.site.mail import note_mail
from accounts.tasks import forget_old_answers
from accounts.trail import record
from annotation.assigning.actions import plan_assignment
from annotation.conflicts.actions import decide_conflict, enter_conflict
from annotation.core import queries
from annotation.grading.actions import save_draft
from annotation.models import Draft, Occasion, SideDraft
from tests.annotation.campaigns import drafted, opened, place, rubric  # noqa: F401
from tests.annotation.grading import submit
from tests.conftest import PASSWORD, member

pytestmark = pytest.mark.django_db


def preferences(person, **changes):
    values = {"capacity": None, "away_until": None, "credit": "anonymous", **changes}
    profile_actions.set_preferences(actor=person, **values)


def test_a_narrow_domain_covers_the_broad_one_and_not_the_other_way_round():
    assert covered({"math.NT": 3}) == {"math.NT": 3, "algebra_number_theory": 3}
    assert covered({"algebra_number_theory": 3}) == {"algebra_number_theory": 3}
    assert covered({"MSC 14": 1})["geometry_topology"] == 1
    assert covered({"MSC 11": 2, "math.NT": 1})["algebra_number_theory"] == 2


def test_what_is_said_about_a_domain_itself_counts_first():
    assert covered({"math.NT": 3, "algebra_number_theory": 1})["algebra_number_theory"] == 1


def test_every_broad_domain_is_covered_by_some_narrow_one():
    broad = {domain for narrow in SUGGESTED for domain in covered({narrow: 1})} - {*SUGGESTED} | {
        domain for narrow in SUGGESTED if narrow not in RE2MATH for domain in covered({narrow: 1})
    }
    assert set(RE2MATH) <= broad


def test_a_plan_keeps_to_the_capacity(drafted, algebraist, coordinator):  # noqa: F811
    actions_before = plan_for(drafted, coordinator, algebraist)
    assert actions_before == 4  # two problems of algebra, answered by two systems
    preferences(algebraist, capacity=3)
    assert plan_for(drafted, coordinator, algebraist) == 3


def plan_for(campaign, coordinator, person):
    from annotation.campaigns.actions import draw_items

    if not campaign.items.exists():
        draw_items(actor=coordinator, campaign=campaign)
    return sum(1 for _, reviewer in plan_assignment(campaign).pairs if reviewer == person.pk)


def test_a_plan_leaves_out_who_is_away(drafted, algebraist, coordinator):  # noqa: F811
    today = timezone.now().date()
    preferences(algebraist, away_until=today)
    assert plan_for(drafted, coordinator, algebraist) == 0
    with time_machine.travel(timezone.now() + dt.timedelta(days=1)):
        assert plan_for(drafted, coordinator, algebraist) == 4


def test_who_states_a_narrow_field_may_take_items_of_the_broad_one(opened, coordinator):  # noqa: F811
    person = member("nina@study.test", "Nina Narrow", "reviewer", "MSC 11")
    assert not queries.has_free(person, opened)
    domains = queries.confidences(person)
    assert domains == {"MSC 11": 2, "algebra_number_theory": 2}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"capacity": 0}, "capacity"),
        ({"credit": "fame"}, "credit"),
        ({"credit": "pseudonym", "pseudonym": "  "}, "pseudonym"),
    ],
)
def test_preferences_that_make_no_sense_are_refused_at_their_field(algebraist, changes, field):
    with pytest.raises(Refused) as refusal:
        preferences(algebraist, **changes)
    assert refusal.value.field == field


def test_the_profile_saves_preferences_and_names_the_field_at_fault(client, algebraist):
    client.force_login(algebraist)
    sent = {"capacity": "5", "away_until": "2030-01-31", "credit": "pseudonym", "pseudonym": "Hypatia"}
    assert client.post("/profile/preferences/", sent).status_code == 302
    algebraist.refresh_from_db()
    kept = (algebraist.capacity, str(algebraist.away_until), algebraist.credit, algebraist.pseudonym)
    assert kept == (5, "2030-01-31", "pseudonym", "Hypatia")
    assert algebraist.reminders is False  # an unticked box
    reply = client.post("/profile/preferences/", {"capacity": "5", "credit": "pseudonym"})
    assert reply.status_code == 422
    assert "Give the pseudonym" in reply.content.decode()


def test_rest_sets_preferences(client, algebraist):
    client.force_login(algebraist)
    sent = {"capacity": None, "away_until": None, "credit": "named"}
    reply = client.put("/api/v1/me/preferences/", sent, content_type="application/json")
    assert (reply.status_code, reply.json()["credit"]) == (200, "named")


def test_a_person_downloads_everything_about_themselves_and_no_system(client, algebraist, place):  # noqa: F811
    client.force_login(algebraist)
    reply = client.get("/grading/own-data/")
    assert reply["Content-Disposition"] == 'attachment; filename="my-data.json"'
    data = json.loads(reply.content)
    assert data["account"]["email"] == "ada@study.test"
    assert [row["handle"] for row in data["places"]] == [place.handle]
    assert {event["verb"] for event in data["audit_trail"]} == {"take_item"}
    assert "first-system" not in reply.content.decode()
    assert "second-system" not in reply.content.decode()


def test_nobody_counts_what_others_did_by_the_numbers_in_their_own_trail(algebraist, analyst):
    people = User.objects.order_by("pk")
    for actor, verb, target in (
        *((analyst, "look", person) for person in people),
        (algebraist, "first", people[1]),
        (algebraist, "second", people[0]),
        (algebraist, "third", people[1]),
    ):
        record(actor=actor, verb=verb, target=target)
    trail = personal_data(algebraist)["audit_trail"]
    assert [(event["verb"], event["target_key"]) for event in trail] == [
        ("third", "1"),
        ("second", "2"),
        ("first", "1"),
    ]


def test_an_erased_person_leaves_labels_and_nothing_else(client, algebraist, place):  # noqa: F811
    client.force_login(algebraist)
    preferences(algebraist, credit="pseudonym", pseudonym="Hypatia")
    profile_actions.rename(actor=algebraist, name="Ada of Alexandria")
    assert client.post("/profile/erase/", {"password": "wrong"}).status_code == 422
    assert client.post("/profile/erase/", {"password": PASSWORD}).headers["Location"] == "/erased/"
    row = User.objects.get(pk=algebraist.pk)
    assert (row.email, row.name, row.pseudonym, row.is_active) == (
        f"erased-{row.pk}@invalid.invalid", "", "", False,
    )  # fmt: skip
    assert not row.has_usable_password()
    assert not row.roles.exists()
    assert not row.expertise.exists()
    place.refresh_from_db()
    assert place.reviewer_id == row.pk
    trail = json.dumps(list(AuditEvent.objects.values("details", "reason", "target_key")))
    assert "Ada" not in trail
    assert "ada@" not in trail
    assert client.get("/profile/").status_code == 302  # signed out


def test_what_an_erased_person_had_not_submitted_is_deleted(owner, algebraist, place):  # noqa: F811
    save_draft(reviewer=algebraist, assignment=place, version=0, content={"note": "As I said to Theon."})
    SideDraft.objects.create(reviewer=algebraist, assignment=place, occasion=Occasion.VERDICT, content={})
    erasure.erase_person(actor=owner, member=algebraist)
    assert (Draft.objects.count(), SideDraft.objects.count()) == (0, 0)


def test_a_submitted_grade_of_an_erased_person_keeps_what_was_typed(owner, algebraist, place):  # noqa: F811
    submit(algebraist, place, correctness="incorrect", rigour="2")
    erasure.erase_person(actor=owner, member=algebraist)
    assert Draft.objects.get().assignment == place


def test_nothing_that_an_erased_person_typed_about_themselves_is_left(owner, coordinator):
    invitations.invite(actor=owner, email="hypatia@study.test", role="reviewer")
    made = invitations.invite(actor=owner, email="hypatia@study.test", role="reviewer")
    person = invitations.accept_invitation(token=made.token, name="Hypatia", password=PASSWORD, expertise={})
    profile_actions.declare_conflict(actor=person, kind="person", key="Theon", reason="Hypatia's father")
    conflict = enter_conflict(actor=coordinator, member=person, kind="institution", key="Theon's Museion")
    decide_conflict(actor=coordinator, conflict=conflict, targets=[])
    profile_actions.withdraw_conflict(actor=person, kind="person", key="Theon")
    create_token(actor=person, label="Hypatia's laptop")
    erasure.erase_person(actor=person, member=person)
    rows = [*AuditEvent.objects.values(), *User.objects.values(), *Invitation.objects.values()]
    assert [row for row in rows if "hypatia" in str(row).lower() or "Theon" in str(row)] == []


def test_what_the_mail_server_said_of_an_erased_address_does_not_name_it(client, owner, algebraist, settings):
    settings.EMAIL_LEAVES = True
    note_mail(f"{{'{algebraist.email}': (550, b'No such user')}}")
    erasure.erase_person(actor=owner, member=algebraist)
    client.force_login(owner)
    page = client.get("/status/").content.decode()
    assert "No such user" in page
    assert algebraist.email not in page


def test_the_last_owner_cannot_be_erased(owner):
    with pytest.raises(Refused, match="last owner"):
        erasure.erase_person(actor=owner, member=owner)


def test_only_oneself_or_an_owner_erases(owner, coordinator, algebraist, analyst):
    for actor in (coordinator, analyst):
        with pytest.raises(NotAllowed):
            erasure.erase_person(actor=actor, member=algebraist)
    erasure.erase_person(actor=owner, member=algebraist, reason="asked for it")
    with pytest.raises(Refused, match="already been erased"):
        erasure.erase_person(actor=owner, member=algebraist)


def test_an_owner_erases_only_after_typing_the_word(client, owner, algebraist):
    client.force_login(owner)
    client.post(f"/people/{algebraist.pk}/erase/", {"confirm": "no"})
    assert User.objects.get(pk=algebraist.pk).erased_at is None
    client.post(f"/people/{algebraist.pk}/erase/", {"confirm": "erase", "reason": "asked"})
    assert User.objects.get(pk=algebraist.pk).erased_at is not None


def test_the_database_itself_refuses_half_erased_people_and_strange_preferences(algebraist):
    for values in (
        {"erased_at": timezone.now()},
        {"credit": "fame"},
        {"credit": "pseudonym", "pseudonym": ""},
        {"capacity": 0},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.filter(pk=algebraist.pk).update(**values)


def test_only_owners_erase_others_from_the_console(console, owner, coordinator, algebraist):
    address = f"people/{algebraist.pk}/erase/"
    with pytest.raises(CommandError, match="do not have permission"):
        call_command("api", "POST", address, "--as", coordinator.email)
    assert User.objects.get(pk=algebraist.pk).erased_at is None
    call_command("api", "POST", address, "--as", owner.email)
    assert User.objects.get(pk=algebraist.pk).email.startswith("erased-")


def test_stored_answers_are_forgotten_after_a_week(algebraist):
    values = {"user": algebraist, "request_sha256": "0" * 64, "status": 200, "body": {}}
    IdempotencyRecord.objects.create(key="new", **values)
    old = timezone.now() - dt.timedelta(days=8)
    IdempotencyRecord.objects.create(key="old", created_at=old, **values)
    assert forget_old_answers() == 1
    assert IdempotencyRecord.objects.get().key == "new"


@pytest.mark.parametrize("path", ["/privacy/", "/erased/"])
def test_the_pages_on_privacy_need_no_account(client, path):
    assert client.get(path).status_code == 200


def test_staff_are_not_asked_what_they_can_judge(client, coordinator, algebraist):
    client.force_login(coordinator)
    assert "What you can judge" not in client.get("/profile/").content.decode()
    client.force_login(algebraist)
    assert "What you can judge" in client.get("/profile/").content.decode()
