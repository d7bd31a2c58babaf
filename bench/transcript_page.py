"""The transcript of an attempt of more than 300 steps in Chromium: from navigation to the first step on the screen."""

import json
from collections.abc import Iterator

from playwright.sync_api import Browser

from bench._pages import chromium, served, site, visit
from bench.frame import Figure, Spread
from tests.llm.server import serving
from tests.solving.begin import BEGIN
from tests.solving.world import Shape, World, answer

SEED, LOADS = 7, 5
SHAPE = Shape(rounds=20, proposers=8, verifiers=8)
STEPS = 1 + SHAPE.verifiers + (SHAPE.rounds - 1) * (SHAPE.proposers + SHAPE.verifiers)
_WORK = """
import json
from django.conf import settings
from django.test import Client
from solving.models import Attempt
from tests.conftest import member
from work.worker import drain
while Attempt.objects.exclude(state="ended").exists():
    drain(shift_seconds=60)
attempt = Attempt.objects.get()
client = Client()
client.force_login(member("olga@bench.test", "Olga", "owner"))
session = client.cookies[settings.SESSION_COOKIE_NAME].value
print(json.dumps({"attempt": attempt.pk, "steps": attempt.steps.count(), "session": session}))
"""
WATCH = """
const look = () => {
  const step = document.querySelector(".step > summary");
  if (step && step.getBoundingClientRect().height) window.stepAt = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
PAINTED = "(performance.getEntriesByName('first-contentful-paint')[0] || {}).startTime"


def opened(browser: Browser, address: str, session: str, attempt: int) -> dict[str, float]:
    """Seconds of one visit with an empty cache, from navigation: the first paint with content, and the first step."""
    with visit(browser, address, session, WATCH) as page:
        page.goto(f"/solving/attempts/{attempt}/")
        while page.evaluate(PAINTED) is None or page.evaluate("window.stepAt") is None:
            page.wait_for_timeout(50)
        found = {"paint": page.evaluate(PAINTED) / 1000, "step": page.evaluate("window.stepAt") / 1000}
    return found


def figures() -> Iterator[Figure]:
    """One attempt of RMA in the scripted world, looked at by its owner; the first visit does not count."""
    with serving() as server:
        server.keyed = lambda request, key: answer(World(), SEED, request, key)
        endpoints = {"local": {"base_url": server.url, "private": True, "max_concurrency": 8}}
        with site(TOUCHSTONE_JUDGE_ENDPOINTS=json.dumps(endpoints)) as deployment:
            begun = BEGIN.format(shape=SHAPE, attempts=1, seed=SEED)
            printed = deployment.manage("shell", "-c", begun + _WORK)
            made = json.loads(printed.strip().splitlines()[-1])
            if made["steps"] != STEPS:
                raise RuntimeError(f"{made['steps']} steps were made, not {STEPS}")
            address = served(deployment)
            with chromium() as browser:
                visits = [
                    opened(browser, address, made["session"], made["attempt"]) for _ in range(LOADS + 1)
                ]
    seconds = {name: Spread.of([visit[name] for visit in visits[1:]]) for name in ("paint", "step")}
    yield Figure(f"transcript of {STEPS} steps: first paint with content in Chromium", seconds["paint"])
    yield Figure(f"transcript of {STEPS} steps: first step visible", seconds["step"], target=1.0)
