"""Solvers with a model of their own for some roles: whom each question is put to, at which price, and what is shown."""

import html
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import Sum
from django.test import Client

from accounts.models import User
from accounts.refusal import Refused
from solving.batches.actions import export_batch, settle_batch
from solving.batches.queries import batch_lines
from solving.models import Attempt, SolveCall, Solver, SolveRun, Step
from solving.publishing.actions import config_of
from solving.runs.actions import raise_budget, reconcile_solving, steer
from solving.runs.kinds import ASKS, question_of
from solving.runs.replaying import faults, unaccounted
from solving.runs.settlement import settle_asks
from tests.llm.moods import chat_reply
from tests.llm.server import Server, serving
from tests.solving import site
from tests.solving.schedules import schedule
from tests.solving.world import Shape, answer
from work.asking import Answer
from work.claims import claim
from work.models import EndpointState, RunState, TaskState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)
SMALL = Shape(rounds=2, proposers=2, verifiers=1)
PRICES = {"prompt_price": Decimal(1), "completion_price": Decimal(2)}
VERIFIER = {
    "endpoint": "other", "model": "small", "decoding": {"temperature": 0}, "prompt_price": 10, "completion_price": "20",
    "cached_price": 0.5,
}  # fmt: skip
PROMPTS = {"draft.v1": "scripted", "propose.v1": "scripted", "verify.v1": "small"}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("runs.actions", "runs.settlement", "batches.actions"):
        monkeypatch.setattr(f"solving.{module}.ring", lambda: None)
    monkeypatch.setattr("work.claims._just_started", lambda: False)


@pytest.fixture
def servers(settings: Any) -> Iterator[tuple[Server, Server]]:
    """The endpoints `local` and `other`, both with the scripted model."""
    with serving() as local, serving() as other:
        declared = {}
        for name, server in (("local", local), ("other", other)):
            server.keyed = lambda request, key: answer(site.WORLD, site.SEED, request, key)
            declared[name] = {"base_url": server.url, "private": True, "max_concurrency": 4}
        settings.JUDGE_ENDPOINTS = json.dumps(declared)
        yield local, other


def mixed(role: dict[str, Any] | None = None, name: str = "verifier", **more: Any) -> Solver:
    roles = {name: VERIFIER if role is None else role}
    return site.solver(settings=site.rma(SMALL, **more.pop("given", {})), roles=roles, **{**PRICES, **more})


def schema_of(request: dict[str, Any]) -> str:
    system = request["messages"][0]["content"]
    title: str = json.loads(system.partition("It follows this JSON schema:\n")[2].partition("\n")[0])["title"]
    return title


@pytest.mark.slow
def test_each_question_goes_to_the_model_of_its_role_and_costs_its_price(
    servers: tuple[Server, Server],
) -> None:
    local, other = servers
    run = site.work(site.start(mixed(), site.problems()))
    assert run.state == RunState.DONE
    assert Attempt.objects.get(run=run).outcome == "answered"
    assert [schema_of(request) for request in local.requests] == ["Draft", "Proposal", "Proposal"]
    assert [schema_of(request) for request in other.requests] == ["Reviews", "Reviews"]
    assert {(request["model"], request.get("temperature")) for request in local.requests} == {
        ("scripted", None)
    }
    assert {(request["model"], request.get("temperature")) for request in other.requests} == {("small", 0)}
    cost = Decimal(0)
    for call in SolveCall.objects.select_related("task"):
        own = PROMPTS[call.task.name] == "small"
        assert call.model == PROMPTS[call.task.name]
        assert call.task.endpoint == ("other" if own else "local")
        spent = (call.prompt_tokens + 2 * call.completion_tokens) * (10 if own else 1) / Decimal(1_000_000)
        assert call.task.cost_spent == spent
        assert spent <= call.task.cost_bound
        cost += spent
    assert run.cost_spent == cost
    assert list(faults()) == list(unaccounted()) == []


def test_only_roles_make_another_solver_and_the_same_roles_the_same(servers: tuple[Server, Server]) -> None:
    plain = site.solver(settings=site.rma(SMALL), **PRICES)
    made = mixed()
    assert mixed().pk == made.pk
    assert len({plain.sha256, made.sha256, mixed({**VERIFIER, "prompt_price": 9}).sha256}) == 3
    assert site.solver(settings=site.rma(SMALL), roles={}, **PRICES).pk == plain.pk
    assert made.roles == {
        "verifier": {
            "endpoint": "other", "model": "small", "decoding": {"temperature": 0}, "prompt_price": "10",
            "completion_price": "20", "cached_price": "0.5",
        }
    }  # fmt: skip
    assert mixed({"model": "m"}, "proposer").roles["proposer"]["endpoint"] == "local"


@pytest.mark.parametrize(
    ("name", "role", "said"),
    [
        ("judge", {"model": "m"}, "rma has no role 'judge'; it has module, initializer, proposer, verifier"),
        ("verifier", {}, "Role verifier: model: Field required"),
        ("verifier", {"model": " "}, "Role verifier: model: "),
        ("verifier", {"model": "m", "prompt_price": -1}, "Role verifier: prompt_price: "),
        ("verifier", {"model": "m", "prompt_price": float("inf")}, "Role verifier: prompt_price: "),
        ("verifier", {"model": "m", "price": 1}, "Role verifier: price: "),
        ("verifier", {"model": "m", "cached_price": 1}, "Role verifier: The price of tokens from a cache"),
        ("verifier", {"model": "m", "decoding": {"seed": 1}}, "Role verifier: A solver does not set 'seed'"),
        ("verifier", {"model": "m", "endpoint": "nowhere"}, "There is no endpoint 'nowhere'"),
        ("verifier", "m", "Role verifier: "),
    ],
)
def test_a_role_that_cannot_be_is_refused_by_name(
    name: str, role: Any, said: str, servers: tuple[Server, Server]
) -> None:
    with pytest.raises(Refused) as refused:
        mixed(role, name)
    assert said in refused.value.reason
    assert refused.value.field == "roles"
    assert not Solver.objects.exists()


def test_an_endpoint_that_is_gone_holds_up_the_questions_of_its_role_alone(
    servers: tuple[Server, Server], settings: Any
) -> None:
    local, other = servers
    by, problems = mixed(), site.problems()
    run = site.start(by, problems)
    declared = json.loads(settings.JUDGE_ENDPOINTS)
    settings.JUDGE_ENDPOINTS = json.dumps({"local": declared["local"]})
    drain()
    waiting = Step.objects.get(run=run, state=TaskState.WAITING)
    assert (waiting.key, waiting.tries, local.calls, other.calls) == ("r1.v1", 1, 1, 0)
    assert "endpoint other is not configured" in waiting.last_error
    with pytest.raises(Refused, match="no endpoint 'other'"):
        site.start(by, problems)


def test_the_breaker_of_an_endpoint_hears_of_its_own_questions(servers: tuple[Server, Server]) -> None:
    _, other = servers
    other.mood = {"kind": "error", "status": 500}
    site.start(mixed(), site.problems())
    drain()
    failures = dict(EndpointState.objects.values_list("name", "failures"))
    tries = Step.objects.get(state=TaskState.WAITING).tries  # one, or two where the first wait was short
    assert (failures.pop("other"), failures) in ((tries, {}), (tries, {"local": 0}))


# Without what is reserved 7 exceeds the cap of a run; where attempts may use twice as much the others exceed that.
@pytest.mark.slow
@pytest.mark.parametrize("seeds", [(0, 1, 3, 7, 8), pytest.param(tuple(range(12)), marks=pytest.mark.night)])
def test_no_schedule_exceeds_a_hard_cap_with_models_of_several_prices(
    seeds: tuple[int, ...], servers: tuple[Server, Server]
) -> None:
    by, problems = mixed(), site.problems()
    for seed in seeds:
        found = schedule(seed, problems, by)
        assert (found.over_attempt, found.over_run) == (0, 0), seed


def test_a_budget_in_money_counts_each_role_at_its_price(servers: tuple[Server, Server]) -> None:
    """The verifier alone has a price, so that alone is reserved and spent."""
    free = {"prompt_price": Decimal(0), "completion_price": Decimal(0)}
    problems = site.problems()
    with pytest.raises(Refused, match="needs prices"):
        site.start(site.solver(settings=site.rma(SMALL)), problems, max_cost=Decimal(1))
    by = mixed({"model": "m", "prompt_price": "10", "completion_price": "10"}, **free)
    run = site.start(by, problems, max_cost=Decimal("0.001"))  # less than one review can cost
    assert site.work(run).state == RunState.PAUSED
    assert run.cost_spent == 0
    assert set(Step.objects.values_list("name", "state")) == {("draft.v1", "done"), ("verify.v1", "waiting")}
    raise_budget(actor=None, run=run, max_cost=Decimal(10))
    steer(actor=None, run=run, to=RunState.RUNNING)
    assert site.work(run).state == RunState.DONE
    reviews = Step.objects.filter(name="verify.v1").aggregate(cost=Sum("cost_spent"))["cost"]
    assert 0 < reviews == run.cost_spent


def test_a_batch_has_the_questions_of_one_endpoint_each_with_its_model(
    servers: tuple[Server, Server], tmp_path: Path
) -> None:
    run = site.start(mixed(), site.problems())
    steer(actor=None, run=run, to=RunState.PAUSED)
    sent: list[tuple[str, Any]] = []
    for _ in range(10):
        run.refresh_from_db()
        if run.state == RunState.DONE:
            break
        export_batch(actor=None, run=run)
        path = tmp_path / "results.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for line in map(json.loads, batch_lines(run)):
                body, pk = line["body"], line["custom_id"].split("-")[1]
                step = Step.objects.select_related("run__solver", "attempt__instance").get(pk=pk)
                sent.append((body["model"], body.get("temperature")))
                assert body["model"] == PROMPTS[step.name]
                said = answer(site.WORLD, site.SEED, body, site.name_of(step.attempt)(step.key))
                reply = {"status_code": 200, "body": chat_reply(body, said)}
                file.write(json.dumps({"custom_id": line["custom_id"], "response": reply}) + "\n")
        settle_batch(actor=None, run=run, path=path)
    assert sent == [("scripted", None), ("small", 0), ("scripted", None), ("scripted", None), ("small", 0)]
    assert SolveCall.objects.filter(model="small").count() == 2
    assert list(faults()) == list(unaccounted()) == []


def test_waiting_questions_of_another_endpoint_are_left_for_the_next_batch(
    servers: tuple[Server, Server],
) -> None:
    """Two problems, of which one is at its review and one at its draft."""
    run = site.start(mixed(), site.problems(2))
    later = Step.objects.filter(run=run).order_by("-pk").first()
    assert later is not None
    Step.objects.filter(pk=later.pk).update(state=TaskState.HELD)
    drain_one_round(run)
    Step.objects.filter(pk=later.pk).update(state=TaskState.WAITING)
    steer(actor=None, run=run, to=RunState.PAUSED)
    waiting = set(Step.objects.filter(run=run, state=TaskState.WAITING).values_list("endpoint", flat=True))
    assert waiting == {"local", "other"}
    assert export_batch(actor=None, run=run) == 1
    assert [json.loads(line)["body"]["model"] for line in batch_lines(run)] == ["scripted"]


def drain_one_round(run: SolveRun) -> None:
    """Answer what waits at `local`, and nothing at `other`."""
    results = []
    for step in claim(ASKS, owner="w", limit=10):
        question = question_of(step, "0" * 32)
        said = answer(site.WORLD, site.SEED, {"messages": question.messages}, question.key)
        results.append(Answer(step, said, "stop", {"model": "m"}, {}, 1.0, 5, 5, 0))
    settle_asks(results=results, owner="w")
    reconcile_solving()


@pytest.mark.slow
def test_pages_show_whom_each_role_asks_and_a_model_that_changed_under_its_name(
    servers: tuple[Server, Server], client: Client, coordinator: User
) -> None:
    run = site.work(site.start(mixed(), site.problems()))
    client.force_login(coordinator)
    page = client.get(f"/solving/runs/{run.pk}/").content.decode()
    assert "scripted at local; verifier: small at other" in page
    assert "several models" not in page
    SolveCall.objects.filter(task__run=run, task__key="r2.v1").update(model="small-0926")
    page = client.get(f"/solving/runs/{run.pk}/").content.decode()
    assert "Replies to the role verifier say that they are from several models: small, small-0926." in page
    assert (
        "verifier: small at other, 10 sent, 20 received" in client.get("/solving/solvers/").content.decode()
    )
    attempt = Attempt.objects.get(run=run)
    shown = client.get(f"/solving/attempts/{attempt.pk}/steps/r1.v1/").content.decode()
    assert "the reply of small" in shown
    assert config_of(run)["roles"]["verifier"]["model"] == "small"


def test_roles_are_given_on_the_page_over_rest_and_on_the_command_line(
    servers: tuple[Server, Server], client: Client, owner: User, capsys: pytest.CaptureFixture[str]
) -> None:
    client.force_login(owner)
    roles = {"initializer": {"model": "big", "prompt_price": 3}}
    body = {"slug": "s", "recipe": "single", "endpoint": "local", "model": "m", "roles": roles}

    def post(sent: dict[str, Any]) -> Any:
        return client.post("/api/v1/solving/solvers/", json.dumps(sent), content_type="application/json")

    by_rest = post(body).json()
    assert by_rest["roles"]["initializer"] == {
        "endpoint": "local", "model": "big", "decoding": {}, "prompt_price": "3", "completion_price": "0",
    }  # fmt: skip
    refused = post({**body, "roles": {"verifier": {"model": "m"}}})
    assert (refused.status_code, refused.json()["code"]) == (409, "no_role")
    address = "/solving/solvers/new/?recipe=single"
    page = client.get(address)
    form = page.context["form"]
    assert [role for role, _, _ in form.role_fields()] == ["initializer"]
    filled = {name: field.initial for name, field in form.fields.items()}
    sent = {name: str(value) for name, value in filled.items() if value is not None and value is not False}
    sent |= {"slug": "s", "endpoint": "local", "model": "m"}
    sent["s_commandments"] = form.fields["s_commandments"].initial
    sent |= {"initializer.model": "big", "initializer.prompt_price": "3"}
    for wrong, said in [
        ({"initializer.decoding": "[]"}, "Not one JSON object"),
        ({"initializer.decoding": '{"max_tokens": 3}'}, "Role initializer: A solver does not set"),
        ({"initializer.model": ""}, "Name the model, or leave the other fields of this role empty."),
        ({"initializer.cached_price": "4"}, "Role initializer: The price of tokens from a cache is at most"),
        ({"initializer.endpoint": "elsewhere"}, "Select a valid choice"),
    ]:
        answered = client.post(address, {**sent, **wrong})
        assert answered.status_code == 400
        assert said in html.unescape(answered.content.decode())
        assert answered.content.count(b"<details open>") == 1  # so that what is in it is seen
    assert client.post(address, sent).status_code == 302
    release = site.problems()
    call_command(
        "solve", "--release", release.name, "--solver", "s", "--recipe", "single", "--endpoint", "local", "--model",
        "m", "--roles", json.dumps(roles), "--attempt-tokens", "100000", "--no-wait",
    )  # fmt: skip
    assert SolveRun.objects.get().solver.pk == by_rest["id"]
    assert Solver.objects.count() == 1  # all three make the same one
