"""The hub of a study: what its steps say in each state, what comes next, and that it reveals nothing."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.refusal import NotAllowed
from accounts.site.mail import note_mail
from annotation.assigning.actions import say_out_of_field
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import close_campaign, create_campaign, draw_items, open_campaign
from annotation.campaigns.revising import revise_campaign
from benchmark.describing.actions import describe_release
from benchmark.identities.actions import scan_outputs
from benchmark.models import Release
from benchmark.releases.integrity import release_sha256
from reports.hub.actions import copy_study
from reports.hub.facts import facts_of, last_events
from reports.hub.steps import State, next_of, steps_of
from tests.annotation.grading import submit
from tests.annotation.samples import COMPLETE
from tests.benchmark.test_pages import fill
from tests.conftest import member
from tests.factories import CampaignFactory, InstanceFactory, OutputFactory, ReleaseFactory, RunFactory

pytestmark = pytest.mark.django_db
OTHER = {"correctness": "correct", "rigour": "4"}


def steps(release: Release) -> dict[str, tuple[State, str, str]]:
    return {step.name: (step.state, step.says, step.detail) for step in steps_of(facts_of(release))}


def coming(release: Release) -> str:
    return next_of(facts_of(Release.objects.get(pk=release.pk))).says


def test_a_study_with_problems_alone_asks_for_outputs():
    release = ReleaseFactory(name="bare")
    InstanceFactory(release=release, domain="algebra")
    said = steps(release)
    assert said["Problems"][:2] == (State.DONE, "1 problem in 1 field")
    assert said["Outputs"][:2] == (State.NEEDED, "What the systems wrote is not here yet")
    assert said["Grading"] == (State.AHEAD, "Not set up", "Waits for outputs")
    assert said["Results"] == (State.AHEAD, "Waits for outputs", "")
    assert said["Publication"][1] == "Not started"
    assert coming(release) == "Import what the systems wrote"


def test_each_thing_that_is_done_leads_to_the_next(drafted, coordinator, owner, algebraist, analyst, client):
    release = drafted.release
    assert coming(release) == "Finish setting up Round one"
    draw_items(actor=coordinator, campaign=drafted)
    open_campaign(actor=coordinator, campaign=drafted)
    assert steps(release)["Grading"] == (State.WORKING, "0 of 12 reports", "No closing date is set")
    assert coming(release) == "Describe the study"
    others = [member(f"r{n}@study.test", f"R{n}", "reviewer", "algebra", "analysis") for n in range(2)]
    for person in others:
        for _ in range(6):
            place = take_next(reviewer=person, campaign=drafted)
            submit(person, place, **(COMPLETE["answers"] if person == others[0] else OTHER))
    assert coming(release) == "Close Round one: all reports are in"
    assert steps(release)["Results"][0] == State.AHEAD
    close_campaign(actor=coordinator, campaign=drafted)
    assert coming(release) == "Decide about 6 proofs on which referees differ"
    assert steps(release)["Results"][:2] == (State.NEEDED, "6 proofs on which referees differ")
    assert steps(release)["People"][:2] == (State.DONE, "2 referees")


def test_texts_that_may_reveal_their_authors_come_first(drafted):
    run = drafted.release.runs.first()
    telling = OutputFactory(
        run=run, attempt=2, instance=drafted.release.instances.first(), text="As GPT-5, I say so."
    )
    scan_outputs(drafted.release, [telling])
    assert coming(drafted.release) == "Decide about 1 text that may reveal its author"
    assert steps(drafted.release)["Outputs"][2] == "1 text may reveal its author"


def test_what_is_late_or_given_back_is_said(opened, coordinator, algebraist):
    place = take_next(reviewer=algebraist, campaign=opened)
    say_out_of_field(reviewer=algebraist, assignment=place)
    assert coming(opened.release) == "Find 1 referee for what was given back"
    take_next(reviewer=algebraist, campaign=opened)
    opened.due_on = timezone.now().date() - dt.timedelta(days=1)
    opened.save()
    state, _, detail = steps(opened.release)["Grading"]
    assert (state, detail) == (State.NEEDED, "Past its due date, 1 late, 1 given back")


@pytest.mark.parametrize(("days", "says"), [(0, "Due today"), (1, "Due in 1 day"), (6, "Due in 6 days")])
def test_the_time_that_is_left_is_said(opened, coordinator, days, says):
    due = timezone.now().date() + dt.timedelta(days=days)
    revise_campaign(actor=coordinator, campaign=opened, due_on=due, instructions="")
    assert steps(opened.release)["Grading"][2] == says


def test_a_frozen_study_says_since_when():
    release = ReleaseFactory(frozen_at=dt.datetime(2026, 11, 2, tzinfo=dt.UTC))
    assert steps(release)["Problems"][2] == "Frozen on 2 Nov 2026"


def test_while_grading_is_open_the_page_names_no_system_and_no_answer(
    client, opened, coordinator, algebraist
):
    place = take_next(reviewer=algebraist, campaign=opened)
    submit(algebraist, place, **COMPLETE["answers"])
    client.force_login(coordinator)
    page = client.get(reverse("study", args=[opened.release.name])).content.decode()
    main = page.split("<main")[1]
    assert f"Ada Algebraist submitted a report on {place.item.instance.key}" in main
    for word in ("first-system", "second-system", "incorrect", "Every step holds"):
        assert word not in main


def test_mail_that_does_not_leave_is_said_above_everything(client, coordinator, settings):
    release = ReleaseFactory()
    client.force_login(coordinator)
    address = reverse("study", args=[release.name])
    settings.EMAIL_LEAVES = True
    assert "was not sent" not in client.get(address).content.decode()
    note_mail("Connection refused")
    page = client.get(address).content.decode()
    assert page.index("The last message was not sent: Connection refused") < page.index("Next:")


def test_the_newest_events_come_first(opened, coordinator, algebraist):
    submit(algebraist, take_next(reviewer=algebraist, campaign=opened), **COMPLETE["answers"])
    says = [event.says for event in last_events(opened.release)]
    assert says[0].startswith("Ada Algebraist submitted a report on ")
    assert says[1:3] == ["Round one was opened", "Round one was created"]


def test_the_list_of_studies_counts_without_multiplying(client, coordinator):
    release = fill(ReleaseFactory(name="small"), domains=2, instances=2, runs=3)
    CampaignFactory(release=release, name="Round one")
    client.force_login(coordinator)
    page = client.get(reverse("studies"))
    ((row, (campaign,)),) = page.context["studies"]
    assert (row.instance_count, row.run_count, campaign.name) == (4, 3, "Round one")
    assert 'href="/studies/small/"' in page.content.decode()


def test_an_empty_list_of_studies_says_how_to_begin(client, coordinator):
    client.force_login(coordinator)
    assert "A study begins with its problems" in client.get(reverse("studies")).content.decode()


@pytest.mark.parametrize("size", [1, 4])
def test_the_hub_takes_the_same_queries_whatever_its_size(
    client, coordinator, django_assert_num_queries, size
):
    release = ReleaseFactory()
    for n in range(size):
        run = RunFactory(release=release, system__slug=f"system-{n}")
        for _ in range(size):
            OutputFactory(run=run, instance=InstanceFactory(release=release))
    client.force_login(coordinator)
    client.get(reverse("study", args=[release.name]))
    with django_assert_num_queries(19):
        client.get(reverse("study", args=[release.name]))


@pytest.mark.parametrize("old", ["releases", "campaigns"])
def test_old_addresses_of_lists_lead_to_the_studies(client, coordinator, old):
    client.force_login(coordinator)
    assert client.get(reverse(old)).url == reverse("studies")


def test_a_study_is_copied_with_its_problems_description_and_settings_but_nothing_that_was_made(
    drafted, coordinator, owner, algebraist, client
):
    release = drafted.release
    Release.objects.filter(pk=release.pk).update(sha256=release_sha256(release))
    release.refresh_from_db()
    terms = {
        "rubric": "proofs-v1",
        "reviewers_per_item": 2,
        "instructions": "Read twice.",
        "least_authors": 1,
    }
    graded = create_campaign(actor=coordinator, name="Graded", release=release, **terms)
    revise_campaign(actor=coordinator, campaign=graded, split_by="verdict", with_search=True)
    draw_items(actor=coordinator, campaign=graded)
    opened = open_campaign(actor=coordinator, campaign=graded)
    take_next(reviewer=algebraist, campaign=opened)
    describe_release(
        actor=owner,
        release=release,
        licence="CC0-1.0",
        creators="A. Author",
        published_on=dt.date(2026, 11, 1),
    )
    client.force_login(coordinator)
    address = reverse("study-copy", args=[release.name])
    assert address in client.get(reverse("study", args=[release.name])).content.decode()
    sent = {"name": "second-batch", "described": "on", "campaigns": [opened.pk], "due_on": "2090-01-31"}
    reply = client.post(address, sent)
    assert reply.status_code == 302, reply.content.decode()
    assert reply.url == reverse("study", args=["second-batch"])
    made = Release.objects.get(name="second-batch")
    assert (made.sha256, made.frozen_at, release_sha256(made)) == (release.sha256, None, release.sha256)
    assert made.description.creators == "A. Author"
    (copied,) = made.campaigns.all()
    same = (
        "name",
        "rubric",
        "kind",
        "track",
        "reviewers_per_item",
        "problem_rule",
        "split_by",
        "with_search",
        "instructions",
    )
    assert [getattr(copied, field) for field in same] == [getattr(opened, field) for field in same]
    assert (copied.phase, copied.due_on, copied.items.count()) == ("draft", dt.date(2090, 1, 31), 0)
    assert not made.runs.exists()
    again = client.post(address, sent)
    assert again.status_code == 422
    assert "There is already a study second-batch" in again.content.decode()
    assert "cannot name a release" in client.post(address, {"name": "no name"}).content.decode()
    bare = client.post(address, {"name": "bare-copy"})
    assert bare.status_code == 302
    assert not Release.objects.get(name="bare-copy").campaigns.exists()


@pytest.mark.parametrize("number", ["9223372036854775808", "9" * 40])
def test_a_number_that_no_campaign_can_have_is_no_choice(drafted, coordinator, client, number):
    client.force_login(coordinator)
    sent = {"name": "second-batch", "campaigns": [number]}
    reply = client.post(reverse("study-copy", args=[drafted.release.name]), sent)
    assert reply.status_code == 422
    assert "is not one of the available choices" in reply.content.decode()
    assert "second-batch" in reply.content.decode()


def test_only_the_staff_copies_a_study(drafted, algebraist):
    with pytest.raises(NotAllowed):
        copy_study(actor=algebraist, release=drafted.release, name="mine", described=False, campaigns=[])


def test_names_and_dates_change_as_far_as_the_phase_allows(drafted, coordinator, client):
    client.force_login(coordinator)
    release = drafted.release
    address = reverse("study-names", args=[release.name])
    sent = {f"name-{drafted.pk}": "Round two", f"due-{drafted.pk}": "2090-02-01"}
    assert client.post(address, sent).status_code == 302
    drafted.refresh_from_db()
    assert (drafted.name, drafted.due_on) == ("Round two", dt.date(2090, 2, 1))
    draw_items(actor=coordinator, campaign=drafted)
    open_campaign(actor=coordinator, campaign=drafted)
    sent = {f"name-{drafted.pk}": "Another", f"due-{drafted.pk}": ""}
    assert client.post(address, sent).status_code == 302
    drafted.refresh_from_db()
    assert (drafted.name, drafted.due_on) == ("Round two", None)
    assert client.post(address, {f"due-{drafted.pk}": "soon"}).status_code == 422


def test_a_due_date_that_is_over_is_refused_at_the_field_of_its_campaign(drafted, coordinator, client):
    client.force_login(coordinator)
    name, over = drafted.release.name, "2020-01-01"
    sent = {f"name-{drafted.pk}": "Round two", f"due-{drafted.pk}": over}
    renamed = client.post(reverse("study-names", args=[name]), sent)
    copied = client.post(
        reverse("study-copy", args=[name]), {"name": "copy", "campaigns": [drafted.pk], "due_on": over}
    )
    reason = ["This day is over. Choose today or a later day."]
    assert renamed.context["form"].errors == {f"due-{drafted.pk}": reason}
    assert copied.context["form"].errors == {"due_on": reason}
