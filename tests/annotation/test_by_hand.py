"""Assignment by hand: which cells can be ticked, what saving does, and what it refuses."""

import pytest
from django.urls import reverse

from accounts.models import AuditEvent, Expertise
from accounts.refusal import NotAllowed, Refused
from annotation.assigning.actions import apply_plan, plan_assignment, say_out_of_field
from annotation.assigning.by_hand import assign_by_hand, items_of, matrix
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items
from annotation.core.item_names import item_name
from annotation.models import Assignment, Item
from tests.annotation.campaigns import decided
from tests.annotation.grading import submit
from tests.annotation.samples import COMPLETE
from tests.conftest import member

pytestmark = pytest.mark.django_db


def states(campaign):
    """(problem, reviewer) to the set of states of its cells."""
    found = {}
    for row in matrix(campaign, items_of(campaign)).rows:
        for cell in row.cells:
            found.setdefault((row.item.instance.key, cell.person.email), set()).add(str(cell.state))
    return found


def hand(campaign, coordinator, *, give=(), take=()):
    assign_by_hand(actor=coordinator, campaign=campaign, give=set(give), take=set(take))


def held(reviewer):
    return set(
        Assignment.objects.filter(reviewer=reviewer, state="waiting").values_list("item_id", flat=True)
    )


def test_every_cell_says_what_can_be_done(opened, coordinator, algebraist, analyst):
    take_next(reviewer=analyst, campaign=opened)
    found = states(opened)
    assert found["a1", algebraist.email] == {"free"}
    assert found["c1", algebraist.email] == {"outside"}
    assert found["c1", analyst.email] == {"waiting", "free"}


def test_staff_gives_and_takes_away_places_even_outside_the_stated_fields(
    opened, coordinator, algebraist, analyst
):
    first, second = opened.items.filter(instance__key="c1")
    hand(opened, coordinator, give=[(first.pk, algebraist.pk), (second.pk, algebraist.pk)])
    assert held(algebraist) == {first.pk, second.pk}
    hand(opened, coordinator, give=[(first.pk, analyst.pk)], take=[(first.pk, algebraist.pk)])
    assert (held(algebraist), held(analyst)) == ({second.pk}, {first.pk})
    assert set(Item.objects.filter(instance__key="c1").values_list("places_taken", flat=True)) == {1}
    assert AuditEvent.objects.filter(verb="assign_by_hand").count() == 2


def test_what_was_taken_away_by_mistake_comes_back_with_its_draft(opened, coordinator, algebraist):
    place = take_next(reviewer=algebraist, campaign=opened)
    pair = (place.item_id, algebraist.pk)
    hand(opened, coordinator, take=[pair])
    assert held(algebraist) == set()
    hand(opened, coordinator, give=[pair])
    again = Assignment.objects.get(reviewer=algebraist)
    assert (again.pk, again.handle, again.state) == (place.pk, place.handle, "waiting")
    assert Item.objects.get(pk=place.item_id).places_taken == 1


@pytest.mark.parametrize("had", [False, True], ids=["new", "had it before"])
def test_an_item_that_was_shown_in_a_round_has_no_more_places(opened, coordinator, algebraist, had):
    """A page that was loaded before still offers it."""
    item = opened.items.filter(instance__domain="algebra").first()
    if had:
        hand(opened, coordinator, give=[(item.pk, algebraist.pk)])
        hand(opened, coordinator, take=[(item.pk, algebraist.pk)])
    Item.objects.filter(pk=item.pk).update(revealed=True)
    with pytest.raises(Refused, match="calibration round") as refusal:
        hand(opened, coordinator, give=[(item.pk, algebraist.pk)])
    assert refusal.value.code == "no_place"
    assert held(algebraist) == set()


def test_what_a_reviewer_gave_back_is_not_forced_on_them(opened, coordinator, algebraist):
    place = take_next(reviewer=algebraist, campaign=opened)
    say_out_of_field(reviewer=algebraist, assignment=place)
    with pytest.raises(Refused, match="already had this item"):
        hand(opened, coordinator, give=[(place.item_id, algebraist.pk)])


def test_a_conflict_makes_a_cell_impossible_without_saying_that_it_is_one(
    client, opened, coordinator, algebraist
):
    decided(algebraist, coordinator, ("system", "first-system"))
    own = opened.items.get(output__run__system__slug="first-system", instance__key="a1")
    assert states(opened)["a1", algebraist.email] == {"none", "free"}
    with pytest.raises(Refused) as refusal:
        hand(opened, coordinator, give=[(own.pk, algebraist.pk)])
    assert str(refusal.value).endswith("is not possible.")
    client.force_login(coordinator)
    page = client.get(reverse("campaign-by-hand", args=[opened.slug])).content.decode()
    assert "first-system" not in page
    assert all(f'"{pk}-' not in page for pk in opened.items.values_list("pk", flat=True))


def test_no_name_in_the_matrix_is_one_of_another_page(client, opened, coordinator, algebraist):
    """Places that a conflict excludes share an author; by their names they would be found again at adjudication."""
    client.force_login(coordinator)
    page = client.get(reverse("campaign-by-hand", args=[opened.slug])).content.decode()
    names = {item.pk: item_name(item.pk) for item in opened.items.all()}
    assert not [name for name in names.values() if name[:6] in page]
    shown = [row.name for row in matrix(opened, items_of(opened)).rows if row.item.instance.key == "a1"]
    assert shown == sorted(shown), "nor is the order of another page"


def test_more_people_than_places_are_refused_and_nothing_changes(opened, coordinator, algebraist):
    item = opened.items.filter(instance__key="a1").first()
    others = [member(f"r{n}@study.test", f"R{n}", "reviewer", "algebra") for n in range(2)]
    people = [algebraist, *others]  # two places
    with pytest.raises(Refused, match="has 2 places in all"):
        hand(opened, coordinator, give=[(item.pk, person.pk) for person in people])
    assert not Assignment.objects.exists()


def test_a_change_to_something_submitted_in_the_meantime_is_refused_whole(opened, coordinator, algebraist):
    place = take_next(reviewer=algebraist, campaign=opened)
    other = opened.items.exclude(pk=place.item_id).filter(instance__domain="algebra").first()
    submit(algebraist, place, **COMPLETE["answers"])
    with pytest.raises(Refused, match="no longer waiting"):
        hand(opened, coordinator, give=[(other.pk, algebraist.pk)], take=[(place.item_id, algebraist.pk)])
    assert held(algebraist) == set()


@pytest.fixture
def ruled(drafted, coordinator):
    """A campaign with a rule about outputs of one problem, drawn and not opened."""

    def made(**rules):
        for name, value in rules.items():
            setattr(drafted, name, value)
        drafted.save()
        draw_items(actor=coordinator, campaign=drafted)
        return drafted

    return made


def test_nobody_gets_two_answers_to_a_problem_that_are_kept_apart(ruled, coordinator, algebraist):
    campaign = ruled(problem_rule="apart")
    pairs = [(item.pk, algebraist.pk) for item in campaign.items.filter(instance__key="a1")]
    with pytest.raises(Refused, match="another answer to the problem"):
        hand(campaign, coordinator, give=pairs)
    hand(campaign, coordinator, give=pairs[:1])
    with pytest.raises(Refused, match="they have had another answer to the problem"):
        hand(campaign, coordinator, give=pairs[1:])


def test_answers_that_belong_together_are_given_together(ruled, coordinator, algebraist):
    campaign = ruled(problem_rule="together")
    pairs = [(item.pk, algebraist.pk) for item in campaign.items.filter(instance__key="a1")]
    with pytest.raises(Refused, match="all of them"):
        hand(campaign, coordinator, give=pairs[:1])
    hand(campaign, coordinator, give=pairs)
    assert len(held(algebraist)) == 2


def test_a_campaign_gives_nobody_more_than_its_most(ruled, coordinator, algebraist):
    campaign = ruled(most_per_reviewer=1)
    pairs = [(item.pk, algebraist.pk) for item in campaign.items.filter(instance__domain="algebra")]
    with pytest.raises(Refused, match="at most 1"):
        hand(campaign, coordinator, give=pairs[:2])
    hand(campaign, coordinator, give=pairs[:1])


def test_only_blind_reviewers_get_places(opened, coordinator, owner, stranger):
    item = opened.items.first()
    for person in (coordinator, owner, stranger):
        with pytest.raises(Refused, match="is not a reviewer"):
            hand(opened, coordinator, give=[(item.pk, person.pk)])


def test_only_staff_assigns(opened, algebraist):
    with pytest.raises(NotAllowed):
        hand(opened, algebraist, give=[(opened.items.first().pk, algebraist.pk)])


def test_the_page_saves_what_was_ticked_and_leaves_the_rest_alone(client, opened, coordinator, algebraist):
    """Places that came in another window are not taken away: only what was ticked before can be."""
    client.force_login(coordinator)
    address = reverse("campaign-by-hand", args=[opened.slug])
    rows = client.get(address).context["matrix"].rows
    keys = {row.item.pk: row.cells[0].key for row in rows}
    first = next(iter(keys))
    assert client.post(address, {"place": [keys[first]]}).status_code == 302
    meanwhile = take_next(reviewer=algebraist, campaign=opened).item_id
    third = next(pk for pk in keys if pk not in (first, meanwhile))
    client.post(address, {"place": [keys[third]], "before": [keys[first]]})
    assert held(algebraist) == {third, meanwhile}


@pytest.mark.parametrize("key", ["nonesuch-1", "-", "", "é-1", "0-99999999999999999999"])
def test_a_place_that_does_not_exist_is_refused(client, opened, coordinator, key):
    client.force_login(coordinator)
    page = client.post(reverse("campaign-by-hand", args=[opened.slug]), {"place": [key]}, follow=True)
    assert "does not exist" in page.content.decode()


def test_a_plan_and_a_hand_fill_the_same_places(opened, coordinator, algebraist, analyst):
    Expertise.objects.create(user=analyst, domain="algebra", confidence=1)
    item = opened.items.filter(instance__key="a1").first()
    hand(opened, coordinator, give=[(item.pk, algebraist.pk)])
    plan = plan_assignment(opened)
    assert (item.pk, algebraist.pk) not in plan.pairs
    apply_plan(actor=coordinator, campaign=opened, sha256=plan.sha256)
    assert all(row.places_taken <= row.places for row in opened.items.all())
