"""Plans by REST: published figures, refusals, and a draw of exactly what was planned."""

import pytest
from django.urls import reverse

from annotation.models import Campaign

pytestmark = pytest.mark.django_db
RUBRIC = "re2math-audit-v1"
STRATA = [
    {"name": "success", "size": 45, "guess": 0.93, "judge": "yes"},
    {"name": "grounded", "size": 300, "guess": 0.02},
    {"name": "unsupported", "size": 1055, "guess": 0.005},
]


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


def post(client, address, *args, **body):
    return client.post(reverse(address, args=args), body, content_type="application/json")


def test_a_plan_of_strata_has_the_published_sizes(client, stranger):
    client.force_login(stranger)
    sent = post(client, "api-plan-strata", strata=STRATA, total=175, half_width=0.01).json()
    neyman = next(found for found in sent["allocations"] if found["name"] == "neyman")
    assert [stratum["sampled"] for stratum in neyman["strata"]] == [16, 57, 102]  # 3 vi
    assert sent["wanted"]["by_formula"] == pytest.approx(251.3, abs=0.05)


def test_the_other_plans(client, stranger):
    client.force_login(stranger)
    comparison = post(client, "api-plan-comparison", p1=0.07, p2=0.035, discordance=0.105).json()
    assert comparison["paired"] == pytest.approx(670.4, abs=0.05)
    proportion = post(client, "api-plan-proportion", p=0.07, half_width=0.02, population=1400).json()
    assert proportion["finite"] == pytest.approx(432.41, abs=0.005)
    agreement = post(client, "api-plan-agreement", pilot=[[40, 9], [6, 45]], items=200).json()
    # with half a count in every cell: observed (40.5 + 45.5) / 102 = .8431, by chance (50 x 47 + 52 x 55) / 102^2 =
    # .5008, so kappa = (.8431 - .5008) / (1 - .5008)
    assert agreement["kappa"] == pytest.approx(0.6858, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("api-plan-strata", {"strata": STRATA, "total": 5000}),
        ("api-plan-strata", {"strata": [], "total": 5}),
        ("api-plan-strata", {"strata": [STRATA[0] | {"sample": 5}, STRATA[1]], "total": 20}),
        ("api-plan-comparison", {"p1": 0.5, "p2": 0.5, "discordance": 0.1}),
        ("api-plan-agreement", {"pilot": [[1, 2]], "items": 20}),
        ("api-plan-proportion", {"p": 2, "half_width": 0.1}),
    ],
)
def test_plans_that_make_no_sense_are_refused(client, stranger, name, body):
    client.force_login(stranger)
    reply = post(client, name, **body)
    assert (reply.status_code, reply.json()["code"]) == (400, "invalid")


@pytest.mark.slow
def test_rest_shows_a_plan_and_draws_exactly_it(carl, gaps):
    audit = {"strata": "bucket", "allocation": "neyman", "total": 30}
    plan = post(carl, "api-audit-plan", "sample-re2math", **audit).json()
    assert plan["sampled"] == 30
    terms = audit | {"name": "By REST", "rubric": RUBRIC, "seed": 4}
    refused = post(carl, "api-audits", "sample-re2math", **terms, plan="another")
    assert (refused.status_code, refused.json()["code"]) == (409, "plan_changed")
    drawn = post(carl, "api-audits", "sample-re2math", **terms, plan=plan["sha256"])
    assert (drawn.status_code, drawn.json()["items"]) == (201, 30)
    assert Campaign.objects.get(slug=drawn.json()["campaign"]).items.count() == 30


def test_sizes_by_hand_are_drawn_as_planned(carl, gaps):
    audit = {"allocation": "custom", "buckets": ["success"]}
    sizes = {"aurora/success": 6, "basalt/success": 3, "cobalt/success": 2}
    plan = post(carl, "api-audit-plan", "sample-re2math", **audit, sizes=sizes).json()
    terms = audit | {"sizes": sizes, "name": "By hand", "rubric": RUBRIC, "seed": 9, "plan": plan["sha256"]}
    drawn = post(carl, "api-audits", "sample-re2math", **terms).json()
    assert (drawn["items"], drawn["plan"]) == (11, plan["sha256"])


def test_an_audit_without_verdicts_is_not_found_and_a_wrong_total_invalid(carl, gaps):
    assert post(carl, "api-audit-plan", "sample-re2math", judge="other-v1").status_code in (400, 404)
    reply = post(carl, "api-audit-plan", "sample-re2math", allocation="neyman", total=1)
    assert (reply.status_code, reply.json()["field"]) == (400, "total")
