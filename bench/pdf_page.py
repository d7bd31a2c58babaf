"""A PDF of 40 pages on the grading page, in Chromium: its first page, and the words on it.

Time runs from opening the page with an empty cache, signed in. The large one has a photograph on each page.
"""

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser

from bench._pages import chromium, seeded, served, site, visit
from bench.frame import Figure, Spread

PAGES, MEGABYTES, LOADS = 40, 25, 5
WATCH = """
const look = () => {
  if (document.querySelector('[data-page="1"] .pdf-text')) window.shownAt = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
addEventListener("pdf-drawn", () => (window.wordsAt ??= performance.now()));
"""


def opened(browser: Browser, address: str, seed: dict[str, Any], name: str) -> tuple[float, float]:
    """Seconds until the first page is shown, and until its words can be selected."""
    with visit(browser, address, seed["session"], WATCH) as page:
        page.goto(f"/grading/items/{seed[name]}/")
        while not page.evaluate("window.shownAt && window.wordsAt"):
            page.wait_for_timeout(20)
        times = float(page.evaluate("window.shownAt")) / 1000, float(page.evaluate("window.wordsAt")) / 1000
    return times


def figures() -> Iterator[Figure]:
    """Both files, the smaller one first."""
    with site() as deployment:
        seed = seeded(deployment, "_pdf_page.py", PAGES, MEGABYTES, deployment.folder)
        address = served(deployment)
        with chromium() as browser:
            for name in ("plain", "heavy"):
                opened(browser, address, seed, name)
                visits = [opened(browser, address, seed, name) for _ in range(LOADS)]
                size = f"{PAGES} pages, {seed[f'{name} bytes'] / 1000:,.0f} kB"
                shown, words = zip(*visits, strict=True)
                yield Figure(f"first page shown: {size}", Spread.of(list(shown)), target=1.0)
                yield Figure(f"its words selectable: {size}", Spread.of(list(words)), target=1.3)
