"""Plans by REST and from the console: the same documents, the same draw."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
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


def command(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "strata.csv"
    rows = [f"{row['name']},{row['size']},{row['guess']},{row.get('judge', 'no')}" for row in STRATA]
    path.write_text("\n".join(["name,size,guess,judge", *rows]))
    return str(path)


def test_rest_and_command_give_the_same_plan_of_strata(client, stranger, table):
    client.force_login(stranger)
    sent = post(client, "api-plan-strata", strata=STRATA, total=175, half_width=0.01).json()
    printed = json.loads(
        command("plan_audit", "strata", table, "--total", "175", "--half-width", "0.01", "--json")
    )
    assert sent == printed
    neyman = next(found for found in sent["allocations"] if found["name"] == "neyman")
    assert [stratum["sampled"] for stratum in neyman["strata"]] == [16, 57, 102]  # 3 vi
    assert sent["wanted"]["by_formula"] == pytest.approx(251.3, abs=0.05)


def test_the_other_plans_by_rest_and_command(client, stranger):
    client.force_login(stranger)
    comparison = post(client, "api-plan-comparison", p1=0.07, p2=0.035, discordance=0.105).json()
    assert comparison["paired"] == pytest.approx(670.4, abs=0.05)
    assert comparison == json.loads(command("plan_audit", "comparison", "7%", "0.035", "0.105", "--json"))
    proportion = post(client, "api-plan-proportion", p=0.07, half_width=0.02, population=1400).json()
    assert proportion["finite"] == pytest.approx(432.41, abs=0.005)
    arguments = ("proportion", "0.07", "--half-width", "2%", "--population", "1400", "--json")
    assert proportion == json.loads(command("plan_audit", *arguments))
    agreement = post(client, "api-plan-agreement", pilot=[[40, 9], [6, 45]], items=200).json()
    pilot = ("40", "9", "6", "45")
    assert agreement == json.loads(command("plan_audit", "agreement", *pilot, "--items", "200", "--json"))


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


def test_the_texts_for_the_terminal(table, gaps):
    text = command("plan_audit", "strata", table, "--total", "175", "--half-width", "1%")
    assert "251.3" in text
    assert "60, <= 49" in text  # 2B.3
    assert "kappa of the pilot 0.686" in command(
        "plan_audit", "agreement", "40", "9", "6", "45", "--items", "90"
    )
    assert "671" in command("plan_audit", "comparison", "0.07", "0.035", "0.105")
    assert "433" in command(
        "plan_audit", "proportion", "0.07", "--half-width", "0.02", "--population", "1400"
    )
    assert "sample-judge-v1" in command("plan_audit", "release", "sample-re2math")


def test_wrong_tables_and_arguments_are_refused(tmp_path, gaps):
    broken = tmp_path / "broken.csv"
    broken.write_text("name,size,guess\na,many,0.5\n")
    with pytest.raises(CommandError, match="line 2, column size"):
        command("plan_audit", "strata", str(broken), "--total", "5")
    with pytest.raises(CommandError, match="No such file"):
        command("plan_audit", "strata", str(tmp_path / "none.csv"), "--total", "5")
    with pytest.raises(CommandError, match="not like STRATUM=5"):
        command("plan_audit", "release", "sample-re2math", "--allocation", "custom", "--sizes", "aurora")
    with pytest.raises(CommandError, match="no allocation 'mood'"):
        command("plan_audit", "release", "sample-re2math", "--allocation", "mood")
    with pytest.raises(CommandError, match="Say how many"):
        command("plan_audit", "release", "sample-re2math", "--allocation", "neyman")


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


def test_the_command_draws_what_rest_would_draw(carl, gaps, coordinator):
    audit = {"allocation": "custom", "buckets": ["success"]}
    sizes = {"aurora/success": 6, "basalt/success": 3, "cobalt/success": 2}
    plan = post(carl, "api-audit-plan", "sample-re2math", **audit, sizes=sizes).json()
    chosen = [f"{name}={n}" for name, n in sizes.items()]
    arguments = ["sample-re2math", "--allocation", "custom", "--bucket", "success", "--sizes", *chosen]
    printed = json.loads(command("plan_audit", "release", *arguments, "--json"))
    assert printed["sha256"] == plan["sha256"]
    terms = ["--actor", coordinator.email, "--campaign", "By hand", "--rubric", RUBRIC, "--seed", "9"]
    drawn = json.loads(command("draw_audit", *arguments, *terms, "--plan", plan["sha256"], "--json"))
    assert (drawn["items"], drawn["plan"]) == (11, plan["sha256"])
    with pytest.raises(CommandError, match="plan has changed"):
        command("draw_audit", *arguments, *terms, "--plan", "another")


def test_an_audit_without_verdicts_is_not_found_and_a_wrong_total_invalid(carl, gaps):
    assert post(carl, "api-audit-plan", "sample-re2math", judge="other-v1").status_code in (400, 404)
    reply = post(carl, "api-audit-plan", "sample-re2math", allocation="neyman", total=1)
    assert (reply.status_code, reply.json()["field"]) == (400, "total")
