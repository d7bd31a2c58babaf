import pytest

from accounts.models import AuditEvent
from accounts.refusal import NotAllowed, Refused
from annotation.assigning.actions import apply_plan, plan_assignment, release_assignment, say_out_of_field
from annotation.assigning.plans import plan_in_words
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items
from annotation.models import Assignment, Item
from tests.annotation.campaigns import decided
from tests.conftest import member
from tests.factories import CampaignFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def second_algebraist(db):
    return member("nora@study.test", "Nora Ring", "reviewer", "algebra")


def assign(campaign, coordinator):
    return apply_plan(actor=coordinator, campaign=campaign, sha256=plan_assignment(campaign).sha256)


def test_a_plan_gives_items_to_reviewers_of_their_domain(opened, coordinator, algebraist, analyst):
    assign(opened, coordinator)
    pairs = Assignment.objects.values_list("item__instance__domain", "reviewer__email").distinct()
    assert set(pairs) == {("algebra", algebraist.email), ("analysis", analyst.email)}


def test_a_plan_says_what_it_cannot_meet(opened, algebraist, analyst):
    plan = plan_assignment(opened)
    # 6 items want 2 reviewers each; each domain has one
    assert len(plan.pairs) == 6
    assert [(unmet.wanted, unmet.placed) for unmet in plan.unmet] == [(2, 1)] * 6
    assert "1 without expertise in the domain" in plan.unmet[0].reason


def test_a_plan_says_how_many_texts_its_people_have_from_another_campaign(
    opened, coordinator, algebraist, analyst
):
    first = take_next(reviewer=algebraist, campaign=opened)
    given_up = take_next(reviewer=analyst, campaign=opened)
    release_assignment(actor=coordinator, assignment=given_up, reason="conflict")
    second = CampaignFactory(slug="round-2", release=opened.release, rubric=opened.rubric)
    draw_items(actor=coordinator, campaign=second)
    plan = plan_assignment(second)
    assert (first.item.instance.domain, len(plan.pairs)) == ("algebra", 6)
    assert plan_in_words(second, plan)["again"] == 1


def test_applying_counts_the_places_and_writes_one_audit_row(opened, coordinator, algebraist, analyst):
    assign(opened, coordinator)
    assert set(Item.objects.values_list("places_taken", flat=True)) == {1}
    assert AuditEvent.objects.get(verb="assign").details["placed"] == 6


def test_a_plan_that_changed_since_it_was_shown_is_refused(opened, coordinator, algebraist, analyst):
    shown = plan_assignment(opened).sha256
    take_next(reviewer=algebraist, campaign=opened)
    with pytest.raises(Refused) as refusal:
        apply_plan(actor=coordinator, campaign=opened, sha256=shown)
    assert refusal.value.code == "plan_changed"
    assert Assignment.objects.count() == 1


def test_a_conflict_of_interest_keeps_a_system_away(opened, coordinator, algebraist):
    decided(algebraist, coordinator, ("system", "first-system"), ("paper", "paper-a"))
    assign(opened, coordinator)
    # of four algebra items, two are of the other system, one of those on the other paper
    (place,) = Assignment.objects.select_related("item__output__run__system", "item__instance")
    assert place.item.output.run.system.slug == "second-system"
    assert place.item.instance.key == "a2"


def test_pulling_obeys_the_same_conflicts(opened, algebraist, coordinator):
    decided(algebraist, coordinator, ("system", "first-system"), ("paper", "paper-a"))
    assert take_next(reviewer=algebraist, campaign=opened).item.instance.key == "a2"
    with pytest.raises(Refused, match="no items left"):
        take_next(reviewer=algebraist, campaign=opened)


def test_pulling_gives_every_item_of_the_field_once_and_then_says_so(opened, algebraist):
    items = [take_next(reviewer=algebraist, campaign=opened).item_id for _ in range(4)]
    assert len(set(items)) == 4
    with pytest.raises(Refused) as refusal:
        take_next(reviewer=algebraist, campaign=opened)
    assert refusal.value.code == "nothing_left"


def test_an_item_is_never_pulled_beyond_its_places(opened, algebraist, second_algebraist):
    third = member("tom@study.test", "Tom", "reviewer", "algebra")
    for person in (algebraist, second_algebraist):
        for _ in range(4):
            take_next(reviewer=person, campaign=opened)
    with pytest.raises(Refused, match="no items left"):
        take_next(reviewer=third, campaign=opened)


def test_a_draft_campaign_gives_nothing_away(drafted, algebraist):
    with pytest.raises(Refused, match="must be open"):
        take_next(reviewer=algebraist, campaign=drafted)


def test_those_who_see_identities_never_take_items_whatever_else_they_are(opened, coordinator, stranger):
    both = member("bea@study.test", "Bea", "reviewer", "algebra")
    both.roles.create(name="owner")
    for person in (coordinator, both, stranger):
        with pytest.raises(NotAllowed):
            take_next(reviewer=person, campaign=opened)


def test_a_plan_never_includes_staff_who_also_review(opened, algebraist, analyst):
    both = member("bea@study.test", "Bea", "reviewer", "algebra", "analysis")
    both.roles.create(name="coordinator")
    assert both.pk not in plan_assignment(opened).loads


def test_positions_of_later_plans_follow_the_earlier_ones(opened, coordinator, algebraist):
    take_next(reviewer=algebraist, campaign=opened)
    assign(opened, coordinator)
    assert sorted(algebraist.assignments.values_list("position", flat=True)) == [1, 2, 3, 4]


def test_a_released_place_is_free_again_for_others_only(
    place, opened, coordinator, algebraist, second_algebraist
):
    release_assignment(actor=coordinator, assignment=place, reason="On leave.")
    place.refresh_from_db()
    assert (place.state, place.release_reason) == ("released", "withdrawn")
    assert Item.objects.get(pk=place.item_id).places_taken == 0
    mine = [take_next(reviewer=algebraist, campaign=opened).item_id for _ in range(3)]
    assert place.item_id not in mine
    theirs = [take_next(reviewer=second_algebraist, campaign=opened).item_id for _ in range(4)]
    assert place.item_id in theirs


def test_a_place_is_given_up_once(place, coordinator, algebraist):
    say_out_of_field(reviewer=algebraist, assignment=place)
    with pytest.raises(Refused) as refusal:
        release_assignment(actor=coordinator, assignment=place, reason="Late.")
    assert refusal.value.code == "not_waiting"
    assert Item.objects.get(pk=place.item_id).places_taken == 0


def test_out_of_field_sends_a_planned_place_to_the_next_reviewer(
    opened, coordinator, algebraist, second_algebraist
):
    third = member("tom@study.test", "Tom", "reviewer", "algebra")
    assign(opened, coordinator)
    place = algebraist.assignments.first()
    assert say_out_of_field(reviewer=algebraist, assignment=place, note="Too categorical.")
    places = place.item.assignments.exclude(state="released")
    assert set(places.values_list("reviewer", flat=True)) <= {second_algebraist.pk, third.pk}
    assert places.count() == 2
    assert AuditEvent.objects.get(verb="out_of_field").reason == "Too categorical."


def test_out_of_field_frees_a_pulled_place_for_others_to_pull(place, algebraist, second_algebraist):
    assert not say_out_of_field(reviewer=algebraist, assignment=place)
    assert Item.objects.get(pk=place.item_id).places_taken == 0


def test_nobody_gives_up_the_place_of_another(place, second_algebraist):
    with pytest.raises(NotAllowed):
        say_out_of_field(reviewer=second_algebraist, assignment=place)
