"""Reminders and late work: one mail a day, nothing told in it, drafts kept for who typed them."""

import datetime as dt
import socket

import pytest
from celery import current_app
from django.conf import settings
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.models import Role, User
from accounts.people.erasure import erase_person
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.assigning import actions as assigning_actions
from annotation.assigning import taking
from annotation.assigning.by_hand import assign_by_hand
from annotation.campaigns import reminding
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.core.own_data import own_data
from annotation.grading import actions as grading_actions
from annotation.models import Assignment, AssignmentState, Campaign, Reminder
from annotation.tasks import remind

pytestmark = pytest.mark.django_db


def due(campaign, days):
    Campaign.objects.filter(pk=campaign.pk).update(due_on=timezone.now().date() + dt.timedelta(days=days))


def test_a_due_date_says_when_its_day_ends_for_people_in_other_time_zones(
    opened, place, coordinator, algebraist
):
    """31 October 2027 has 25 hours in most of Europe, and has begun in Tokyo nine hours before."""
    Campaign.objects.filter(pk=opened.pk).update(due_on=dt.date(2027, 10, 31))
    reminding.remind_campaign(actor=coordinator, campaign=opened)
    texts = [mail.outbox[0].body]
    client = Client()
    for person, address in (
        (algebraist, reverse("queue")),
        (coordinator, reverse("studies")),
        (coordinator, reverse("campaign", args=[opened.slug])),
    ):
        client.force_login(person)
        texts.append(client.get(address).content.decode())
    assert ["31 October 2027, 24:00 UTC" in text for text in texts] == [True] * 4


def test_a_reviewer_with_waiting_work_gets_one_mail_a_day(opened, place, coordinator, algebraist):
    assert reminding.remind_campaign(actor=coordinator, campaign=opened) == {
        "sent": 1,
        "held_back": 0,
        "not_sent": 0,
    }
    assert reminding.remind_campaign(actor=coordinator, campaign=opened) == {
        "sent": 0,
        "held_back": 1,
        "not_sent": 0,
    }
    due(opened, -1)
    assert remind() == {"sent": 0, "held_back": 1, "not_sent": 0}
    [sent] = mail.outbox
    assert sent.to == [algebraist.email]
    assert own_data(algebraist)["reminders_sent"][0]["waiting"] == 1


def test_the_mail_names_no_problem_no_system_and_says_how_to_stop_it(opened, place, coordinator):
    reminding.remind_campaign(actor=coordinator, campaign=opened)
    text = mail.outbox[0].subject + mail.outbox[0].body
    told = [place.handle, place.item.instance.key, opened.name, "system", opened.release.name]
    assert [word for word in told if word in text] == []
    assert "1 item waits" in text
    assert "/profile/" in text


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        (lambda who: User.objects.filter(pk=who.pk).update(is_active=False), "account closed"),
        (lambda who: erase_person(actor=who, member=who), "account erased"),
        (lambda who: who.roles.update(name="coordinator"), "no longer a reviewer"),
        (
            lambda who: User.objects.filter(pk=who.pk).update(away_until=dt.date(2999, 1, 2)),
            "away until 2 Jan 2999",
        ),
    ],
)
def test_the_page_says_whose_waiting_places_nobody_will_fill(
    opened, place, coordinator, algebraist, client, happens, words
):
    client.force_login(coordinator)
    address = f"/grading/campaigns/{opened.slug}/"
    assert "may no longer grade" not in client.get(address).content.decode()
    happens(algebraist)
    page = client.get(address).content.decode()
    assert f'<span class="badge warn">{words}</span>' in page
    assert "1 waiting place belongs to people who are away or may no longer grade." in page
    [row] = client.get(f"/api/v1/campaigns/{opened.slug}/progress/").json()["reviewers"]
    assert row["hindrance"] == words


@pytest.mark.parametrize(
    "changes", [{"reminders": False}, {"away_until": dt.date(2999, 1, 1)}], ids=["opted out", "away"]
)
def test_who_is_away_or_wants_none_gets_none(opened, place, coordinator, algebraist, changes):
    User.objects.filter(pk=algebraist.pk).update(**changes)
    assert reminding.remind_campaign(actor=coordinator, campaign=opened)["sent"] == 0
    assert mail.outbox == []


@pytest.mark.parametrize("became", ["closed", "nobody", "coordinator", "informed"])
def test_who_may_no_longer_grade_gets_none(opened, place, coordinator, algebraist, became):
    if became == "informed":
        record(actor=None, verb="revoke_role", target=algebraist, details={"role": "coordinator"})
    elif became == "closed":
        User.objects.filter(pk=algebraist.pk).update(is_active=False)
    elif became == "coordinator":
        Role.objects.create(user=algebraist, name=became)
    else:
        Role.objects.filter(user=algebraist).delete()
    assert reminding.remind_campaign(actor=coordinator, campaign=opened) == {
        "sent": 0,
        "held_back": 1,
        "not_sent": 0,
    }
    assert mail.outbox == []
    assert not Reminder.objects.exists()


def test_opening_tells_those_who_have_places_and_nobody_else(
    drafted, coordinator, algebraist, analyst, django_capture_on_commit_callbacks, monkeypatch
):
    draw_items(actor=coordinator, campaign=drafted)
    item = drafted.items.filter(instance__key="a1").first()
    assign_by_hand(actor=coordinator, campaign=drafted, give={(item.pk, algebraist.pk)}, take=set())
    asked = []
    monkeypatch.setattr(
        current_app, "send_task", lambda name, arguments, **_: asked.append((name, arguments))
    )
    with django_capture_on_commit_callbacks(execute=True):
        open_campaign(actor=coordinator, campaign=drafted)
    assert mail.outbox == []  # the request waits for no mail server
    for name, arguments in asked:
        current_app.tasks[name](*arguments)
    assert [sent.to for sent in mail.outbox] == [[algebraist.email]]


def test_those_whom_the_opening_did_not_reach_are_told_by_beat_and_nobody_twice(
    drafted, coordinator, algebraist, second_algebraist, django_capture_on_commit_callbacks, monkeypatch
):
    draw_items(actor=coordinator, campaign=drafted)
    item, other = drafted.items.filter(instance__domain="algebra").order_by("pk")[:2]
    assign_by_hand(actor=coordinator, campaign=drafted, give={(item.pk, algebraist.pk)}, take=set())

    def refuse(*_, **__):
        raise OperationalError("the broker is away")

    with monkeypatch.context() as patch, django_capture_on_commit_callbacks(execute=True):
        patch.setattr(current_app, "send_task", refuse)
        open_campaign(actor=coordinator, campaign=drafted)
    assign_by_hand(actor=coordinator, campaign=drafted, give={(other.pk, second_algebraist.pk)}, take=set())
    task = current_app.tasks[settings.CELERY_BEAT_SCHEDULE["tell-reviewers"]["task"]]
    assert task() == {"sent": 1, "held_back": 0, "not_sent": 0}
    assert task() == {"sent": 0, "held_back": 0, "not_sent": 0}
    assert [sent.to for sent in mail.outbox] == [[algebraist.email]]
    yesterday = timezone.now() - dt.timedelta(days=1)
    Reminder.objects.update(sent_on=yesterday.date())
    Campaign.objects.update(opened_at=yesterday + dt.timedelta(minutes=1))
    assert task()["sent"] == 0  # they were told then
    Reminder.objects.all().delete()
    Campaign.objects.update(opened_at=yesterday - dt.timedelta(minutes=1))
    assert task()["sent"] == 0  # that is no longer news


@pytest.mark.parametrize(("days", "sent"), [(4, 0), (3, 1), (-5, 1)])
def test_the_daily_task_mails_what_is_due_within_three_days_or_was(opened, place, days, sent):
    due(opened, days)
    assert remind()["sent"] == sent


def test_a_campaign_that_opened_by_a_clock_a_year_ahead_is_not_told_of_every_day_until_then(opened, place):
    Assignment.objects.update(assigned_at=opened.opened_at)
    Campaign.objects.update(opened_at=timezone.now() + dt.timedelta(days=365))
    assert reminding.tell_missed() == {"sent": 0, "held_back": 0, "not_sent": 0}


def test_a_mail_that_was_noted_by_a_clock_a_year_ahead_keeps_nobody_from_being_told(opened, place):
    Assignment.objects.update(assigned_at=opened.opened_at)
    Reminder.objects.create(
        reviewer=place.reviewer, sent_on=timezone.now().date() + dt.timedelta(days=365), waiting=1
    )
    assert reminding.tell_missed() == {"sent": 1, "held_back": 0, "not_sent": 0}


def test_a_mail_that_was_not_sent_may_be_tried_again_the_same_day(opened, place, coordinator, monkeypatch):
    def refuse(*_, **__):
        raise OSError("no mail server")

    with monkeypatch.context() as patch:
        patch.setattr("annotation.campaigns.reminding.send_mail", refuse)
        counts = reminding.remind_campaign(actor=coordinator, campaign=opened)
        assert counts == {"sent": 0, "held_back": 0, "not_sent": 1}
        client = Client()
        client.force_login(coordinator)
        page = client.post("/grading/campaigns/round-1/remind/", follow=True).content.decode()
        assert "1 not reminded: the mail server did not take the email" in page
    assert reminding.remind_campaign(actor=coordinator, campaign=opened)["sent"] == 1


def test_a_mail_server_that_is_silent_holds_a_worker_up_for_one_person_only(
    opened, place, coordinator, second_algebraist, monkeypatch
):
    item = opened.items.exclude(pk=place.item_id).first()
    Assignment.objects.create(item=item, reviewer=second_algebraist, handle="R9", position=1)
    asked = []

    def wait(_subject, _text, _sender, to):
        asked.append(to)
        raise OSError("timed out")

    monkeypatch.setattr(settings, "EMAIL_TIMEOUT", 0)
    monkeypatch.setattr("annotation.campaigns.reminding.send_mail", wait)
    counts = reminding.remind_campaign(actor=coordinator, campaign=opened)
    assert (counts["not_sent"], len(asked)) == (2, 1)
    assert not Reminder.objects.exists()


def test_the_database_holds_one_reminder_a_day_about_something(algebraist):
    today = timezone.now().date()
    Reminder.objects.create(reviewer=algebraist, sent_on=today, waiting=1)
    for terms in ({"sent_on": today, "waiting": 2}, {"sent_on": today + dt.timedelta(1), "waiting": 0}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Reminder.objects.create(reviewer=algebraist, **terms)


def test_late_work_goes_to_who_is_not_late_and_the_draft_stays_with_its_author(
    opened, place, coordinator, algebraist, second_algebraist
):
    grading_actions.save_draft(
        reviewer=algebraist, assignment=place, version=0, content={"note": "half done"}
    )
    due(opened, -1)
    assert assigning_actions.release_late(actor=coordinator, campaign=opened) == {
        "released": 1,
        "reassigned": 1,
    }
    place.refresh_from_db()
    assert (place.state, place.release_reason) == (AssignmentState.RELEASED, "late")
    given = Assignment.objects.get(item=place.item, reviewer=second_algebraist)
    assert not hasattr(given, "draft")
    assert place.draft.content == {"note": "half done"}


def test_who_returns_gets_their_place_back_with_its_draft(opened, place, coordinator, algebraist):
    grading_actions.save_draft(
        reviewer=algebraist, assignment=place, version=0, content={"note": "half done"}
    )
    due(opened, -1)
    assigning_actions.release_late(actor=coordinator, campaign=opened)
    back = taking.take_next(reviewer=algebraist, campaign=opened)
    assert (back, back.state, back.draft.content) == (place, AssignmentState.WAITING, {"note": "half done"})
    back.item.refresh_from_db()
    assert back.item.places_taken == 1


def test_nothing_is_late_before_the_due_date_and_reviewers_release_nothing(
    opened, place, coordinator, algebraist
):
    with pytest.raises(Refused, match="no due date in the past"):
        assigning_actions.release_late(actor=coordinator, campaign=opened)
    with pytest.raises(NotAllowed):
        assigning_actions.release_late(actor=algebraist, campaign=opened)
    with pytest.raises(NotAllowed):
        reminding.remind_campaign(actor=algebraist, campaign=opened)


def test_page_and_rest_do_the_same(opened, place, coordinator):
    due(opened, -1)
    client = Client()
    client.force_login(coordinator)
    assert "Release late work" in client.get("/grading/campaigns/round-1/").content.decode()
    assert client.post("/grading/campaigns/round-1/remind/").status_code == 302
    assert client.post("/api/v1/campaigns/round-1/remind/").json() == {
        "sent": 0,
        "held_back": 1,
        "not_sent": 0,
    }
    assert len(mail.outbox) == 1
    reply = client.post("/api/v1/campaigns/round-1/release-late/").json()
    assert reply == {"released": 1, "reassigned": 0}
    client.post("/grading/campaigns/round-1/release-late/")


def test_a_mail_server_that_never_answers_ends_a_reminder_which_may_be_tried_again(
    opened, place, coordinator, monkeypatch
):
    assert 0 < settings.EMAIL_TIMEOUT < 30  # less than a web server gives a request
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config = {"EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend"}
        monkeypatch.setattr(settings, "EMAIL_CONFIG", config)
        monkeypatch.setattr(settings, "EMAIL_BACKEND", "config.mail.NotedBackend")
        monkeypatch.setattr(settings, "EMAIL_HOST", "127.0.0.1")
        monkeypatch.setattr(settings, "EMAIL_PORT", silent.getsockname()[1])
        monkeypatch.setattr(settings, "EMAIL_TIMEOUT", settings.EMAIL_TIMEOUT / 100)
        assert reminding.remind_campaign(actor=coordinator, campaign=opened)["sent"] == 0
    assert not Reminder.objects.exists()
