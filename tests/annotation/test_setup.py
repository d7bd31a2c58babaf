"""A campaign is set up step by step: saved, left, resumed, changed, and opened without reading anything else."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.refusal import Refused
from annotation.campaigns.actions import close_campaign, draw_items, set_least_authors
from annotation.campaigns.revising import keep_setup, revise_campaign
from annotation.models import Campaign, CampaignKind, CampaignSetup
from benchmark.identities.actions import scan_identities
from benchmark.models import Output, Release, ReleaseDescription, System
from benchmark.protocols import get_protocol
from benchmark.releases.integrity import release_sha256
from tests.conftest import member
from tests.factories import AssignmentFactory, InstanceFactory, OutputFactory, ReleaseFactory, RunFactory

LEAST = {"split_by": "level", "least_authors": "1"}  # there are one or two systems
pytestmark = pytest.mark.django_db
LATER = {"due_on": "2090-02-01", "instructions": "Lemma 3 may be used."}
ITEMS = {"extent": "all", "seed": "5", "minutes_per_item": "30"}


def rubric_of(kind: str) -> str:
    return next(rubric.label for rubric in get_protocol("proofs").rubrics if rubric.kind == kind)


def step(slug: str, name: str) -> str:
    return reverse("campaign-setup-step", args=[slug, name])


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.fixture
def terms(drafted: Campaign) -> dict[str, object]:
    """What the first step takes: six answers in the release, four in algebra and two in analysis."""
    kind = {"release": drafted.release.pk, "track": "raw", "rubric": rubric_of("grade")}
    return {"name": "Autumn round", **kind}


@pytest.fixture
def begun(carl, terms) -> Campaign:
    assert carl.post(reverse("campaign-new"), terms).url == step("autumn-round", "items")
    return Campaign.objects.get(slug="autumn-round")


def test_six_steps_lead_from_a_release_to_an_open_campaign(carl, begun, algebraist, analyst):
    """Six outputs with one reviewer each, at 30 minutes: three hours."""
    assert carl.post(step(begun.slug, "items"), ITEMS).url == step(begun.slug, "people")
    people = {"reviewers_per_item": "1", "problem_rule": "together", "due_on": "2090-01-31"} | LEAST
    people["split_by"] = "verdict"
    assert carl.post(step(begun.slug, "people"), people).url == step(begun.slug, "options")
    told = {"instructions": "Read closely.", "ask_for_guesses": "on"}
    assert carl.post(step(begun.slug, "options"), told).url == step(begun.slug, "plan")
    assert "Draw 6 items and plan" in carl.get(step(begun.slug, "plan")).content.decode()
    assert not begun.items.exists()
    carl.post(step(begun.slug, "plan"), {"verb": "draw"})
    plan = carl.get(step(begun.slug, "plan"))
    assert "6/6" in plan.content.decode()
    assert plan.context["hours"] == 3
    apply = {"verb": "apply", "plan": plan.context["plan"].sha256}
    assert carl.post(step(begun.slug, "plan"), apply).url == step(begun.slug, "opening")
    summary = carl.get(step(begun.slug, "opening")).content.decode()
    for fact in (
        "6 items",
        "6 gradings, about 3.0 expert hours",
        "6 of 6 places",
        "31 January 2090",
        "Read closely.",
    ):
        assert fact in summary
    assert carl.post(step(begun.slug, "opening")).url == reverse("campaign", args=[begun.slug])
    begun.refresh_from_db()
    assert (begun.phase, begun.problem_rule, begun.seed) == ("open", "together", 5)
    assert begun.split_by == "verdict"
    assert begun.guess_question.asked_by.email == "carl@study.test"


def test_a_draft_that_was_left_is_resumed_where_it_stood(carl, begun):
    carl.post(step(begun.slug, "items"), ITEMS | {"verb": "leave"})
    assert carl.get(reverse("campaign-setup", args=[begun.slug])).url == step(begun.slug, "people")
    page = carl.get(step(begun.slug, "items")).content.decode()
    assert 'value="30"' in page
    assert carl.get(step(begun.slug, "plan")).url == reverse("campaign-setup", args=[begun.slug])


def test_counting_saves_nothing(carl, begun):
    """A sample of one each in two domains, three reviewers each, 30 minutes: 2 items, 6 gradings, 3 hours."""
    sample = {"extent": "sample", "each": "1", "seed": "5", "minutes_per_item": "30", "verb": "count"}
    page = carl.post(step(begun.slug, "items"), sample)
    counted = page.context["expected"]
    assert (counted.size.items, counted.gradings, counted.hours) == (2, 6, 3)
    assert CampaignSetup.objects.get(campaign=begun).draw == {}
    assert not begun.items.exists()


def test_a_sample_has_a_size_for_each_domain(carl, begun):
    sizes = {"extent": "sample", "size-0": "3", "size-1": "1", "seed": "5"}
    carl.post(step(begun.slug, "items"), sizes)
    assert begun.setup.draw == {"sizes": {"algebra": 3, "analysis": 1}, "leave_out_undecided": False}
    page = carl.get(step(begun.slug, "items"))
    assert page.context["form"]["size-0"].value() == 3
    assert page.context["expected"].size.items == 4


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"extent": "sample", "size-0": "2"}, "size-1", "would not be represented"),
        ({"extent": "sample", "size-0": "5", "size-1": "1"}, "size-0", "less than or equal to 4"),
        ({"minutes_per_item": "0"}, "minutes_per_item", "greater than or equal to 1"),
        ({"seed": ""}, "seed", "required"),
    ],
)
def test_what_cannot_be_drawn_is_said_at_its_field(carl, begun, sent, field, words):
    page = carl.post(step(begun.slug, "items"), ITEMS | sent)
    assert words in page.context["form"].errors[field][0]
    assert f'id="id_{field}_error"' in page.content.decode()


def test_outputs_in_quarantine_hold_the_step_up_until_somebody_says_what_becomes_of_them(carl, begun):
    run = RunFactory(release=begun.release, system__slug="third-system")
    OutputFactory(run=run, instance=begun.release.instances.get(key="c1"), text="As GPT-5, I prove it.")
    scan_identities(release=begun.release)
    page = carl.post(step(begun.slug, "items"), ITEMS)
    assert "1 output may reveal the author" in page.context["form"].errors["leave_out_undecided"][0]
    carl.post(step(begun.slug, "items"), ITEMS | {"leave_out_undecided": "on"})
    carl.post(step(begun.slug, "people"), {"reviewers_per_item": "1", "problem_rule": "free"} | LEAST)
    carl.post(step(begun.slug, "options"), {})
    carl.post(step(begun.slug, "plan"), {"verb": "draw"})
    assert begun.items.count() == 6


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"name": ""}, "name", "required"),
        ({"name": "Round 1"}, "name", "already a campaign"),
        ({"rubric": ""}, "rubric", "required"),
        ({"track": "polished"}, "track", "no outputs to draw in track"),
    ],
)
def test_terms_are_refused_at_their_field(carl, terms, sent, field, words):
    RunFactory(track="polished", release__name="other", system__slug="z")
    page = carl.post(reverse("campaign-new"), terms | sent)
    assert words in page.context["form"].errors[field][0]
    assert Campaign.objects.count() == 1


def test_a_condition_is_offered_where_there_are_several_and_limits_what_is_drawn(carl, terms, drafted):
    assert "condition" not in carl.get(reverse("campaign-new")).context["form"].fields
    usual = drafted.release.runs.first()
    run = RunFactory(release=drafted.release, system=usual.system, condition="oracle")
    output = OutputFactory(run=run, instance=drafted.release.instances.first())
    refused = carl.post(reverse("campaign-new"), terms | {"condition": "window-1"})
    assert "condition" in refused.context["form"].errors
    carl.post(reverse("campaign-new"), terms | {"condition": "oracle"})
    made = Campaign.objects.get(slug="autumn-round")
    assert made.condition == "oracle"
    page = carl.get(step(made.slug, "items"))
    assert page.context["frame"].units == 1  # six more were made under the usual condition
    carl.post(step(made.slug, "terms"), terms | {"condition": "oracle"})
    assert [item.output for item in draw_items(actor=made.created_by, campaign=made)] == [output]
    assert "condition oracle" in carl.get(reverse("campaign", args=[made.slug])).content.decode()
    carl.post(reverse("campaign-new"), terms | {"name": "All", "condition": ""})
    assert Campaign.objects.get(slug="all").condition is None


def test_a_campaign_that_a_release_begins_has_a_track_of_that_release(carl, drafted):
    RunFactory(release__name="of another study", track="early")
    RunFactory(release=drafted.release, track="zero")
    page = carl.get(reverse("campaign-new"), {"release": drafted.release.name})
    assert page.context["form"]["track"].value() == "raw"


def test_the_questions_of_a_rubric_can_be_read_before_it_is_chosen(carl, terms):
    page = carl.get(reverse("campaign-new")).content.decode()
    for question in get_protocol("proofs").rubric(terms["rubric"]).questions:
        assert question.text in page


def test_an_audit_is_planned_on_its_own_page_and_leaves_no_draft(carl, terms):
    reply = carl.post(reverse("campaign-new"), terms | {"rubric": rubric_of("audit")})
    assert reply.url == reverse("audit-draw", args=["sheet"], query={"name": terms["name"]})
    assert Campaign.objects.count() == 1


def test_an_audit_by_the_rubric_of_another_protocol_is_refused_and_what_was_typed_stays(carl, terms):
    audit = next(r for r in get_protocol("re2math").rubrics if r.kind == CampaignKind.AUDIT)
    ReleaseFactory(name="gaps", benchmark__slug="re2math", benchmark__protocol="re2math")
    page = carl.post(reverse("campaign-new"), terms | {"rubric": audit.label})
    assert page.status_code == 200
    assert "is not a rubric for sheet" in page.context["form"].errors["rubric"][0]
    assert 'value="Autumn round"' in page.content.decode()


def test_other_terms_make_the_choice_of_items_void(carl, begun, terms):
    carl.post(step(begun.slug, "items"), ITEMS)
    carl.post(step(begun.slug, "terms"), terms | {"name": "Renamed"})
    assert begun.setup.draw != {}
    other = next(
        r.label for r in get_protocol("proofs").rubrics if r.label != terms["rubric"] and r.kind == "grade"
    )
    carl.post(step(begun.slug, "terms"), terms | {"rubric": other})
    setup = CampaignSetup.objects.get(campaign=begun)
    assert (setup.draw, setup.reached) == ({}, "terms")


def test_a_draw_is_taken_back_until_somebody_has_a_place(carl, drafted, coordinator, algebraist):
    draw_items(actor=coordinator, campaign=drafted)
    page = carl.post(step(drafted.slug, "items"), {"verb": "discard"}, follow=True).content.decode()
    assert "The draw of 6 items has been discarded" in page
    assert not drafted.items.exists()
    page = carl.post(step(drafted.slug, "items"), {"verb": "discard"}, follow=True).content.decode()
    assert "There is no draw to discard" in page
    assert AuditEvent.objects.filter(verb="discard_draw", details__items=6).exists()
    item = draw_items(actor=coordinator, campaign=drafted)[0]
    AssignmentFactory(item=item, reviewer=algebraist)
    page = carl.post(step(drafted.slug, "items"), {"verb": "discard"}, follow=True).content.decode()
    assert "the draw is final" in page
    assert drafted.items.count() == 6


def test_what_the_draw_rests_on_stays_once_it_is_drawn(carl, drafted, coordinator):
    draw_items(actor=coordinator, campaign=drafted)
    sent = {"reviewers_per_item": "1", "problem_rule": "free"} | LEAST
    page = carl.post(step(drafted.slug, "people"), sent)
    assert "the items are drawn" in page.context["form"].errors["reviewers_per_item"][0]
    drafted.refresh_from_db()
    assert drafted.reviewers_per_item == 2
    carl.post(step(drafted.slug, "people"), sent | {"reviewers_per_item": "2", "problem_rule": "apart"})
    drafted.refresh_from_db()
    assert drafted.problem_rule == "apart"


def test_a_plan_that_changed_meanwhile_is_not_applied(carl, drafted, coordinator, algebraist):
    draw_items(actor=coordinator, campaign=drafted)
    old = carl.get(step(drafted.slug, "plan")).context["plan"].sha256
    member("bea@study.test", "Bea Algebraist", "reviewer", "algebra")
    page = carl.post(step(drafted.slug, "plan"), {"verb": "apply", "plan": old}, follow=True).content.decode()
    assert "The plan has changed" in page


def test_the_people_step_shows_where_reviewers_are_scarce(carl, drafted, coordinator, algebraist):
    draw_items(actor=coordinator, campaign=drafted)
    keep_setup(actor=coordinator, campaign=drafted, step="items")
    page = carl.get(step(drafted.slug, "people"))
    assert [(row.domain, row.reviewers, row.short) for row in page.context["coverage"]] == [
        ("analysis", 0, True),
        ("algebra", 1, True),
    ]
    assert "Ada Algebraist" in page.content.decode()


def test_an_open_campaign_has_no_setup_any_more(carl, opened):
    for address in (reverse("campaign-setup", args=[opened.slug]), step(opened.slug, "plan")):
        assert carl.get(address).url == reverse("campaign", args=[opened.slug])
    assert carl.get(step(opened.slug, "dance")).status_code == 404


def test_nothing_opens_without_a_draw(carl, begun, coordinator):
    keep_setup(actor=coordinator, campaign=begun, step="plan")
    page = carl.post(step(begun.slug, "opening"), follow=True).content.decode()
    assert "Draw the items before opening" in page
    assert Campaign.objects.get(pk=begun.pk).phase == "draft"


def test_the_last_step_says_that_anybody_can_look_up_the_answers(carl, begun, coordinator):
    ReleaseDescription.objects.create(
        release=begun.release,
        licence="MIT",
        creators="A",
        published_on=timezone.now().date(),
        answers_public_at="https://study.test/records/proofs/1/",
    )
    set_least_authors(actor=coordinator, campaign=begun, least=1)
    draw_items(actor=coordinator, campaign=begun)
    keep_setup(actor=coordinator, campaign=begun, step="plan")
    address = step(begun.slug, "opening")
    assert 'systems at <a href="https://study.test/records/proofs/1/"' in carl.get(address).content.decode()
    assert "Reviewers could look up what they grade. If" in carl.post(address, follow=True).content.decode()
    assert Campaign.objects.get(pk=begun.pk).phase == "draft"
    carl.post(address, {"answers_are_public": "yes"})
    assert Campaign.objects.get(pk=begun.pk).phase == "open"


@pytest.mark.parametrize(("said", "found"), [("Be fair to GPT 7.", True), ("Page 7 of GPT-70.", False)])
def test_the_last_step_says_that_the_instructions_mention_a_system(carl, begun, coordinator, said, found):
    System.objects.create(name="GPT-7", slug="gpt-7")
    keep_setup(actor=coordinator, campaign=begun, step="plan")
    Campaign.objects.filter(pk=begun.pk).update(instructions=said)
    page = carl.get(step(begun.slug, "opening")).content.decode()
    assert ("mention GPT-7, and reviewers see both" in page) == found


def test_steps_cost_the_same_for_many_reviewers_and_outputs(carl, begun, coordinator, algebraist):
    keep_setup(actor=coordinator, campaign=begun, step="plan")
    counts = {name: queries_of(carl, begun, name) for name in ("terms", "items", "people", "opening")}
    for number in range(6):
        member(f"r{number}@study.test", f"R{number}", "reviewer", "algebra", "analysis")
        problem = InstanceFactory(release=begun.release, key=f"b{number}", domain=f"d{number}")
        OutputFactory(run=begun.release.runs.first(), instance=problem, text="Proof.")
    assert Output.objects.count() == 12
    assert {name: queries_of(carl, begun, name) for name in counts} == counts


def queries_of(client, campaign: Campaign, name: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(step(campaign.slug, name)).status_code == 200
    return len(captured)


def test_terms_and_draw_change_by_rest_as_on_the_page(carl, drafted, coordinator):
    address = f"/api/v1/campaigns/{drafted.slug}/"
    changed = carl.patch(address, {"reviewers_per_item": 1}, content_type="application/json")
    assert (changed.status_code, changed.json()["reviewers_per_item"]) == (200, 1)
    sizes = {"sizes": {"algebra": 2, "analysis": 1}}
    drawn = carl.post(f"{address}draw/", sizes, content_type="application/json")
    assert (drawn.status_code, drawn.json()["items"]) == (201, 3)
    late = carl.patch(address, {"seed": 9}, content_type="application/json")
    assert (late.status_code, late.json()["code"]) == (409, "drawn")
    assert carl.delete(f"{address}draw/").status_code == 204
    again = carl.delete(f"{address}draw/")
    assert (again.status_code, again.json()["code"]) == (409, "nothing_drawn")


def test_an_open_campaign_takes_another_due_date_and_nothing_else(opened, coordinator):
    revise_campaign(actor=coordinator, campaign=opened, due_on=dt.date(2090, 1, 31))
    with pytest.raises(Refused, match="reviewers are at work") as refusal:
        revise_campaign(actor=coordinator, campaign=opened, problem_rule="apart")
    assert refusal.value.field == "problem_rule"
    opened.refresh_from_db()
    assert (opened.due_on, opened.problem_rule) == (dt.date(2090, 1, 31), "free")


def test_the_due_date_and_the_instructions_of_an_open_campaign_change_on_a_page(carl, opened):
    assert reverse("campaign-terms", args=[opened.slug]) in carl.get(opened_address(opened)).content.decode()
    page = carl.get(reverse("campaign-terms", args=[opened.slug]))
    assert list(page.context["form"].fields) == ["due_on", "instructions"]
    reply = carl.post(reverse("campaign-terms", args=[opened.slug]), LATER)
    assert reply.url == opened_address(opened)
    opened.refresh_from_db()
    assert (opened.due_on, opened.instructions) == (dt.date(2090, 2, 1), "Lemma 3 may be used.")
    wrong = carl.post(reverse("campaign-terms", args=[opened.slug]), LATER | {"due_on": "soon"})
    assert "due_on" in wrong.context["form"].errors


def test_instructions_that_name_a_system_while_reviewers_are_at_work_are_pointed_out(carl, opened):
    """They are stored and reviewers read them at once, so the coordinator must see it then."""
    System.objects.create(name="GPT-7", slug="gpt-7")
    for said, warned in (("Distrust GPT 7.", True), ("Distrust nobody.", False)):
        sent = LATER | {"instructions": said}
        page = carl.post(reverse("campaign-terms", args=[opened.slug]), sent, follow=True).content.decode()
        assert ("The instructions mention GPT-7." in page) == warned


def test_a_due_date_that_is_over_is_refused_at_its_field_and_an_old_one_may_stay(carl, begun, opened):
    """Otherwise everybody is late from the first moment, and one button takes all places away."""
    carl.post(step(begun.slug, "items"), ITEMS)
    people = {"reviewers_per_item": "1", "problem_rule": "together"} | LEAST
    yesterday = timezone.now().date() - dt.timedelta(days=1)
    for address, sent in (
        (step(begun.slug, "people"), people),
        (reverse("campaign-terms", args=[opened.slug]), {}),
    ):
        page = carl.post(address, sent | {"due_on": str(yesterday)})
        assert page.context["form"].errors["due_on"] == ["This day is over. Choose today or a later day."]
    Campaign.objects.filter(pk=opened.pk).update(due_on=yesterday)
    address = reverse("campaign-terms", args=[opened.slug])
    sent = as_opened(carl.get(address)) | {"instructions": "Read."}
    assert carl.post(address, sent).status_code == 302
    opened.refresh_from_db()
    assert (opened.due_on, opened.instructions) == (yesterday, "Read.")


def test_the_rubrics_of_the_study_come_first(carl, drafted):
    ReleaseFactory(benchmark__slug="lemmas", benchmark__protocol="lemmas")
    page = carl.get(reverse("campaign-new"), {"release": drafted.release.name})
    protocols = [card["protocol"] for card in page.context["form"].rubric_cards()]
    assert protocols == sorted(protocols, key=lambda title: title != "Whole proofs")
    assert len({*protocols}) == 2


def test_a_campaign_of_many_items_shows_them_and_its_waiting_places_in_pages(
    carl, opened, algebraist, monkeypatch
):
    """Ten thousand waiting places, each with its form, were a page of 21 MB."""
    monkeypatch.setattr("annotation.campaigns.views.PAGE", 1)
    monkeypatch.setattr("annotation.adjudication.views.PAGE", 1)
    first, second = opened.items.order_by("instance__domain", "instance__key", "pk")[:2]
    for item in (first, second):
        AssignmentFactory(item=item, reviewer=algebraist)
    folded = b'<details class="card" id="%s">'
    begun = carl.get(opened_address(opened)).content
    assert folded % b"drawn" in begun
    assert folded % b"waiting" in begun
    shown = carl.get(opened_address(opened), {"drawn": "2", "waiting": "2"})
    assert list(shown.context["items"]) == [second]
    assert folded % b"drawn" not in shown.content
    assert folded % b"waiting" not in shown.content
    assert [place.item for place in shown.context["waiting"]] == [second]
    assert (shown.context["drawn"], shown.context["waiting"].paginator.count) == (opened.items.count(), 2)
    assert b"?waiting=1#waiting" in shown.content
    assert b"?drawn=1#drawn" in shown.content
    assert len(carl.get(reverse("adjudication", args=[opened.slug]), {"page": "2"}).context["page"]) == 1


def test_that_page_leads_back_from_a_draft(carl, drafted):
    assert carl.post(reverse("campaign-terms", args=[drafted.slug]), LATER).url == opened_address(drafted)
    drafted.refresh_from_db()
    assert drafted.due_on is None


def test_that_page_leads_back_from_a_closed_campaign(carl, opened, coordinator):
    close_campaign(actor=coordinator, campaign=opened, reason="not needed any more")
    assert carl.post(reverse("campaign-terms", args=[opened.slug]), LATER).url == opened_address(opened)
    opened.refresh_from_db()
    assert opened.due_on is None


def opened_address(row: Campaign) -> str:
    return reverse("campaign", args=[row.slug])


def test_a_construction_audit_is_set_up_over_instances(carl, drafted):
    rubric = next(r for r in get_protocol("re2math").rubrics if r.kind == CampaignKind.CONSTRUCTION)
    release = ReleaseFactory(name="gaps", benchmark__slug="re2math", benchmark__protocol="re2math")
    instance = InstanceFactory(release=release, domain="algebra")
    Release.objects.filter(pk=release.pk).update(sha256=release_sha256(release))  # the draw freezes it
    terms = {"name": "Instances", "release": instance.release_id, "track": "raw", "rubric": rubric.label}
    reply = carl.post(reverse("campaign-new"), terms)
    assert reply.status_code == 302, reply.context["form"].errors
    assert reply.url == step("instances", "items")
    carl.post(step("instances", "items"), {"extent": "all", "seed": "1"})
    carl.post(step("instances", "people"), {"reviewers_per_item": "1", "problem_rule": "free"} | LEAST)
    carl.post(step("instances", "options"), {"instructions": ""})
    carl.post(step("instances", "plan"), {"verb": "draw"})
    made = Campaign.objects.get(slug="instances")
    assert (made.track, made.items.get().instance_id) == ("", instance.pk)


def as_opened(page) -> dict[str, str]:
    """What a browser sends of the form on this page if nothing is changed."""
    hidden = re.findall(
        r'<input type="hidden" name="(initial-[a-z_]+)" value="([^"]*)"', page.content.decode()
    )
    return dict(hidden) | {name.removeprefix("initial-"): value for name, value in hidden}


def test_a_form_that_was_opened_before_a_colleague_saved_takes_nothing_of_that_back(
    carl, opened, begun, coordinator
):
    day = dt.date(2090, 1, 31)
    at_work = reverse("campaign-terms", args=[opened.slug])
    page = carl.get(at_work)
    revise_campaign(actor=coordinator, campaign=opened, due_on=day)
    carl.post(at_work, as_opened(page) | {"instructions": "Read closely."})
    opened.refresh_from_db()
    assert (opened.due_on, opened.instructions) == (day, "Read closely.")

    carl.post(step(begun.slug, "items"), ITEMS)
    page = carl.get(step(begun.slug, "people"))
    revise_campaign(actor=coordinator, campaign=begun, reviewers_per_item=5, due_on=day)
    set_least_authors(actor=coordinator, campaign=begun, least=2)
    assert (
        carl.post(step(begun.slug, "people"), as_opened(page) | {"problem_rule": "apart"}).status_code == 302
    )
    begun.refresh_from_db()
    assert (begun.reviewers_per_item, begun.due_on, begun.problem_rule) == (5, day, "apart")
    assert begun.least_authors.least == 2


def test_what_a_form_showed_can_be_emptied(carl, opened, coordinator):
    revise_campaign(actor=coordinator, campaign=opened, due_on=dt.date(2090, 1, 31), instructions="Read.")
    at_work = reverse("campaign-terms", args=[opened.slug])
    carl.post(at_work, as_opened(carl.get(at_work)) | {"due_on": "", "instructions": ""})
    opened.refresh_from_db()
    assert (opened.due_on, opened.instructions) == (None, "")
