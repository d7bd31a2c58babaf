"""Runs by batch files: they come to what workers come to, and what is not a result of theirs is refused."""

import datetime as dt
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from solving.batches import actions
from solving.batches.actions import export_batch, settle_batch, withdraw_batch
from solving.batches.queries import batch_lines, batch_state
from solving.models import Attempt, MemoryEntry, SolveCall, SolveRun, Step
from solving.runs.actions import raise_budget, reconcile_solving, steer
from solving.runs.kinds import ASKS
from solving.runs.replaying import faults, unaccounted
from tests.llm.moods import chat_reply
from tests.llm.server import Server
from tests.solving import site
from tests.solving.world import Shape, answer
from work.claims import claim
from work.models import EndpointState, RunState

pytestmark = pytest.mark.django_db(transaction=True)
SMALL = Shape(rounds=2, proposers=2, verifiers=1)
QUESTIONS = 1 + 1 + 2 + 1  # a draft and its review, two proposals and the review of both
Line = dict[str, Any]


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("runs.actions", "runs.settlement", "batches.actions"):
        monkeypatch.setattr(f"solving.{module}.ring", lambda: None)
    monkeypatch.setattr("work.claims._just_started", lambda: False)


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with site.world_server(settings) as running:
        yield running


def paused(problems: int = 1, shape: Shape = SMALL, **more: Any) -> SolveRun:
    run = site.start(site.solver(settings=site.rma(shape)), site.problems(problems), **more)
    steer(actor=None, run=run, to=RunState.PAUSED)
    run.refresh_from_db()
    return run


def exported(run: SolveRun, **more: Any) -> list[Line]:
    export_batch(actor=None, run=run, **more)
    return [json.loads(line) for line in batch_lines(run)]


def result(line: Line, **changes: Any) -> Line:
    """What a provider whose model is the scripted world says to a line."""
    step = Step.objects.select_related("run__solver", "attempt__instance").get(
        pk=line["custom_id"].split("-")[1]
    )
    said = answer(site.WORLD, site.SEED, line["body"], site.name_of(step.attempt)(step.key))
    response = {"status_code": 200, "request_id": "r", "body": chat_reply(line["body"], said)}
    return {
        "id": "b", "custom_id": line["custom_id"], "response": response, "error": None, **changes
    }  # fmt: skip


def failed(line: Line, status: int) -> Line:
    body = {"error": {"message": "no"}}
    return result(line, response={"status_code": status, "request_id": "r", "body": body})


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: Line | str) -> Path:
        path = tmp_path / "results.jsonl"
        path.write_text(
            "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines), "utf-8"
        )
        return path

    return write


Written = Callable[..., Path]


def settled(run: SolveRun, path: Path) -> actions.Settled:
    return settle_batch(actor=None, run=run, path=path)


def what_is_stored() -> list[Any]:
    rows = (Step, SolveCall, Attempt, MemoryEntry, SolveRun)
    return [list(model.objects.order_by("pk").values()) for model in rows]


def what_came_of(run: SolveRun) -> list[Any]:
    """Memory, result and tokens of each attempt, and each step with what was sent and what came back."""
    found = []
    for attempt in run.attempts.select_related("instance").order_by("instance__key", "number"):
        memory = attempt.memory.order_by("number").values_list("section", "round", "agent", "step", "text")
        steps = attempt.steps.order_by("key").values_list(
            "key", "state", "question_sha256", "reply", "reply_state", "tokens_spent", "tokens_bound"
        )
        calls = SolveCall.objects.filter(task__attempt=attempt).order_by("task__key")
        kept = [
            (one.task.key, one.adopted, sorted(one.request), one.request["model"], one.reply["model"],
             one.prompt_tokens, one.completion_tokens)
            for one in calls.select_related("task")
        ]  # fmt: skip
        ended = (attempt.outcome, attempt.ended_because, attempt.rounds, attempt.tokens_spent)
        found.append(
            (attempt.instance.key, attempt.number, attempt.result, ended, list(memory), list(steps), kept)
        )
    return found


@pytest.mark.slow
def test_a_run_by_batches_alone_comes_to_what_workers_come_to(server: Server, written: Written) -> None:
    by = site.solver(settings=site.rma())
    release = site.problems(2)
    worked = site.work(site.start(by, release, attempts=2))
    asked = server.calls
    run = site.start(by, release, attempts=2)
    steer(actor=None, run=run, to=RunState.PAUSED)
    run.refresh_from_db()
    files = 0
    while run.state == "paused":
        lines = exported(run)
        told = settled(run, written(*(result(line) for line in reversed(lines))))
        assert (told.settled, told.failed, told.out) == (len(lines), 0, 0)
        run.refresh_from_db()
        files += 1
    # A draft and its reviews are two frontiers, as are the proposals of each of the four later rounds and theirs.
    assert (run.state, files) == ("done", 2 * 5)
    assert run.finished_at is not None
    assert server.calls == asked
    # Words of the nonce are one word each, so that the scripted model counts equal tokens.
    assert what_came_of(run) == what_came_of(worked)
    assert run.tokens_spent == worked.tokens_spent > 0
    assert list(faults()) == list(unaccounted()) == []


@pytest.mark.slow
def test_programs_between_questions_are_done_by_workers_though_the_run_is_paused(
    server: Server, written: Written
) -> None:
    run = site.start(site.solver(settings=site.rma(SMALL, repairs=1)), site.problems())
    steer(actor=None, run=run, to=RunState.PAUSED)
    run.refresh_from_db()
    programs = 0
    for _ in range(10):
        if batch_state(run).waiting:
            settled(run, written(*(result(line) for line in exported(run))))
        programs += batch_state(run).tools_waiting
        site.drain(shift_seconds=60)
        reconcile_solving()
        run.refresh_from_db()
    assert (run.state, server.calls) == ("done", 0)
    assert programs == run.steps.filter(kind="tool").count() == 3  # a check of the draft and of each proposal
    assert list(faults()) == list(unaccounted()) == []


@pytest.mark.slow
def test_a_line_is_the_request_that_a_worker_sends(settings: Any, written: Written) -> None:
    with site.world_server(settings, structured_output=True) as server:
        run = paused(attempts=2)
        first, second = exported(run)
        assert {name: first[name] for name in ("method", "url")} == {
            "method": "POST",
            "url": "/v1/chat/completions",
        }
        assert len({first["custom_id"], second["custom_id"]}) == 2
        assert len(first["custom_id"]) <= 64
        # The other attempt's question is the same but for the nonce of its fences.
        withdraw_batch(actor=None, run=run)
        steer(actor=None, run=run, to=RunState.RUNNING)
        site.work(run)
        sent = server.requests[0]
        assert sent["response_format"]["type"] == "json_schema"

        def plain(body: Line) -> str:
            nonce = body["messages"][1]["content"].partition("[[DATA ")[2].split("]]")[0].split()[-1]
            assert len(nonce) == 32
            return json.dumps(body, sort_keys=True).replace(nonce, "")

        assert plain(first["body"]) == plain(second["body"]) == plain(sent)
        assert json.dumps(first["body"]) != json.dumps(second["body"])


@pytest.mark.slow
def test_what_is_out_is_asked_by_no_worker_and_its_file_can_be_written_again(
    server: Server, written: Written
) -> None:
    run = paused(2)
    first = exported(run, limit=1)
    assert exported(run) == first
    assert batch_state(run) == batch_state(run).__class__(waiting=1, out=1, tools_waiting=0)
    steer(actor=None, run=run, to=RunState.RUNNING)
    for _ in range(20):
        site.drain(shift_seconds=60)
    assert server.calls == QUESTIONS  # those of the other problem
    run.refresh_from_db()
    assert run.state == "running"
    assert settled(run, written(result(first[0]))).settled == 1
    site.work(run)
    assert (run.state, server.calls) == ("done", 2 * QUESTIONS - 1)
    assert list(faults()) == list(unaccounted()) == []


def test_settling_a_file_again_changes_nothing(server: Server, written: Written) -> None:
    run = paused(2)
    first, second = exported(run)
    path = written(result(first), failed(second, 500))
    told = settled(run, path)
    assert (told.settled, told.failed, told.known, told.out) == (2, 1, 0, 0)
    before = what_is_stored()
    again = settled(run, path)
    assert (again.settled, again.failed, again.known) == (0, 0, 2)
    assert what_is_stored() == before


def test_a_file_whose_settling_is_cut_off_is_settled_from_its_start(
    server: Server, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = paused(3)
    path = written(*(result(line) for line in exported(run)))
    before = what_is_stored()
    with monkeypatch.context() as cut:
        cut.setattr(actions, "IN_ONE_GO", 1)
        real, times = actions.settle_asks, []

        def dying(**given: Any) -> int:
            times.append(1)
            if len(times) == 3:
                raise KeyboardInterrupt
            return real(**given)

        cut.setattr(actions, "settle_asks", dying)
        with pytest.raises(KeyboardInterrupt):
            settled(run, path)
    assert what_is_stored() == before
    assert settled(run, path).settled == 3
    assert list(faults()) == list(unaccounted()) == []


def test_of_two_who_settle_a_file_at_the_same_time_one_stores_it(server: Server, written: Written) -> None:
    run = paused(4)
    path = written(*(result(line) for line in exported(run)))
    both = Barrier(2)

    def one() -> actions.Settled:
        try:
            both.wait(30)
            return settled(run, path)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        told = [future.result() for future in [threads.submit(one) for _ in range(2)]]
    assert sorted((each.settled, each.known) for each in told) == [(0, 4), (4, 0)]
    assert SolveCall.objects.count() == 4
    assert list(faults()) == list(unaccounted()) == []


def bad_lines(line: Line) -> dict[str, tuple[list[Line | str], int, str, str]]:
    """Lines of a file, and (line, field, code) of its refusal."""
    good = result(line)
    run, step, owner = line["custom_id"].split("-")
    huge = {"prompt_tokens": 2**31, "completion_tokens": 1}
    return {
        "no json": ([good, "{"], 2, "", "not_json"),
        "no object": (["[]"], 1, "", "not_json"),
        "deep": (["[" * 100_000], 1, "", "not_json"),
        "infinite": ([json.dumps({**good, "x": 1}).replace('"x": 1', '"x": 1e999')], 1, "", "not_json"),
        "a request": ([line], 1, "body", "a_request"),
        "no name": ([{"response": good["response"]}], 1, "custom_id", "bad_result"),
        "no response": ([{**good, "response": None}], 1, "response", "bad_result"),
        "no status": ([{**good, "response": {"body": {}}}], 1, "response.status_code", "bad_result"),
        "error as text": ([{**good, "error": "no"}], 1, "error", "bad_result"),
        "tokens": (
            [{**good, "response": {"status_code": 200, "body": {"usage": huge}}}],
            1, "response.body.usage.prompt_tokens", "bad_usage",
        ),
        "other run": ([{**good, "custom_id": f"{int(run) + 1}-{step}-{owner}"}], 1, "custom_id", "not_of_run"),
        "other step": ([{**good, "custom_id": f"{run}-999999-{owner}"}], 1, "custom_id", "not_of_run"),
        "other export": ([{**good, "custom_id": f"{run}-{step}-{'0' * 32}"}], 1, "custom_id", "not_out"),
        "strange name": ([{**good, "custom_id": "request-1"}], 1, "custom_id", "not_of_run"),
        "twice": ([good, "", good], 3, "custom_id", "twice"),
    }  # fmt: skip


def test_what_is_not_a_result_of_the_run_is_refused_before_anything_is_stored(
    server: Server, written: Written
) -> None:
    run = paused(2)
    first, second = exported(run)
    before = what_is_stored()
    for name, (lines, number, field, code) in bad_lines(first).items():
        path = written(result(second), *lines)
        with pytest.raises(Refused) as refused:
            settled(run, path)
        found = (refused.value.line, refused.value.field, refused.value.code)
        assert found == (number + 1, field, code), name
        assert what_is_stored() == before, name
    for path in (written(), written("", "")):
        with pytest.raises(Refused, match="no results"):
            settled(run, path)
    with pytest.raises(Refused, match="cannot be read"):
        settled(run, path.with_name("none.jsonl"))
    assert settled(run, written(result(first), result(second))).settled == 2


def test_a_question_that_is_over_or_was_withdrawn_is_refused_by_name(
    server: Server, written: Written
) -> None:
    run = paused()
    (line,) = exported(run)
    late = result(line)
    assert withdraw_batch(actor=None, run=run) == 1
    with pytest.raises(Refused, match=r"r1\.draft of p1 is no longer out") as refused:
        settled(run, written(late))
    assert refused.value.code == "not_out"
    steer(actor=None, run=run, to=RunState.RUNNING)
    site.work(run)
    with pytest.raises(Refused, match=r"line 1, field custom_id: r1\.draft of p1 is over") as refused:
        settled(run, written(late))
    assert refused.value.code == "step_over"
    with pytest.raises(Refused, match="out in a batch"):
        withdraw_batch(actor=None, run=run)


def test_questions_that_are_out_are_not_asked_again_before_their_thirty_days_are_over(
    server: Server, written: Written
) -> None:
    run = paused()
    exported(run)
    until = Step.objects.get().lease_until
    assert until > timezone.now() + dt.timedelta(days=29)
    reconcile_solving()
    assert Step.objects.get().lease_until == until


def test_a_batch_that_never_came_back_counts_in_full_and_its_questions_wait_again(
    server: Server, written: Written
) -> None:
    run = paused()
    (line,) = exported(run)
    step = Step.objects.get()
    Step.objects.update(lease_until=timezone.now())
    assert reconcile_solving()["returned"] == 1
    run.refresh_from_db()
    assert run.tokens_spent == step.tokens_bound
    assert batch_state(run).waiting == 1
    with pytest.raises(Refused, match="no longer out"):
        settled(run, written(result(line)))
    assert list(unaccounted()) == []


def test_failures_are_tried_again_as_those_of_workers(server: Server, written: Written) -> None:
    run = paused(5)
    lines = exported(run)
    expired = {"code": "batch_expired", "message": "too late"}
    unreadable = {"status_code": 200, "body": {"choices": []}}
    told = settled(
        run,
        written(
            failed(lines[0], 400),
            failed(lines[1], 503),
            result(lines[2], response=None, error=expired),
            result(lines[3], response=None, error={"code": "server_error", "message": None}),
            result(lines[4], response=unreadable),
        ),
    )
    assert (told.settled, told.failed) == (5, 5)
    steps = list(Step.objects.filter(key="r1.draft").order_by("pk"))
    assert [step.state for step in steps] == ["failed", "waiting", "waiting", "waiting", "waiting"]
    assert [step.tries for step in steps] == [1] * 5
    assert "status 503" in steps[1].last_error
    assert "batch_expired: too late" in steps[2].last_error
    # Only what the provider may have carried out without a reply is booked, with the most that it can have used.
    assert [step.tokens_spent == step.tokens_bound for step in steps] == [False, False, False, True, True]
    assert sum(step.tokens_spent for step in steps[:3]) == 0
    calls = SolveCall.objects.order_by("task__pk")
    assert [call.adopted for call in calls] == [False] * 5
    assert calls[2].reply == expired
    assert not EndpointState.objects.exists()  # a batch says nothing about the endpoint
    again = exported(run)
    assert len(again) == 4
    assert not {line["custom_id"] for line in again} & {line["custom_id"] for line in lines}
    assert settled(run, written(*(result(line) for line in again))).settled == 4
    assert list(faults()) == list(unaccounted()) == []


def test_whatever_a_model_says_in_a_batch_the_run_goes_on(server: Server, written: Written) -> None:
    said = [None, "", "no JSON", "\0\ud800", "[]", "[" * 5_000, "x" * 3_000_000]
    run = paused(len(said))
    lines = exported(run)
    replies = [
        result(line, response={"status_code": 200, "body": chat_reply(line["body"], text)})
        for line, text in zip(lines, said, strict=True)
    ]
    told = settled(run, written(*replies))
    assert (told.settled, told.failed) == (len(said), 0)
    assert set(Step.objects.filter(key="r1.draft").values_list("reply_state", flat=True)) == {"unparsed"}
    assert list(faults()) == list(unaccounted()) == []


def test_no_more_is_exported_than_the_cap_of_the_run_allows(server: Server, written: Written) -> None:
    run = paused(3, max_tokens=1)
    with pytest.raises(Refused, match="could exceed"):
        export_batch(actor=None, run=run)
    assert set(Step.objects.values_list("state", "tokens_reserved")) == {("waiting", 0)}
    run.refresh_from_db()
    assert run.note == ""
    bound = Step.objects.order_by("pk").values_list("tokens_bound", flat=True)
    raise_budget(actor=None, run=run, max_tokens=bound[0] + bound[1])
    lines = exported(run)
    assert (len(lines), batch_state(run).waiting) == (2, 1)
    settled(run, written(*(result(line) for line in lines)))
    run.refresh_from_db()
    assert 0 < run.tokens_spent <= run.max_tokens


def test_a_run_that_a_batch_cannot_answer_says_why(
    server: Server, written: Written, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def refusal(run: SolveRun, **more: Any) -> str:
        with pytest.raises(Refused) as refused:
            export_batch(actor=None, run=run, **more)
        return refused.value.code

    run = paused()
    assert refusal(run, limit=0) == "bad_limit"
    steer(actor=None, run=run, to=RunState.RUNNING)
    assert refusal(run) == "wrong_state"
    claim(ASKS, owner="a worker", limit=1)
    steer(actor=None, run=run, to=RunState.PAUSED)
    assert refusal(run) == "nothing_waits"
    timed = site.start(
        site.solver(settings=site.rma(SMALL)), run.release, attempt_seconds=60, max_tokens=100_000
    )
    steer(actor=None, run=timed, to=RunState.PAUSED)
    assert refusal(timed) == "seconds"
    other = site.start(site.solver(settings=site.rma(SMALL)), run.release)
    steer(actor=None, run=other, to=RunState.PAUSED)
    (line,) = exported(other)
    path = written(result(line))
    with monkeypatch.context() as changed:
        changed.setattr(actions, "is_outdated", lambda solver: True)
        with pytest.raises(Refused, match="recipe has changed"):
            settled(other, path)
        withdraw_batch(actor=None, run=other)
        assert refusal(other) == "outdated"
    settings.JUDGE_ENDPOINTS = "{}"
    assert refusal(other) == "no_endpoint"


def test_results_of_a_cancelled_run_are_paid_and_change_no_attempt(server: Server, written: Written) -> None:
    run = paused()
    (line,) = exported(run)
    steer(actor=None, run=run, to=RunState.CANCELLED)
    assert settled(run, written(result(line))).state == "cancelled"
    attempt, call = Attempt.objects.get(), SolveCall.objects.get()
    assert attempt.ended_because == "cancelled"
    run.refresh_from_db()
    assert run.tokens_spent == attempt.tokens_spent == call.prompt_tokens + call.completion_tokens
    assert list(unaccounted()) == []


def test_the_console_exports_a_batch_and_settles_results_of_any_size(
    server: Server, written: Written, owner: User, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run = paused()
    address = f"solving/runs/{run.pk}/batch/"
    with pytest.raises(CommandError, match="out"):
        call_command("api", "GET", address)
    call_command("api", "POST", f"{address}steer/", "--data", '{"step": "export"}')
    assert json.loads(capsys.readouterr().out)["out"] == 1
    call_command("api", "GET", address)
    path = written(result(json.loads(capsys.readouterr().out)))
    settings.IMPORT_MAX_BYTES = 10
    call_command("api", "POST", address, "--file", f"file={path}")
    told = json.loads(capsys.readouterr().out)
    assert told == {"settled": 1, "failed": 0, "known": 0, "out": 0, "state": "paused"}


def upload(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile("results.jsonl", path.read_bytes())


def content_of(reply: Any) -> str:
    return b"".join(reply.streaming_content).decode()


@pytest.mark.slow
def test_an_owner_exports_downloads_and_settles_on_the_page_of_the_run(
    server: Server, written: Written, client: Client, owner: User, coordinator: User
) -> None:
    run = paused()
    page, address = f"/solving/runs/{run.pk}/", f"/solving/runs/{run.pk}/batch/"
    client.force_login(coordinator)
    assert "batch-title" not in client.get(page).content.decode()
    assert client.get(address).status_code == client.post(address, {"step": "export"}).status_code == 403
    client.force_login(owner)
    assert "1 question of this paused run waits" in client.get(page).content.decode()
    assert "out in a batch" in client.get(address, follow=True).content.decode()
    shown = client.post(address, {"step": "export"}, follow=True).content.decode()
    assert "Download the batch file" in shown
    reply = client.get(address)
    assert reply["Content-Disposition"] == f'attachment; filename="run-{run.pk}-batch.jsonl"'
    line = json.loads(content_of(reply))
    shown = client.post(address, {"step": "settle"}, follow=True).content.decode()
    assert "Choose the file with the results." in shown
    shown = client.post(address, {"step": "settle", "file": upload(written("{"))}, follow=True)
    assert "The line is not JSON" in shown.content.decode()
    sent = {"step": "something", "file": upload(written(result(line)))}
    assert "exported, settled or withdrawn" in client.post(address, sent, follow=True).content.decode()
    shown = client.post(address, {"step": "settle", "file": upload(written(result(line)))}, follow=True)
    assert "1 result stored, 0 failed. 0 questions are still out." in shown.content.decode()
    client.post(address, {"step": "export"})
    shown = client.post(address, {"step": "withdraw"}, follow=True).content.decode()
    assert "1 question waits again." in shown
    steer(actor=None, run=run, to=RunState.RUNNING)
    assert "batch-title" not in client.get(page).content.decode()


def test_an_owner_does_the_same_over_rest(
    server: Server, written: Written, client: Client, owner: User, coordinator: User, settings: Any
) -> None:
    run = paused()
    address = f"/api/v1/solving/runs/{run.pk}/batch/"

    def steered(**body: Any) -> Any:
        return client.post(f"{address}steer/", json.dumps(body), content_type="application/json")

    def sent(*lines: Line | str, **headers: str) -> Any:
        return client.post(address, {"file": upload(written(*lines))}, headers=headers)

    client.force_login(coordinator)
    assert client.get(address).status_code == steered(step="export").status_code == 403
    client.force_login(owner)
    assert client.get(address).json()["code"] == "nothing_out"
    assert steered(step="export", limit=1).json() == {"waiting": 0, "out": 1, "tools_waiting": 0}
    line = json.loads(content_of(client.get(address)))
    assert steered(step="withdraw").json()["waiting"] == 1
    refused = sent(result(line))
    assert (refused.status_code, refused.json()["line"], refused.json()["code"]) == (409, 1, "not_out")
    steered(step="export")
    line = json.loads(content_of(client.get(address)))
    assert client.post(address).json()["code"] == "no_file"
    told = {"settled": 1, "failed": 0, "known": 0, "out": 0, "state": "paused"}
    good = result(line)
    assert sent(good, **{"Idempotency-Key": "once"}).json() == told
    assert sent(good, **{"Idempotency-Key": "once"}).json() == told
    assert sent(good).json() == {**told, "settled": 0, "known": 1}
    settings.IMPORT_MAX_BYTES = 10
    assert sent(good).json()["code"] == "too_large"


def test_no_cap_is_set_below_what_is_out_in_a_batch(server: Server, written: Written) -> None:
    run = paused(2)
    lines = exported(run)
    reserved = sum(run.steps.values_list("tokens_reserved", flat=True))
    with pytest.raises(Refused, match="spent or in flight"):
        raise_budget(actor=None, run=run, max_tokens=reserved - 1)
    raise_budget(actor=None, run=run, max_tokens=reserved)
    settled(run, written(*(result(line) for line in lines)))
    run.refresh_from_db()
    assert 0 < run.tokens_spent <= run.max_tokens == reserved


def test_questions_of_a_cancelled_run_that_come_back_wait_no_more(server: Server, written: Written) -> None:
    run = paused(3)
    first, second, _ = exported(run)
    steer(actor=None, run=run, to=RunState.CANCELLED)
    settled(run, written(result(first), failed(second, 500)))
    assert withdraw_batch(actor=None, run=run) == 1
    assert sorted(run.steps.values_list("state", flat=True)) == ["done", "not_needed", "not_needed"]
    assert list(faults()) == list(unaccounted()) == []
