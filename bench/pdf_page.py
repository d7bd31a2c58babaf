"""A PDF of 40 pages on the grading page, in Chromium: its first page, and the words on it.

Time runs from opening the page with an empty cache, signed in. The large one has a photograph on each page.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from bench.frame import Figure, Spread
from bench.grading_page import served
from tests.deployment import ROOT, deployed
from tools.debian import chromium_path

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
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": "sessionid", "value": seed["session"], "url": address}])
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto(f"/grading/items/{seed[name]}/")
    while not page.evaluate("window.shownAt && window.wordsAt"):
        page.wait_for_timeout(20)
    times = float(page.evaluate("window.shownAt")) / 1000, float(page.evaluate("window.wordsAt")) / 1000
    context.close()
    return times


def figures() -> Iterator[Figure]:
    """Both files, the smaller one first."""
    with tempfile.TemporaryDirectory() as folder, deployed(Path(folder), TOUCHSTONE_DEMO="1") as deployment:
        deployment.manage("collectstatic", "--noinput", "--verbosity", "0")
        deployment.manage("createcachetable", "--verbosity", "0")
        script = str(Path(__file__).with_name("_pdf_page.py"))
        environment = {
            **deployment.environment,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, script, str(PAGES), str(MEGABYTES), folder]
        done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
        seed = json.loads(done.stdout.splitlines()[-1])
        address = served(deployment)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium_path(with_windows=True), args=["--no-sandbox"]
            )
            for name in ("plain", "heavy"):
                opened(browser, address, seed, name)
                visits = [opened(browser, address, seed, name) for _ in range(LOADS)]
                size = f"{PAGES} pages, {seed[f'{name} bytes'] / 1000:,.0f} kB"
                shown, words = zip(*visits, strict=True)
                yield Figure(f"first page shown: {size}", Spread.of(list(shown)), target=1.0)
                yield Figure(f"its words selectable: {size}", Spread.of(list(words)), target=1.3)
            browser.close()
