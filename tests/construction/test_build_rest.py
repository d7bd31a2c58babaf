"""REST of builds: everything that the pages do, with the same refusals, once for each idempotency key."""

import csv
import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import AuditEvent, User
from benchmark.models import Release
from construction.models import Build, Candidate
from construction.pipeline import get_pipeline, pipeline_names
from construction.recipes.about import numbers_of
from tests.construction import test_gaps as gaps
from tests.construction import test_pipelines as made_up
from tests.construction.building import QUOTAS, _quiet, run, server, source
from tests.llm.server import Server

__all__ = ["_quiet", "server"]
pytestmark = pytest.mark.django_db(transaction=True)
AT = "/api/v1/builds/"


class Caller:
    """A member with a session who speaks JSON."""

    def __init__(self, user: User) -> None:
        self.client = Client()
        self.client.force_login(user)

    def get(self, address: str, status: int = 200) -> Any:
        reply = self.client.get(AT + address)
        assert reply.status_code == status, reply.content
        return reply.json()

    def post(self, address: str, body: object = None, status: int = 200, key: str = "") -> Any:
        more = {"HTTP_IDEMPOTENCY_KEY": key} if key else {}
        reply = self.client.post(AT + address, body or {}, content_type="application/json", **more)
        assert reply.status_code == status, reply.content
        return reply.json()


@pytest.fixture
def owners(owner: User) -> Caller:
    return Caller(owner)


@pytest.fixture
def staff(coordinator: User) -> Caller:
    return Caller(coordinator)


def plan(name: str, protocol: str = "lemmas", **more: Any) -> dict[str, Any]:
    asked = {
        "name": name,
        "protocol": protocol,
        "endpoint": "local",
        "model": "writer",
        "max_tokens": 10_000_000,
    }
    return {**asked, **more}


def test_a_build_is_estimated_begun_once_followed_and_released(
    server: Server, owners: Caller, staff: Caller
) -> None:
    source("2601.00001", made_up.TEXT)
    source("2601.00002", made_up.TEXT + "%")
    asked = {"protocol": "lemmas", "numbers": {"max_depth": 2}, "sources": {"keys": ["2601.00001"]}}
    told = staff.post("estimate/", asked)
    assert (told["papers"], told["questions_low"], told["questions_high"]) == (1, 1, 1)
    staff.post("", plan("first"), 403)
    body = plan("first", numbers={"max_depth": 2}, sources={"keys": ["2601.00001"]})
    begun = owners.post("", body, 201, key="one")
    assert owners.post("", body, 201, key="one") == begun
    assert Build.objects.count() == 1
    assert owners.post("", body, 409)["code"] == "name_taken"
    assert staff.get("first/selection/", 409)["code"] == "wrong_state"
    run(Build.objects.get())
    told = staff.get("first/")
    assert (told["state"], told["papers"], told["papers_over"], told["recipe"]["max_depth"]) == (
        "done",
        1,
        1,
        2,
    )
    for row in told["funnel"]:
        assert row["reached"] == row["kept"] + row["waiting"] + sum(row["dropped"].values())
    reply = staff.client.get(f"{AT}first/funnel.csv")
    lines = list(csv.DictReader(io.StringIO(b"".join(reply).decode())))  # type: ignore[arg-type]
    assert [row["stage"] for row in lines if not row["code"]] == [row["stage"] for row in told["funnel"]]
    assert [one["name"] for one in staff.get("")["results"]] == ["first"]
    selection = staff.get("first/selection/")
    assert [row["selected"] for row in selection["lines"]] == [True]
    check = staff.post("first/check/")
    assert (check["papers"], check["differing"], check["lines"]) == (1, [], 1)
    (offset,) = b"".join(staff.client.get(f"{AT}first/offsets.jsonl")).splitlines()  # type: ignore[arg-type]
    assert json.loads(offset)["source"] == "2601.00001"
    made = staff.post("first/emit/", {"release": "made", "is_sample": True}, 201, key="two")
    assert staff.post("first/emit/", {"release": "made", "is_sample": True}, 201, key="two") == made
    assert made["sha256"] == Release.objects.get(name="made").sha256
    assert staff.get("first/")["release"] == "made"
    assert AuditEvent.objects.filter(verb="emit_build").count() == 1


@pytest.mark.slow
def test_a_candidate_is_read_dropped_repaired_and_withdrawn(
    server: Server, owners: Caller, staff: Caller
) -> None:
    source("2601.00001", gaps.TEXT)
    owners.post("", plan("first", "re2math", numbers=QUOTAS), 201)
    run(Build.objects.get())
    listed = staff.get("first/candidates/?state=made")["results"]
    assert {one["paper"] for one in listed} == {"2601.00001"}
    assert staff.get("first/candidates/?state=passed")["results"][0]["key"] == "paper"
    assert "paper" not in {one["key"] for one in staff.get("first/candidates/")["results"]}
    staff.get("first/candidates/?stages=made", 400)
    at = f"first/candidates/{listed[0]['id']}/"
    told = staff.get(at)
    assert told["faults"] == []
    assert {step["stage"] for step in told["steps"]} >= {"instrumental", "witness", "anchor"}
    assert told["steps"][0]["calls"] == 1
    strings = {one["name"]: one for one in told["strings"]}
    assert strings["0.x.anchor_hint"]["written_by"].startswith("gap-anchor")
    repair = {"decision": "repair", "reason": "Better.", "after": {"0.x.anchor_hint": "Too short."}}
    refused = staff.post(f"{at}review/", repair, 409)
    assert (refused["code"], refused["field"]) == ("anchor_length", "0.x.anchor_hint")
    repair["after"] = {"\u00b2.x.anchor_hint": "Too short."}
    assert "There is no line" in staff.post(f"{at}review/", repair, 409)["reason"]
    repair["after"] = {"0.paper": "Another one."}
    assert staff.post(f"{at}review/", repair, 409)["code"] in ("not_editable", "bad_line")
    better = "Bound the number of gadgets in every part of the figure, so that the sum is finite."
    repair["after"] = {"0.x.anchor_hint": better}
    told = staff.post(f"{at}review/", repair, key="three")
    assert staff.post(f"{at}review/", repair, key="three") == told
    assert told["lines"][0]["x"]["anchor_hint"] == better
    assert told["reviews"][0]["before"] != told["reviews"][0]["after"]
    assert staff.post(f"{at}review/", {"decision": "drop", "reason": "No."}, 409)["code"] == "reviewed"
    assert staff.post(f"{at}withdraw/")["reviews"][0]["withdrawn_at"]
    assert staff.post(f"{at}withdraw/", status=409)["code"] == "not_reviewed"
    staff.post(f"{at}review/", {"decision": "drop", "reason": "No."})
    assert staff.get("first/")["funnel"][-2]["dropped"] == {"by_hand": 1}
    assert Candidate.objects.filter(reviews__withdrawn_at=None, reviews__decision="drop").count() == 1


def test_only_owners_steer_a_build_and_ask_again(server: Server, owners: Caller, staff: Caller) -> None:
    source("2601.00001", made_up.TEXT)
    owners.post("", plan("large", max_tokens=2**63), 400)
    owners.post("", plan("first"), 201)
    staff.post("first/steer/", {"to": "paused"}, 403)
    owners.post("first/steer/", {"to": "paused", "max_tokens": 90_000}, 400)
    assert owners.post("first/steer/", {"to": "paused"})["state"] == "paused"
    assert owners.post("first/steer/", {"to": "paused"}, 409)["code"] == "wrong_state"
    assert owners.post("first/steer/", {"max_tokens": 90_000})["max_tokens"] == 90_000
    refused = owners.post("first/steer/", {"max_tokens": 5}, 409)
    assert (refused["code"], refused["field"]) == ("small_budget", "max_tokens")
    assert owners.post("first/again/", status=409)["code"] == "nothing_failed"
    staff.post("first/again/", status=403)


def test_recipes_say_every_number(staff: Caller) -> None:
    told = {one["protocol"]: one for one in staff.get("recipes/")}
    assert list(told) == pipeline_names()
    for name, one in told.items():
        ours = numbers_of(get_pipeline(name).recipe({}))
        assert {number["name"]: number["ours"] for number in one["numbers"]} == ours
        assert all(number["what"] for number in one["numbers"])
        assert [prompt["label"] for prompt in one["prompts"]] == [
            one.label for one in get_pipeline(name).prompts
        ]


@pytest.mark.slow
def test_two_builds_are_compared_and_builds_of_two_protocols_are_not(
    server: Server, owners: Caller, staff: Caller
) -> None:
    source("2601.00001", made_up.TEXT)
    for name, protocol in (("first", "lemmas"), ("second", "lemmas"), ("third", "masked_steps")):
        owners.post("", plan(name, protocol), 201)
        run(Build.objects.get(name=name))
    told = staff.get("second/compare/first/")
    assert (told["papers_in_both"], len(told["again"]), told["reused_second"]) == (1, 1, 1)
    assert told["drift"][0]["difference"] == 0
    assert staff.get("third/compare/first/", 409)["code"] == "other_protocol"


def test_a_build_of_many_papers_is_checked_on_the_command_line(
    server: Server,
    owners: Caller,
    staff: Caller,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source("2601.00001", made_up.TEXT)
    owners.post("", plan("first"), 201)
    monkeypatch.setattr("construction.builds.api.CHECKED_AT_ONCE", 0)
    refused = staff.post("first/check/", status=409)
    command = "manage.py api POST builds/first/check/"
    assert (refused["code"], command in refused["reason"]) == ("too_many_papers", True)
    call_command("api", "POST", "builds/first/check/")
    assert json.loads(capsys.readouterr().out)["papers"] == 1
