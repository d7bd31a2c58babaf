"""Planning and drawing an audit of the judge; buckets are those of the sample's judge."""

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import Refused
from annotation.actions import open_campaign, take_next
from annotation.models import Campaign, Item
from reports.audit_draw import audit_buckets, audit_rubrics, draw_audit, plan_audit

pytestmark = pytest.mark.django_db
RUBRIC = "re2math-audit-v1"


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def test_strata_are_the_judges_buckets_within_systems(gaps):
    plan = plan_audit(release=gaps, per_stratum=5)
    # aurora: 16 success, 8 insufficient, 4 ungrounded, 2 abstained; smaller strata are taken whole
    found = {s.name: (s.population, s.sample) for s in plan.strata if s.name.startswith("aurora/")}
    assert found == {
        "aurora/grounded_insufficient": (8, 5),
        "aurora/success": (16, 5),
        "aurora/ungrounded": (4, 4),
    }


def test_abstained_failed_and_unavailable_outputs_are_never_drawn(gaps):
    plan = plan_audit(release=gaps, per_stratum=None)
    # 90 outputs: 2 + 4 + 9 abstained or failed, 1 of cobalt unavailable
    assert (plan.n_sampled, plan.by_rule) == (74, 16)
    assert not any("abstained" in s.name or "unavailable" in s.name for s in plan.strata)


def test_outputs_of_an_earlier_audit_can_be_left_out(gaps):
    plan = plan_audit(release=gaps, per_stratum=100, exclude_campaigns=["sample-audit"])
    # the sample audit read 51 of the 74 outputs, the success strata completely
    assert (plan.excluded, plan.n_sampled) == (51, 23)
    success = next(s for s in plan.strata if s.name == "aurora/success")
    assert (success.population, success.available, success.sample) == (16, 0, 0)


def test_a_stratum_without_an_audited_output_promises_no_precision(gaps):
    plan = plan_audit(release=gaps, exclude_campaigns=["sample-audit"])
    assert {row.system: row.half_width for row in plan.precision}["aurora"] is None


def test_larger_samples_promise_narrower_intervals_and_a_census_none(gaps):
    widths = [plan_audit(release=gaps, per_stratum=n).precision[0].half_width for n in (2, 6, None)]
    assert widths[0] > widths[1] > widths[2] == 0


def test_a_plan_is_limited_to_the_buckets_that_are_wanted(gaps):
    assert audit_buckets(gaps, "raw") == ["grounded_insufficient", "success", "ungrounded"]
    plan = plan_audit(release=gaps, buckets=["ungrounded"])
    assert {s.name.split("/")[1] for s in plan.strata} == {"ungrounded"}
    with pytest.raises(Refused, match="no bucket 'fine'"):
        plan_audit(release=gaps, buckets=["fine"])


def test_without_verdicts_there_is_nothing_to_audit(unlabelled_gaps):
    with pytest.raises(Refused, match="no verdicts"):
        plan_audit(release=unlabelled_gaps)


def test_a_sample_of_none_is_refused(gaps):
    with pytest.raises(Refused, match="at least one"):
        plan_audit(release=gaps, per_stratum=0)


def test_a_draw_freezes_strata_and_inclusion_probabilities(gaps, coordinator):
    plan = plan_audit(release=gaps, per_stratum=5)
    campaign = draw_audit(actor=coordinator, plan=plan, name="Second look", rubric=RUBRIC, seed=7)
    items = Item.objects.filter(campaign=campaign)
    assert items.count() == plan.n_sampled
    item = items.filter(stratum="aurora/success").first()
    assert (item.stratum_size, item.sample_size) == (16, 5)
    assert item.inclusion_probability == pytest.approx(5 / 16)
    assert AuditEvent.objects.get(verb="draw_audit").details["judge"] == "sample-judge-v1"


def test_the_same_seed_draws_the_same_outputs(gaps, coordinator):
    plan = plan_audit(release=gaps, per_stratum=3)
    draws = [
        set(
            draw_audit(actor=coordinator, plan=plan, name=name, rubric=RUBRIC, seed=5).items.values_list(
                "output_id"
            )
        )
        for name in ("One", "Two")
    ]
    assert draws[0] == draws[1]


def test_a_rubric_that_is_not_for_audits_is_refused_and_leaves_nothing(gaps, coordinator):
    before = Campaign.objects.count()
    with pytest.raises(Refused, match="not a rubric for audits"):
        draw_audit(actor=coordinator, plan=plan_audit(release=gaps), name="X", rubric="proofs-v1")
    assert Campaign.objects.count() == before
    assert list(audit_rubrics(gaps)) == [RUBRIC]


def draw_address(**query):
    return reverse("audit-draw", args=["sample-re2math"], query=query)


def post(client, address, **fields):
    plan = client.get(address).context["plan"]
    sent = {"name": "Second look", "rubric": RUBRIC, "reviewers_per_item": 2, "seed": 3, "plan": plan.sha256}
    return client.post(address, sent | fields)


def test_the_page_shows_the_plan_and_draws_it(carl, gaps):
    address = draw_address(per_stratum=4, buckets="success")
    text = " ".join(carl.get(address).content.decode().split())
    assert "11 of 28 outputs would be drawn" in text  # 4 of 16, 4 of 9, 3 of 3
    reply = post(carl, address)
    campaign = Campaign.objects.get(slug="second-look")
    assert reply.url == reverse("campaign", args=["second-look"])
    assert (campaign.items.count(), campaign.reviewers_per_item, campaign.seed) == (11, 2, 3)


def test_a_plan_that_was_not_shown_is_not_drawn(carl, gaps):
    reply = post(carl, draw_address(), plan="another")
    assert reply.status_code == 400
    assert "The plan has changed" in reply.content.decode()
    assert not Campaign.objects.filter(slug="second-look").exists()


def test_a_taken_name_is_explained_at_its_field(carl, gaps):
    reply = post(carl, draw_address(), name="Sample audit")
    assert reply.status_code == 400
    assert "choose another name" in reply.content.decode()


def test_a_design_that_makes_no_sense_is_explained(carl, gaps):
    reply = carl.get(draw_address(per_stratum=0, buckets="success"))
    assert reply.status_code == 400
    assert "greater than or equal to 1" in reply.content.decode()


def test_reviewers_of_the_drawn_audit_never_see_its_strata(client, gaps, coordinator, algebraist):
    """Blindness holds whatever the strata are called: the names carry system and verdict."""
    drawn = draw_audit(actor=coordinator, plan=plan_audit(release=gaps), name="Blind", rubric=RUBRIC)
    campaign = open_campaign(actor=coordinator, campaign=drawn)
    algebraist.expertise.create(domain="algebra_number_theory", confidence=3)
    place = take_next(reviewer=algebraist, campaign=campaign)
    client.force_login(algebraist)
    text = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert place.item.stratum not in text
    assert place.item.output.run.system.slug not in text
