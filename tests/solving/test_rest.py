"""Solving over REST: what staff read, what owners begin, steer and publish."""

import json
from decimal import Decimal
from typing import Any

import pytest

from benchmark.models import Output, Release
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from solving.models import Attempt, Solver, SolveRun
from tests.solving.site import problems, rma, solver, start, work, world_server
from tests.solving.world import Shape

pytestmark = pytest.mark.django_db(transaction=True)
SHAPE = Shape(rounds=2, proposers=2, verifiers=1)
QUESTIONS = 1 + 1 + 2 + 1  # a draft and its review, two proposals and the review of both


@pytest.fixture
def server(settings):
    with world_server(settings) as running:
        yield running


@pytest.fixture
def release(server):
    return problems(2)


def order(by: Solver, release: Any, **more: Any) -> dict[str, Any]:
    return {"solver": by.name, "release": release.name, "attempt_tokens": 10_000_000, "seed": 7, **more}


def posting(client):
    def post(path: str, body: dict[str, Any], **headers: str) -> Any:
        address = f"/api/v1/solving/{path}"
        return client.post(address, json.dumps(body), content_type="application/json", headers=headers)

    return post


def test_an_owner_makes_a_solver_and_the_same_again_is_the_same(release, client, owner, coordinator):
    post = posting(client)
    body = {"slug": "r", "recipe": "rma", "endpoint": "local", "model": "scripted", "settings": rma(SHAPE)}
    client.force_login(coordinator)
    assert post("solvers/", body).status_code == 403
    client.force_login(owner)
    made = post("solvers/", body)
    assert (made.status_code, made.json()["name"]) == (201, "r-v1")
    assert post("solvers/", body).json()["id"] == made.json()["id"]
    assert post("solvers/", {**body, "model": "other"}).json()["name"] == "r-v2"
    refused = post("solvers/", {**body, "settings": {"rounds": 0}})
    assert (refused.status_code, refused.json()["code"]) == (409, "bad_settings")
    client.force_login(coordinator)
    listed = client.get("/api/v1/solving/solvers/", {"slug": "r"}).json()["results"]
    assert [one["name"] for one in listed] == ["r-v1", "r-v2"]


def test_an_order_is_estimated_and_its_first_questions_read_before_it_is_begun(
    release, server, client, coordinator
):
    client.force_login(coordinator)
    post, asked = posting(client), order(solver(settings=rma(SHAPE)), release, attempts=3)
    found = post("runs/estimate/", {**asked, "draft": 400}).json()
    assert (found["attempts"], found["likely"]["questions"], found["questions"]) == (
        6,
        QUESTIONS,
        6 * QUESTIONS,
    )
    assert (found["all_fits"], found["above_cap"], found["tokens_cap"]) == (True, False, 60_000_000)
    small = post("runs/estimate/", {**asked, "attempt_tokens": 2_000, "rule": "published"}).json()
    assert small["all_fits"] is False
    shown = post("runs/questions/", asked).json()
    (messages,) = shown["questions"]
    assert [one["role"] for one in messages] == ["system", "user"]
    assert f"Show that ${shown['instance'][1:]}" in messages[1]["content"]
    assert (SolveRun.objects.count(), server.calls) == (0, 0)
    assert post("runs/estimate/", {**asked, "solver": "nobody-v1"}).status_code == 404
    assert post("runs/questions/", {**asked, "track": "cooked"}).json()["code"] == "no_track"


def test_an_owner_begins_a_run_steers_it_and_reads_all_of_it(
    release, client, owner, coordinator, monkeypatch
):
    post, asked = posting(client), order(solver(settings=rma(SHAPE)), release)
    client.force_login(coordinator)
    assert post("runs/", asked).status_code == 403
    client.force_login(owner)
    assert post("runs/", {**asked, "attempt_tokens": None}).json()["code"] == "no_budget"
    begun = post("runs/", asked, **{"Idempotency-Key": "once"})
    assert (begun.status_code, begun.json()["attempts"]) == (201, 2)
    assert post("runs/", asked, **{"Idempotency-Key": "once"}).json() == begun.json()
    run = SolveRun.objects.get()
    assert post(f"runs/{run.pk}/steer/", {"to": "paused"}).json()["state"] == "paused"
    assert post(f"runs/{run.pk}/steer/", {"max_tokens": 30_000_000}).json()["max_tokens"] == 30_000_000
    assert post(f"runs/{run.pk}/steer/", {"to": "running"}).json()["state"] == "running"
    assert post(f"runs/{run.pk}/publish/", {}).json()["code"] == "not_ended"
    work(run)

    client.force_login(coordinator)
    shown = client.get(f"/api/v1/solving/runs/{run.pk}/").json()
    assert (shown["state"], shown["answered"], shown["progress"]["steps"]) == ("done", 2, 2 * QUESTIONS)
    listed = client.get(f"/api/v1/solving/runs/{run.pk}/attempts/", {"instance": "p2"}).json()["results"]
    (attempt,) = listed
    address = f"/api/v1/solving/attempts/{attempt['id']}/"
    assert "Token " in client.get(address).json()["result"]["proof_latex"]
    steps = client.get(f"{address}transcript/").json()
    assert [one["step"]["key"] for one in steps] == ["r1.draft", "r1.v1", "r2.p1", "r2.p2", "r2.v1"]
    assert [len(one["step"]["calls"]) for one in steps] == [1] * QUESTIONS
    assert steps[0]["prompt"] == "draft.v1"
    with monkeypatch.context() as changed:
        changed.setattr("solving.runs.queries.is_outdated", lambda solver: True)
        later = client.get(f"{address}transcript/").json()
    assert [one["step"] for one in later] == [one["step"] for one in steps]
    assert {one["prompt"] for one in later} == {""}  # what was sent cannot be made again by another recipe
    memory = client.get(f"{address}memory/", {"section": "proof"}).json()["results"]
    stored = Attempt.objects.get(pk=attempt["id"]).memory.filter(section="proof").order_by("number")
    assert [one["number"] for one in memory] == [one.number for one in stored]


def test_an_owner_publishes_what_a_run_came_to_once(server, client, owner, coordinator, tmp_path):
    path = tmp_path / "release.jsonl"
    line = {"domain": "algebra", "title": "One", "statement": "Show that it holds."}
    lines = [json.dumps({"instance_id": key, **line}) for key in ("p1", "p2")]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    import_release(actor=None, path=path, protocol="proofs", name="two")
    release = Release.objects.get(name="two")
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    run = work(start(solver(settings=rma(SHAPE)), release))
    post, address = posting(client), f"runs/{run.pk}/publish/"
    client.force_login(coordinator)
    assert post(address, {}).status_code == 403
    client.force_login(owner)
    checked = post(address, {"dry_run": True}).json()
    assert (checked["published"], checked["outputs"]) == (None, 2)
    published = post(address, {}).json()
    run.refresh_from_db()
    assert published == {**checked, "published": run.published_id}
    assert Output.objects.filter(run=run.published).count() == 2
    assert post(address, {}).json()["code"] == "published"


def test_runs_are_comparable_if_only_their_solvers_differ(release, client, owner, coordinator):
    client.force_login(owner)
    post, by = posting(client), solver(settings=rma(SHAPE))
    other = solver(settings=rma(Shape(rounds=1, verifiers=1)))
    first, second, third = (
        post("runs/", one).json()["id"]
        for one in (order(by, release), order(other, release), order(by, release, attempt_tokens=5_000))
    )
    client.force_login(coordinator)
    alike = client.get(f"/api/v1/solving/runs/{first}/compare/{second}/").json()
    assert (alike["comparable"], alike["differences"]) == (True, [])
    unlike = client.get(f"/api/v1/solving/runs/{first}/compare/{third}/").json()
    expected = {"name": "tokens of an attempt", "first": "10000000", "second": "5000"}
    assert (unlike["comparable"], unlike["differences"]) == (False, [expected])


def test_budgets_that_no_column_holds_are_refused(release, client, owner):
    client.force_login(owner)
    post, by = posting(client), solver(settings=rma(SHAPE), prompt_price=Decimal(1))
    for more in (
        {"attempt_tokens": 2**62},  # twice as much for two problems
        {"attempt_tokens": None, "attempt_cost": "9999999999"},
    ):
        refused = post("runs/", order(by, release, **more))
        assert (refused.status_code, refused.json()["code"]) == (409, "large_budget")
    begun = post("runs/", order(by, release, attempt_tokens=2**62, max_tokens=2**62))
    assert begun.json()["max_tokens"] == 2**62


@pytest.mark.slow
def test_any_number_of_keys_can_be_named(release, client, owner):
    client.force_login(owner)
    post, by = posting(client), solver(settings=rma(SHAPE))
    many = ["p1", *(f"p{number}" for number in range(300_000, 0, -1))]
    refused = post("runs/", order(by, release, keys=many)).json()
    assert (refused["code"], refused["field"]) == ("no_instance", "keys")
    assert post("runs/", order(by, release, keys=["p2"] * 2)).json()["attempts"] == 1


def test_a_state_and_a_cap_are_not_taken_in_one_request(release, client, owner):
    client.force_login(owner)
    run = start(solver(settings=rma(SHAPE)), release)
    refused = posting(client)(f"runs/{run.pk}/steer/", {"to": "paused", "max_tokens": 30_000_000})
    assert (refused.status_code, "one after the other" in refused.json()["reason"]) == (400, True)
    run.refresh_from_db()
    assert (run.state, run.max_tokens) == ("running", 20_000_000)


def test_a_filter_that_is_no_number_is_bad_input(release, client, coordinator):
    client.force_login(coordinator)
    attempt = start(solver(settings=rma(SHAPE)), release).attempts.first()
    refused = client.get(f"/api/v1/solving/attempts/{attempt.pk}/memory/", {"agent": "init", "round": "one"})
    assert (refused.status_code, refused.json()["field"]) == (400, "round")


def test_a_second_run_with_the_same_outputs_is_not_published_too(server, client, owner, tmp_path):
    path = tmp_path / "release.jsonl"
    line = {"instance_id": "p1", "domain": "algebra", "title": "One", "statement": "Show that it holds."}
    path.write_text(json.dumps(line) + "\n", "utf-8")
    import_release(actor=None, path=path, protocol="proofs", name="one")
    release = Release.objects.get(name="one")
    freeze_release(actor=None, release=release)
    by = solver(settings=rma(SHAPE))
    first, second = (work(start(by, Release.objects.get(name="one"))) for _ in range(2))
    client.force_login(owner)
    post = posting(client)
    assert post(f"runs/{first.pk}/publish/", {}).status_code == 200
    for body in ({"dry_run": True}, {}):
        refused = post(f"runs/{second.pk}/publish/", body)
        assert (refused.status_code, refused.json()["code"]) == (409, "published")
        assert f"Run {first.pk} of {by.name}" in refused.json()["reason"]


def test_runs_at_other_problems_of_a_release_are_not_comparable(release, client, coordinator):
    client.force_login(coordinator)
    by = solver(settings=rma(SHAPE))
    whole, part = start(by, release), start(by, release, keys=["p2"])
    unlike = client.get(f"/api/v1/solving/runs/{whole.pk}/compare/{part.pk}/").json()
    expected = {
        "name": "problems",
        "first": "2, of these 1 in this run only",
        "second": "1, of these 0 in this run only",
    }
    assert (unlike["comparable"], unlike["differences"]) == (False, [expected])
