"""The grading page of a proof of 40 pages: made by the server, read and typed into in Chromium.

Readable means that the first passage is on the screen with its formulas set. A long task is one that keeps the
page from answering for 50 ms or more (PerformanceObserver); the longest while 300 characters are typed counts.
"""

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser

from bench._pages import chromium, seeded, served, site, visit
from bench.frame import Figure, Spread

PAGES, LOADS, TYPED = 40, 3, 300
PER_SECOND = 12  # characters, a fast typist
WATCH = """
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.longTasks.push([task.startTime, task.duration]);
}).observe({ type: "longtask", buffered: true });
const look = () => {
  const passage = document.querySelector(".passage");
  const set = passage && [...passage.querySelectorAll(".math")].every((each) => each.dataset.state === "done");
  if (passage && set && passage.getBoundingClientRect().height) window.readableAt = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
ALL_SET = "!document.querySelector('.math:not([data-state]), .math[data-state=\"waiting\"]')"


def opened(browser: Browser, address: str, seed: dict[str, Any]) -> dict[str, float]:
    """Milliseconds of one visit: readable, all set, and the longest tasks of loading and of typing."""
    with visit(browser, address, seed["session"], WATCH) as page:
        page.goto(f"/grading/items/{seed['handle']}/")
        while not page.evaluate(ALL_SET):  # wait_for_function would need what the content policy forbids
            page.wait_for_timeout(50)
        done = float(page.evaluate("performance.now()"))
        page.wait_for_timeout(1000)
        note = page.locator('[name="note"]')
        note.click()
        since = float(page.evaluate("performance.now()"))
        note.press_sequentially(
            "The constant depends on n. " * (TYPED // 27) + "Why?", delay=1000 / PER_SECOND, timeout=300_000
        )
        page.wait_for_timeout(2000)  # the save that follows is part of typing
        tasks = page.evaluate("window.longTasks")
        readable = float(page.evaluate("window.readableAt"))
    return {
        "readable": readable,
        "set": done,
        "loading": max((length for start, length in tasks if start < since), default=0),
        "typing": max((length for start, length in tasks if start >= since), default=0),
    }


def figures() -> Iterator[Figure]:
    """The server's time, then what a reviewer sees."""
    with site() as deployment:
        seed = seeded(deployment, "_grading_page.py", PAGES)
        warm = Spread.of([row[0] for row in seed["warm"]], processor=[row[1] for row in seed["warm"]])
        cold = Spread.of([seed["cold"][0]], processor=[seed["cold"][1]])
        size = f"{seed['characters']:,} characters, {seed['blocks']} passages, {seed['formulas']:,} formulas"
        yield Figure(
            f"made by the server: {size}", warm, cold, "while a worker renders the text", target=0.15
        )
        address = served(deployment)
        with chromium() as browser:
            opened(browser, address, seed)
            visits = [opened(browser, address, seed) for _ in range(LOADS)]
    seconds = {key: Spread.of([visit[key] / 1000 for visit in visits]) for key in visits[0]}
    yield Figure("first passage readable in Chromium", seconds["readable"], target=1.0)
    yield Figure("all formulas set", seconds["set"])
    yield Figure("longest task while the page loads", seconds["loading"])
    yield Figure(f"longest task while {TYPED} characters are typed", seconds["typing"], target=0.1)
