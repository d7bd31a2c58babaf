"""Planning, drawing and using an audit of the outputs that were made under one condition."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from annotation.campaigns.actions import create_campaign, draw_items
from annotation.campaigns.pairs import draw_pairs
from annotation.campaigns.revising import revise_campaign
from annotation.conflicts.resolving import ground_of
from annotation.guessing.guesses import systems_of
from annotation.models import Answer, Campaign, Grade
from benchmark.models import Release, Run
from reports.audit.draw import draw_audit, plan_audit
from reports.audit.request import AuditRequest
from reports.audit.sizes import PerStratum
from reports.scores.document import score
from reports.scores.inputs import collect
from reports.scores.text import score_text
from reports.verdicts.copies import copy_verdicts
from tests.documents import score_document
from tests.factories import AssignmentFactory, CampaignFactory, OutputFactory, RunFactory
from tests.reports.test_conditions import handed_over

pytestmark = pytest.mark.django_db
RUBRIC = "re2math-audit-v1"
ALL = PerStratum(None)


@pytest.fixture
def oracle(gaps: Release) -> Run:
    """Aurora's five outputs under the condition oracle, two of them successes by the judge."""
    return handed_over(gaps)


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def audited(gaps: Release, coordinator: User) -> Campaign:
    """All five outputs of the condition, closed: the expert says no to the sufficiency of one success, and agrees
    with the judge about the rest."""
    plan = plan_audit(release=gaps, condition="oracle", wanted=ALL)
    campaign = draw_audit(actor=coordinator, plan=plan, name="Oracle", rubric=RUBRIC)
    wrong = campaign.items.filter(stratum="aurora/success").order_by("instance__key").first()
    for item in campaign.items.all():
        grade = Grade.objects.create(
            assignment=AssignmentFactory(item=item), rubric_sha256="0" * 64, idempotency_key="k"
        )
        sufficient = item.stratum == "aurora/success" and item != wrong
        Answer.objects.create(grade=grade, question="ground", value="yes")
        Answer.objects.create(grade=grade, question="suff", value="yes" if sufficient else "no")
    now = timezone.now()
    Campaign.objects.filter(pk=campaign.pk).update(phase="closed", opened_at=now, closed_at=now)
    return campaign


@pytest.mark.slow
def test_the_frame_is_of_the_condition_alone(gaps, oracle):
    plan = plan_audit(release=gaps, condition="oracle", wanted=ALL)
    found = {s.name: (s.population, s.sample) for s in plan.strata}
    # the judge finds all five grounded and two of them sufficient
    assert found == {"aurora/grounded_insufficient": (3, 3), "aurora/success": (2, 2)}
    assert set(plan.placement) == set(oracle.outputs.values_list("pk", flat=True))
    usual = plan_audit(release=gaps, wanted=ALL)
    assert not set(usual.placement) & set(plan.placement)
    assert AuditRequest(condition="usual", per_stratum=None).plan(gaps).placement == usual.placement
    assert plan.sha256 != usual.sha256
    with pytest.raises(Refused, match="has no verdicts on track raw under condition window-1 to audit"):
        plan_audit(release=gaps, condition="window-1")


def test_what_is_drawn_are_outputs_of_the_condition_and_the_campaign_says_so(gaps, oracle, coordinator):
    plan = plan_audit(release=gaps, condition="oracle", wanted=ALL)
    campaign = draw_audit(actor=coordinator, plan=plan, name="Oracle", rubric=RUBRIC)
    assert set(campaign.items.values_list("output__run", flat=True)) == {oracle.pk}
    assert campaign.condition == "oracle"
    usual = draw_audit(actor=coordinator, plan=plan_audit(release=gaps), name="Usual", rubric=RUBRIC)
    assert usual.condition == "usual"
    assert set(usual.items.values_list("output__run__condition", flat=True)) == {""}


@pytest.mark.slow
def test_the_audit_corrects_the_score_of_its_condition_and_no_other(gaps, oracle, coordinator):
    before = score_document(collect(release=gaps))
    audited(gaps, coordinator)
    found = score_document(collect(release=gaps, condition="oracle"))["judge"]["audits"]
    assert [audit["campaign"] for audit in found] == ["oracle"]
    metric = found[0]["metrics"]["tool_acc"]
    # of the five, the judge counts two and the expert one of these two: TP 1, FP 1, TN 3
    assert {key: metric["in_sample"][key] for key in ("tp", "fp", "fn", "tn")} == {
        "tp": 1,
        "fp": 1,
        "fn": 0,
        "tn": 3,
    }
    # every output was audited, so the corrected score is what the expert says: 1 of 5 instead of 2 of 5
    assert metric["corrected"]["aurora"]["estimate"]["value"] == pytest.approx(0.2)
    assert score_document(collect(release=gaps)) == before


def test_what_was_not_drawn_is_planned_with_the_condition(gaps, oracle, coordinator):
    plan = plan_audit(release=gaps, condition="oracle", buckets=["success"], wanted=ALL)
    campaign = draw_audit(actor=coordinator, plan=plan, name="Half", rubric=RUBRIC)
    for item in campaign.items.all():
        place = AssignmentFactory(item=item)
        grade = Grade.objects.create(assignment=place, rubric_sha256="0" * 64, idempotency_key="k")
        for question in ("ground", "suff"):
            Answer.objects.create(grade=grade, question=question, value="yes")
    now = timezone.now()
    Campaign.objects.filter(pk=campaign.pk).update(phase="closed", opened_at=now, closed_at=now)
    text = score_text(score(collect(release=gaps, condition="oracle")))
    assert 'POST audit-plan/ {"condition": "oracle", "strata": "system/bucket"' in text


def test_the_page_plans_and_draws_under_the_condition_that_is_chosen(carl, gaps, oracle):
    address = reverse("audit-draw", args=[gaps.name], query={"condition": "oracle", "per_stratum": 2})
    page = carl.get(address)
    text = " ".join(page.content.decode().split())
    assert "on track raw under condition oracle" in text
    assert "4 of 5 outputs would be drawn" in text
    assert '<input type="hidden" name="condition" value="oracle">' in text
    sent = {"name": "Oracle", "rubric": RUBRIC, "reviewers_per_item": 2, "seed": 3}
    carl.post(address, {**sent, "plan": page.context["plan"].sha256})
    assert Campaign.objects.get(slug="oracle").condition == "oracle"
    # an audit of another condition drew nothing of these outputs, so it cannot be left out of this one
    again = carl.get(address).context["plan_form"]
    assert [slug for slug, _ in again.fields["exclude"].choices] == ["oracle"]
    results = carl.get(reverse("score", args=[gaps.name]), {"condition": "oracle"}).content.decode()
    assert "?track=raw&amp;condition=oracle&amp;judge=sample-judge-v1" in results


def test_rest_plans_and_draws_under_a_condition(carl, gaps, oracle):
    def post(route, **body):
        address = reverse(route, args=[gaps.name])
        return carl.post(address, json.dumps(body), content_type="application/json")

    plan = post("api-audit-plan", condition="oracle", per_stratum=1).json()
    assert (plan["condition"], plan["sampled"]) == ("oracle", 2)
    terms = {"condition": "oracle", "per_stratum": 1, "name": "Oracle", "rubric": RUBRIC}
    drawn = post("api-audits", **terms, plan=plan["sha256"])
    assert drawn.status_code == 201
    campaign = carl.get(reverse("api-campaign", args=[drawn.json()["campaign"]])).json()
    assert campaign["condition"] == "oracle"
    other = post("api-audits", **{**terms, "condition": "usual", "name": "Other"}, plan=plan["sha256"])
    assert other.json()["code"] == "plan_changed"
    assert "under condition window-1" in post("api-audit-plan", condition="window-1").json()["reason"]


def test_only_systems_with_runs_under_the_condition_are_possible_authors(gaps, oracle, coordinator):
    plan = plan_audit(release=gaps, condition="oracle", wanted=ALL)
    campaign = draw_audit(actor=coordinator, plan=plan, name="Oracle", rubric=RUBRIC)
    problem = campaign.items.first().instance.key
    assert ground_of(campaign).authors[problem] == {"aurora"}
    assert [system.slug for system in systems_of(campaign)] == ["aurora"]
    usual = draw_audit(actor=coordinator, plan=plan_audit(release=gaps), name="Usual", rubric=RUBRIC)
    assert len(systems_of(usual)) == 3


def test_verdicts_shown_to_reviewers_are_those_of_the_condition(gaps, oracle, coordinator):
    plan = plan_audit(release=gaps, condition="oracle", wanted=ALL)
    campaign = draw_audit(actor=coordinator, plan=plan, name="Oracle", rubric=RUBRIC)
    reveal = copy_verdicts(actor=coordinator, campaign=campaign, predicate="suff", question="suff")
    assert reveal.verdicts.count() == 5


def test_a_campaign_of_whole_answers_draws_from_its_condition_too(gaps, oracle, coordinator):
    terms = {"actor": coordinator, "release": gaps, "rubric": RUBRIC}
    named = create_campaign(**terms, name="Named", condition="oracle")
    assert {item.output.run for item in draw_items(actor=coordinator, campaign=named)} == {oracle}
    usual = create_campaign(**terms, name="Usual", condition="usual")
    assert all(not item.output.run.condition for item in draw_items(actor=coordinator, campaign=usual))
    whole = create_campaign(**terms, name="Whole")
    drawn = {item.output.run.condition for item in draw_items(actor=coordinator, campaign=whole)}
    assert drawn == {"", "oracle"}  # as before campaigns had conditions
    nothing = create_campaign(**terms, name="Nothing", condition="window-1")
    with pytest.raises(Refused, match="no answered outputs in track 'raw' under condition 'window-1'"):
        draw_items(actor=coordinator, campaign=nothing)
    with pytest.raises(Refused, match="Enter a valid") as refusal:
        create_campaign(**terms, name="Bad", condition="no name")
    assert refusal.value.field == "condition"


@pytest.mark.slow
def test_pairs_are_of_the_condition_and_otherwise_of_the_usual_one(proofs, coordinator):
    oracle = []
    for usual in proofs.runs.filter(condition="").order_by("system__slug")[:2]:
        run = RunFactory(release=proofs, system=usual.system, condition="oracle")
        oracle.append(OutputFactory(run=run, instance=proofs.instances.order_by("key").first()))
    terms = {"actor": coordinator, "release": proofs, "rubric": "proofs-pairs-v1"}
    named = draw_pairs(actor=coordinator, campaign=create_campaign(**terms, name="Named", condition="oracle"))
    assert [{item.output, item.second} for item in named] == [set(oracle)]
    usual = draw_pairs(actor=coordinator, campaign=create_campaign(**terms, name="Usual"))
    assert all(not item.output.run.condition for item in usual)


def test_the_condition_changes_until_the_draw_and_the_database_keeps_it_once_open(gaps, oracle, coordinator):
    campaign = create_campaign(actor=coordinator, release=gaps, rubric=RUBRIC, name="First")
    revise_campaign(actor=coordinator, campaign=campaign, condition="oracle")
    draw_items(actor=coordinator, campaign=campaign)
    with pytest.raises(Refused, match="the items are drawn") as refusal:
        revise_campaign(actor=coordinator, campaign=campaign, condition="usual")
    assert refusal.value.field == "condition"
    row = Campaign.objects.filter(pk=campaign.pk)
    row.update(phase="open", opened_at=timezone.now())
    for condition in ("usual", None):
        with pytest.raises(IntegrityError, match="is frozen when it opens"), transaction.atomic():
            row.update(condition=condition)


def test_the_database_itself_keeps_conditions_to_campaigns_of_runs():
    for fields in ({"condition": ""}, {"kind": "construction", "track": "", "condition": "oracle"}):
        with pytest.raises(IntegrityError, match="condition_is_of_runs"), transaction.atomic():
            CampaignFactory(**fields)
