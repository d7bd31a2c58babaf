"""Solving in a browser: a run is begun, goes on by itself, is read with the keyboard, and compared."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Page, expect

from accounts.models import User
from benchmark.models import Release
from benchmark.rendering.actions import render_waiting
from llm.scripted import ScriptedServer, serving
from solvers.scripted import reply
from solving.models import SolveCall, SolveRun
from solving.runs.actions import Order, System, begin, make_solver, reconcile_solving
from tests.browser.accessibility import axe
from tests.factories import BenchmarkFactory, InstanceFactory, ReleaseFactory
from work.worker import drain

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
STATEMENT = (
    "Let $R$ be a commutative Noetherian ring and $\\varphi:R\\to R$ a surjective ring homomorphism. "
    "Prove that $\\varphi$ is injective."
)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("work.claims._just_started", lambda: False)


@pytest.fixture
def server(settings: Any) -> Iterator[ScriptedServer]:
    with serving(reply) as running:
        local = {"base_url": running.base_url, "private": True, "max_concurrency": 8}
        settings.JUDGE_ENDPOINTS = json.dumps({"local": local})
        yield running


@pytest.fixture
def release(db: None) -> Release:
    made = ReleaseFactory(name="rings", benchmark=BenchmarkFactory(protocol="proofs"))
    InstanceFactory(release=made, key="p1", payload={"title": "Rings", "statement": STATEMENT})
    return made


def elsewhere(work: Callable[[], Any]) -> Any:
    """Away from this thread, whose event loop belongs to the browser."""

    def done() -> Any:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(done).result()


def worked() -> None:
    for _ in range(30):
        drain()
        reconcile_solving()
        if not SolveRun.objects.filter(state="running").exists():
            return
    raise AssertionError("the runs do not end")


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_a_run_is_begun_watched_read_and_compared(
    sign_in: Callable[..., Page],
    server: ScriptedServer,
    release: Release,
    owner: User,
    width: int,
    theme: str,
) -> None:
    page = sign_in(owner, color_scheme=theme, viewport={"width": width, "height": 844})
    page.goto("/solving/")
    expect(page.get_by_text("No solver has been run yet.")).to_be_visible()
    page.goto("/solving/solvers/new/?recipe=rma&start=f-rounds-4")
    expect(page.get_by_label("Rounds", exact=True)).to_have_value("4")
    page.get_by_label("Rounds", exact=True).fill("2")
    page.get_by_label("Model", exact=True).fill("scripted")
    page.get_by_label("Price of a million tokens sent", exact=True).fill("3")
    assert axe(page) == []
    assert fits(page)
    page.get_by_role("button", name="Make this solver").click()
    expect(page.get_by_role("heading", name="rma-f-rounds-4-v1")).to_be_visible()
    assert axe(page) == []
    assert fits(page)

    page.goto("/solving/new/")
    page.get_by_label("Release").select_option("rings")
    page.get_by_label("Tokens of each attempt").fill("60000")
    page.get_by_label("Rule of the cap").select_option("published")
    page.get_by_role("button", name="Show the first questions").click()
    expect(page.locator("#fits")).to_contain_text("2 rounds of drafts above")
    expect(page.get_by_text("Nothing was sent.")).to_be_visible()
    assert axe(page) == []
    assert fits(page)
    page.get_by_role("button", name="Begin the run").click()
    expect(page.get_by_text("0 of 1 attempts ended")).to_be_visible()
    elsewhere(worked)
    expect(page.get_by_text("1 of 1 attempts ended")).to_be_visible()  # the page has asked again by itself
    assert axe(page) == []
    assert fits(page)

    page.get_by_role("link", name="p1", exact=True).click()
    expect(page.get_by_role("heading", name="Why this one")).to_be_visible()
    assert axe(page) == []
    assert fits(page)
    first, second = page.locator("details.step").nth(0), page.locator("details.step").nth(1)
    page.keyboard.press("j")
    expect(first.locator(":scope > summary")).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    expect(second.locator(":scope > summary")).to_be_focused()
    page.keyboard.press("o")
    expect(second).to_have_attribute("open", "")
    expect(second.get_by_text("Prompt as sent")).to_be_visible()
    elsewhere(render_waiting)
    expect(second.locator(".math[data-state=done]").first).to_be_visible()
    page.keyboard.press("o")
    expect(second).not_to_have_attribute("open", "")
    page.keyboard.press("m")
    expect(page.get_by_role("heading", name="Memory")).to_be_focused()
    page.get_by_label("Section").select_option("Feedback")
    shown = page.locator("details.entry:visible")
    expect(shown.first).to_contain_text("feedback")
    assert shown.count() < page.locator("details.entry").count()

    address = page.url
    page.goto(f"{address}#r2.p1")
    page.reload()
    proposal = page.locator('[id="r2.p1"]')
    expect(proposal).to_have_attribute("open", "")
    expect(proposal.get_by_text("What changed since entry")).to_be_visible()
    elsewhere(render_waiting)
    page.reload()
    expect(proposal.locator(".math[data-state=done]").first).to_be_visible()
    assert axe(page) == []
    assert fits(page)

    single = System("alone", "single", "local", "scripted", prompt_price=Decimal(3))
    elsewhere(
        lambda: begin(
            actor=None,
            solver=make_solver(actor=None, system=single),
            order=Order(release, attempt_tokens=60_000, rule="published"),
        )
    )
    elsewhere(worked)
    page.goto("/solving/compare/")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Problem by problem")).to_be_visible()
    expect(page.get_by_role("img", name="Share of attempts with an accepted answer").first).to_be_visible()
    assert axe(page) == []
    assert fits(page)
    page.get_by_role("link", name="p1", exact=True).click()
    expect(page.locator('[id="s1-r1.draft"]')).to_be_visible()
    expect(page.locator('[id="s2-r1.draft"]')).to_be_visible()
    assert axe(page) == []
    assert fits(page)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_a_batch_is_exported_and_its_results_are_settled(
    sign_in: Callable[..., Page],
    server: ScriptedServer,
    release: Release,
    owner: User,
    width: int,
    theme: str,
) -> None:
    made = make_solver(actor=None, system=System("one", "single", "local", "scripted", {}))
    run = begin(actor=None, solver=made, order=Order(release, attempt_tokens=200_000))
    page = sign_in(owner, color_scheme=theme, viewport={"width": width, "height": 844})
    page.goto(f"/solving/runs/{run.pk}/")
    expect(page.get_by_role("heading", name="Batch")).to_be_hidden()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert axe(page) == []
    assert fits(page)
    page.get_by_role("button", name="Export the waiting questions as a batch file").click()
    expect(page.get_by_text("Out now: 1 question.")).to_be_visible()
    page.get_by_text("The file was not sent").click()
    expect(page.get_by_role("button", name="Withdraw the batch")).to_be_visible()
    assert axe(page) == []
    assert fits(page)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download the batch file").click()
    line = json.loads(downloading.value.path().read_text("utf-8"))
    choices = [{"index": 0, "message": {"content": reply(line["body"])}, "finish_reason": "stop"}]
    body = {"model": "scripted", "choices": choices, "usage": {"prompt_tokens": 7, "completion_tokens": 9}}
    result = {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
    sent = {"name": "results.jsonl", "mimeType": "application/jsonl", "buffer": json.dumps(result).encode()}
    page.get_by_label("Results").set_input_files(sent)
    page.get_by_role("button", name="Settle the results").click()
    expect(page.get_by_text("1 result stored, 0 failed. 0 questions are still out.")).to_be_visible()
    expect(page.get_by_text("1 use of tools will be done by the next worker")).to_be_visible()
    elsewhere(worked)
    page.reload()
    expect(page.get_by_text("1 of 1 attempts ended")).to_be_visible()
    expect(page.get_by_role("heading", name="Batch")).to_be_hidden()
    assert elsewhere(lambda: SolveCall.objects.get().prompt_tokens) == 7
