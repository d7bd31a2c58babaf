"""Planning and drawing an audit of the judge; buckets are those of the sample's judge."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import Refused
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import create_campaign, draw_items, open_campaign
from annotation.campaigns.revising import discard_draw
from annotation.models import Campaign, Item
from annotation.quarantine.actions import decide_identity
from benchmark.models import Output
from reports.audit.draw import audit_buckets, audit_rubrics, comparison, draw_audit, plan_audit
from reports.audit.frame import BUCKET
from reports.audit.precision import Expected
from reports.audit.sizes import ByHand, PerStratum, Spread
from reports.core.datasets import campaign_info
from reports.labels.importing import import_labels
from reports.scores.inputs import Inputs, collect
from tests.factories import CampaignFactory, ItemFactory

pytestmark = pytest.mark.django_db
RUBRIC = "re2math-audit-v1"


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.mark.slow
def test_strata_are_the_judges_buckets_within_systems(gaps):
    plan = plan_audit(release=gaps, wanted=PerStratum(5))
    # aurora: 16 success, 8 insufficient, 4 ungrounded, 2 abstained; smaller strata are taken whole
    found = {s.name: (s.population, s.sample) for s in plan.strata if s.name.startswith("aurora/")}
    assert found == {
        "aurora/grounded_insufficient": (8, 5),
        "aurora/success": (16, 5),
        "aurora/ungrounded": (4, 4),
    }


def test_abstained_failed_and_unavailable_outputs_are_never_drawn(gaps):
    plan = plan_audit(release=gaps, wanted=PerStratum(None))
    # 90 outputs: 2 + 4 + 9 abstained or failed, 1 of cobalt unavailable
    assert (plan.n_sampled, plan.by_rule) == (74, 16)
    assert not any("abstained" in s.name or "unavailable" in s.name for s in plan.strata)


def test_answers_on_which_the_judge_abstained_can_be_drawn(gaps, tmp_path):
    # Without them the corrected score of their system is undefined, and says that they have to be drawn.
    (answer,) = Output.objects.filter(
        run__release=gaps, run__system__slug="aurora", run__track="raw", run__condition="", state="answered"
    ).order_by("pk")[:1]
    subject = f"{answer.instance.key}/aurora/1"
    head = "rater_kind,rater,judge_version,question,subject,value,state"
    table = tmp_path / "verdicts.csv"
    table.write_text(f"{head}\njudge,shy,shy-v1,ground,{subject},,abstain\n")
    import_labels(actor=None, path=table, release=gaps)
    plan = plan_audit(release=gaps, judge="shy-v1", buckets=["abstained"])
    assert plan.placement == {answer.pk: "aurora/abstained"}


def test_outputs_of_an_earlier_audit_can_be_left_out(gaps):
    plan = plan_audit(release=gaps, wanted=PerStratum(100), exclude_campaigns=["sample-audit"])
    # the sample audit read 51 of the 74 outputs, the success strata completely
    assert (plan.excluded, plan.n_sampled) == (51, 23)
    success = next(s for s in plan.strata if s.name == "aurora/success")
    assert (success.population, success.available, success.sample) == (16, 0, 0)


def test_an_audit_keeps_what_it_was_drawn_from_until_its_draw_is_discarded(gaps, coordinator):
    plan = plan_audit(release=gaps, wanted=PerStratum(2), exclude_campaigns=["sample-audit"])
    campaign = draw_audit(actor=coordinator, plan=plan, name="The rest", rubric=RUBRIC)
    frame = {"systems": ["aurora", "basalt", "cobalt"], "leaves_out": ["sample-audit"]}
    campaign.refresh_from_db()
    assert campaign.frame == frame
    info = campaign_info(campaign)
    assert {"systems": info.systems, "leaves_out": info.leaves_out} == frame
    inputs = replace(collect(release=gaps), campaigns=(info,))
    assert Inputs.from_json(inputs.as_json()) == inputs
    with pytest.raises(IntegrityError, match="the frame of a draw is frozen"), transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(frame=None)
    discard_draw(actor=coordinator, campaign=campaign)
    campaign.refresh_from_db()
    assert campaign.frame is None


def test_an_audit_by_domain_keeps_its_systems(gaps, coordinator):
    campaign = create_campaign(actor=coordinator, name="By domain", release=gaps, rubric=RUBRIC)
    draw_items(actor=coordinator, campaign=campaign, per_stratum=1)
    campaign.refresh_from_db()
    assert campaign.frame == {"systems": ["aurora", "basalt", "cobalt"], "leaves_out": []}


def test_only_an_audit_has_a_frame(gaps):
    with pytest.raises(IntegrityError, match="only an audit has a frame"), transaction.atomic():
        CampaignFactory(kind="grade", frame={"systems": [], "leaves_out": []})
    campaign = CampaignFactory(kind="grade")
    with pytest.raises(IntegrityError, match="the frame of a draw is frozen"), transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(frame={})


def test_both_outputs_of_a_pair_that_was_drawn_can_be_left_out(gaps):
    frame = plan_audit(release=gaps).placement
    answers = Output.objects.filter(pk__in=frame).order_by("instance", "pk")
    first, second = next((a, b) for a, b in pairwise(answers) if a.instance_id == b.instance_id)
    item = ItemFactory(campaign__release=gaps, campaign__kind="compare", output=first, second=second)
    plan = plan_audit(release=gaps, exclude_campaigns=[item.campaign.slug])
    assert plan.excluded == 2
    assert not plan.placement.keys() & {first.pk, second.pk}


def test_a_campaign_that_does_not_exist_is_not_silently_left_out(gaps):
    with pytest.raises(Refused, match="no campaign 'sample-audti'") as refusal:
        plan_audit(release=gaps, exclude_campaigns=["sample-audti"])
    assert refusal.value.field == "exclude"


def test_a_plan_leaves_out_what_no_draw_takes(gaps, coordinator):
    """An output that reveals its author was counted, so that a whole stratum could be planned and not drawn."""
    before = plan_audit(release=gaps, wanted=PerStratum(None))
    drawn = set(Item.objects.values_list("output_id", flat=True))
    told = min(before.placement.keys() - drawn)
    decide_identity(
        actor=coordinator, output=Output.objects.get(pk=told), verdict="excluded", reason="Signed"
    )
    plan = plan_audit(release=gaps, wanted=PerStratum(None))
    assert (plan.excluded, plan.n_sampled) == (1, before.n_sampled - 1)
    campaign = draw_audit(actor=coordinator, plan=plan, name="All of them", rubric=RUBRIC)
    assert set(campaign.items.values_list("output_id", flat=True)) == plan.placement.keys()


def test_a_plan_counts_on_what_earlier_audits_found_as_the_score_will(gaps):
    """Systems of which all successes had been read were promised no score at all."""
    plan = plan_audit(release=gaps, wanted=PerStratum(None), exclude_campaigns=["sample-audit"])
    assert {row.half_width for row in plan.precision} == {0.0}
    some = plan_audit(release=gaps, buckets=["ungrounded"], wanted=PerStratum(None))
    widths = {row.system: row.half_width for row in some.precision}
    assert widths["basalt"] > 0  # six of its eleven insufficient answers are unread


def test_a_stratum_that_will_not_be_corrected_promises_no_precision(gaps, carl):
    """What an audit drew by other strata need not be like the other outputs of its stratum."""
    drawn = set(Item.objects.values_list("output_id", flat=True))
    frame = plan_audit(release=gaps, wanted=PerStratum(2)).placement
    chosen = next(pk for pk in sorted(frame.keys() - drawn) if frame[pk] == "aurora/grounded_insufficient")
    output = Output.objects.get(pk=chosen)
    by_others = {"campaign__release": gaps, "campaign__kind": "audit", "stratum": "an earlier judge's"}
    other = ItemFactory(output=output, instance=output.instance, **by_others).campaign
    plan = plan_audit(release=gaps, wanted=PerStratum(2), exclude_campaigns=[other.slug])
    widths = {row.system: row.half_width for row in plan.precision}
    assert widths["aurora"] is None
    assert widths["basalt"] > 0
    page = carl.get(reverse("audit-draw", args=[gaps.name]), {"exclude": other.slug}).content.decode()
    assert "or this draw leaves out some that were not drawn from it" in page


def test_an_output_that_reveals_its_author_makes_a_promise_no_wider_than_it_must(gaps, coordinator, carl):
    drawn = set(Item.objects.values_list("output_id", flat=True))
    before = plan_audit(release=gaps, wanted=PerStratum(2))
    told = next(pk for pk, name in before.placement.items() if name[:6] == "aurora" and pk not in drawn)
    output = Output.objects.get(pk=told)
    decide_identity(actor=coordinator, output=output, verdict="excluded", reason="Signed")
    after = plan_audit(release=gaps, wanted=PerStratum(2))
    assert after.precision == before.precision
    page = carl.get(reverse("audit-draw", args=[gaps.name])).content.decode()
    assert "1 is left out because it was drawn before or reveals who wrote it" in page


def test_larger_samples_promise_narrower_intervals_and_a_census_none(gaps):
    widths = [plan_audit(release=gaps, wanted=PerStratum(n)).precision[0].half_width for n in (2, 6, None)]
    assert widths[0] > widths[1] > widths[2] == 0


def test_a_plan_is_limited_to_the_buckets_that_are_wanted(gaps):
    assert audit_buckets(gaps, "raw") == ["grounded_insufficient", "success", "ungrounded"]
    plan = plan_audit(release=gaps, buckets=["ungrounded"])
    assert {s.name.split("/")[1] for s in plan.strata} == {"ungrounded"}
    with pytest.raises(Refused, match="no bucket 'fine'"):
        plan_audit(release=gaps, buckets=["fine"])


def test_a_sample_of_none_is_refused(gaps):
    with pytest.raises(Refused, match="at least one"):
        plan_audit(release=gaps, wanted=PerStratum(0))


def test_a_draw_freezes_strata_and_inclusion_probabilities(gaps, coordinator):
    plan = plan_audit(release=gaps, wanted=PerStratum(5))
    campaign = draw_audit(actor=coordinator, plan=plan, name="Second look", rubric=RUBRIC, seed=7)
    items = Item.objects.filter(campaign=campaign)
    assert items.count() == plan.n_sampled
    item = items.filter(stratum="aurora/success").first()
    assert (item.stratum_size, item.sample_size) == (16, 5)
    assert item.inclusion_probability == pytest.approx(5 / 16)
    assert AuditEvent.objects.get(verb="draw_audit").details["judge"] == "sample-judge-v1"


def test_the_same_seed_draws_the_same_outputs(gaps, coordinator):
    plan = plan_audit(release=gaps, wanted=PerStratum(3))
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


def test_a_name_that_was_typed_before_stays_whatever_plan_is_shown(carl, gaps):
    page = carl.get(draw_address(name="Second “look”")).content.decode()
    assert page.count('name="name" value="Second “look”"') == 2


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


def test_a_total_is_spread_by_the_rule_that_is_chosen(gaps):
    """74 auditable outputs in nine strata: 28 judged successes in three, the rest in six."""
    expected = Expected(refuted=0.5, missed=0)
    plan = plan_audit(release=gaps, wanted=Spread("neyman", 50), expected=expected)
    by_bucket = Counter()
    for stratum in plan.strata:
        by_bucket[stratum.name.split("/")[1] == "success"] += stratum.sample
    # Where nothing is missed nothing is uncertain: those strata get five each (four where there are no more).
    least = sum(min(5, s.available) for s in plan.strata if not s.name.endswith("/success"))
    assert (by_bucket[False], by_bucket[True]) == (least, 50 - least)
    assert plan.sizes["aurora/success"] > plan.sizes["cobalt/success"]


def test_strata_may_take_all_systems_together(gaps, coordinator):
    plan = plan_audit(release=gaps, by=BUCKET, wanted=PerStratum(6))
    assert {s.name: (s.population, s.sample) for s in plan.strata}["success"] == (28, 6)
    assert [row.system for row in plan.precision] == ["all systems together"]
    campaign = draw_audit(actor=coordinator, plan=plan, name="Together", rubric=RUBRIC)
    assert set(campaign.items.values_list("stratum", flat=True)) == {s.name for s in plan.strata}
    assert AuditEvent.objects.get(verb="draw_audit").details["strata"] == "bucket"


def test_numbers_by_hand_are_taken_or_refused_by_stratum(gaps):
    sizes = plan_audit(release=gaps, buckets=["success"]).sizes
    chosen = {**sizes, "aurora/success": 11}
    assert plan_audit(release=gaps, buckets=["success"], wanted=ByHand(chosen)).sizes == chosen
    for number in (0, 17):
        with pytest.raises(Refused, match=f"aurora/success: {number} of 16"):
            plan_audit(release=gaps, buckets=["success"], wanted=ByHand({**sizes, "aurora/success": number}))
    with pytest.raises(Refused, match="no stratum 'other'"):
        plan_audit(release=gaps, buckets=["success"], wanted=ByHand({**sizes, "other": 1}))


def test_a_total_that_does_not_fit_is_refused_at_its_field(gaps):
    with pytest.raises(Refused, match="75 audits do not fit") as refusal:
        plan_audit(release=gaps, wanted=Spread("neyman", 75))
    assert refusal.value.field == "total"


def test_unknown_strata_are_refused(gaps):
    with pytest.raises(Refused, match="no strata 'colour'"):
        plan_audit(release=gaps, by="colour")


def test_a_plan_is_compared_with_other_ways_to_spend_as_many_audits(gaps):
    document = comparison(plan_audit(release=gaps, by=BUCKET, wanted=PerStratum(8)), 0.05)
    found = {row["name"]: row for row in document["allocations"]}
    assert {row["total"] for row in found.values()} == {24}
    assert found["custom"]["se"] >= found["neyman"]["se"] - 1e-9
    assert document["wanted"]["half_width"] == 0.05


def test_the_page_compares_allocations_before_the_draw(carl, gaps):
    reply = carl.get(draw_address(strata="bucket", allocation="neyman", total=30, half_width=5))
    text = " ".join(reply.content.decode().split())
    assert reply.context["plan"].n_sampled == 30
    assert "Precision of the judge’s yes ±" in text
    assert "could be missed successes" in text
    assert reply.context["comparison"]["wanted"]["half_width"] == "5.00"


def test_the_page_takes_numbers_by_hand_and_shows_refused_ones_again(carl, gaps):
    address = draw_address(allocation="custom", buckets="success")
    sizes = {"n.aurora/success": "12", "n.basalt/success": "4", "n.cobalt/success": "3"}
    assert carl.get(address, sizes | {"allocation": "custom", "buckets": "success"}).context[
        "plan"
    ].sizes == {"aurora/success": 12, "basalt/success": 4, "cobalt/success": 3}
    refused = carl.get(
        address, sizes | {"allocation": "custom", "buckets": "success", "n.aurora/success": "x"}
    )
    assert refused.status_code == 400
    assert "&#x27;x&#x27; is not a number of outputs" in refused.content.decode()
    assert 'value="4"' in refused.content.decode()
    assert 'value="x"' in refused.content.decode()


def test_a_rule_without_its_number_is_explained_at_the_field(carl, gaps):
    reply = carl.get(draw_address(allocation="neyman"))
    assert reply.context["plan_form"].errors == {"total": ["Say how many."]}


def test_an_unknown_parameter_is_explained(carl, gaps):
    assert carl.get(draw_address(wish="1")).status_code == 400
