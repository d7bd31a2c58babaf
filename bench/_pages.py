"""What the families that look at pages in Chromium share: a site, the process that fills it, and a visit."""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.deployment import ROOT, Deployment, deployed
from tools.debian import chromium_path
from tools.demo import free_port

FIRST_PORT = 18600


@contextmanager
def site(**extra: str) -> Iterator[Deployment]:
    """A deployment of the demo that can make pages."""
    with (
        tempfile.TemporaryDirectory() as folder,
        deployed(Path(folder), TOUCHSTONE_DEMO="1", **extra) as made,
    ):
        made.manage("collectstatic", "--noinput", "--verbosity", "0")
        made.manage("createcachetable", "--verbosity", "0")
        yield made


def seeded(deployment: Deployment, script: str, *arguments: object) -> dict[str, Any]:
    """What a seeding process of this package prints."""
    environment = {
        **deployment.environment,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, str(Path(__file__).with_name(script)), *map(str, arguments)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def served(deployment: Deployment) -> str:
    """The address of a server that answers."""
    port = free_port(FIRST_PORT)
    deployment.start("gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "4")
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/accounts/login/", timeout=20).close()
            return f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(deployment.logs())


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = chromium_path(with_windows=True)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def visit(browser: Browser, address: str, session: str, watch: str) -> Iterator[Page]:
    """A page with an empty cache, signed in, in which the script `watch` runs first."""
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    context.add_init_script(watch)
    yield context.new_page()
    context.close()
