"""A new version is deployed while reviewers submit: the server never errs, and forms opened before are still good.

The way that docs/deploy.md describes: the migrations that only add (expand) run while the old code serves; the web
server is told to reload (SIGHUP), starts workers with the new code and lets the old ones finish; what takes away
(contract) runs after the last old worker has ended. The next version is made up (tests/chaos/next_version): it adds a
column to the table that every request of a reviewer writes, fills it and then requires it.
"""

import json
import signal
import tempfile
import time
import urllib.request
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.grading import conclude, seeded, started
from tests.chaos.plan import Findings
from tests.chaos.services import children
from tests.chaos.site import Site
from tests.chaos.writers import Client, Label, Writer
from tests.deployment import Deployment, deployed

NEXT = "tests.chaos.next_version.settings"
PAUSE = 0.2
SLOW = 2  # reviewers who opened their form before the new version came
YESTERDAY = "0" * 64  # the fingerprint of questions that nobody has


@dataclass(frozen=True)
class Size:
    """How many write, and how much between the steps of the deployment."""

    writers: int = 8
    labels: int = 20  # of all of them, before each step and after the last
    most: int = 300  # items that there are for each
    patience: float = 300.0


def deploy_under_load(size: Size) -> Findings:
    """Seed, write, deploy step by step, compare."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, deployed(Path(folder)) as deployment:
        settings = _server_settings(deployment, "config.settings")
        seed = seeded(deployment, size.writers + SLOW, size.most)
        site = Site(deployment, "--config", str(settings))
        tokens = seed["tokens"]
        slow = [_Form(Client(site.url, token), seed) for token in tokens[:SLOW]]
        writers = started(site, seed | {"tokens": tokens[SLOW:]}, size.most, PAUSE)
        findings = Findings("a new version")
        _deploy(findings, site, writers, size)
        _finish(findings, slow, writers)
        conclude(findings, deployment, [*writers, *(form.writer for form in slow)])
        _judge_replies(findings, [*(writer.client for writer in writers), *(form.client for form in slow)])
    findings.seconds = time.monotonic() - begun
    return findings


def _server_settings(deployment: Deployment, settings: str) -> Path:
    """Gunicorn's own settings file, which it reads again at SIGHUP; names the Django settings of a version."""
    path = deployment.folder / "gunicorn.conf.py"
    path.write_text(f"raw_env = ['DJANGO_SETTINGS_MODULE={settings}']\n", "utf-8")
    return path


def _deploy(findings: Findings, site: Site, writers: Sequence[Writer], size: Size) -> None:
    def more() -> None:
        """Wait until so many grades more are acknowledged."""
        goal = _told(writers) + size.labels
        _wait(lambda: _told(writers) >= goal or not any(each.is_alive() for each in writers), size.patience)

    deployment = site.deployment
    more()
    deployment.environment["DJANGO_SETTINGS_MODULE"] = NEXT  # for commands; the server goes on as it is
    deployment.manage("migrate", "next_version", "0002", "--verbosity", "0")
    findings.faults["migration that adds, under load"] += 1
    more()
    old = set(children(site.server.pid))
    _server_settings(deployment, NEXT)
    site.server.send_signal(signal.SIGHUP)
    findings.faults["reload with new code, under load"] += 1
    _wait(lambda: not old & set(children(site.server.pid)), size.patience)
    more()
    deployment.manage("migrate", "--verbosity", "0")
    findings.faults["migration that takes away, under load"] += 1
    more()
    with urllib.request.urlopen(f"{site.url}/ready/", timeout=30) as reply:  # 503 would raise
        if json.load(reply) != {"status": "ok"}:
            findings.wrong.append("the new version says that it is not ready")
    for writer in writers:
        writer.enough.set()


def _told(writers: Sequence[Writer]) -> int:
    return sum(len(writer.acknowledged) for writer in writers)


def _wait(until: Callable[[], bool], patience: float) -> None:
    deadline = time.monotonic() + patience
    while not until():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing for {patience:g} s")
        time.sleep(0.05)


class _Form:
    """A form that is opened, with a draft saved, when this is made, and submitted when somebody says so."""

    def __init__(self, client: Client, seed: dict[str, Any]) -> None:
        self.client = client
        self.writer = Writer(client, seed["campaign"], seed["rubric_sha256"], 1)
        self.path = f"assignments/{self.writer.take()}/"
        self.label = Label(uuid.uuid4().hex, "correct", f"typed before the new version: {uuid.uuid4().hex}")
        self.content = {"answers": {"correctness": self.label.value}, "note": self.label.note}
        self.opened = self._ask("GET")
        self.draft = self._ask("PUT", {"version": 0, "content": self.content})

    def _ask(self, method: str, body: Any = None, wanted: int = 200, key: str = "") -> Any:
        status, reply = self.client.ask(method, self.path, body, key)
        if status != wanted:
            raise RuntimeError(f"{method} {self.path}: {status} {reply}")
        return reply

    def submit(self, rubric_sha256: str | None = None, wanted: int = 201) -> Any:
        """With the fingerprint of the questions as they were opened, or with another."""
        body = {
            "content": self.content,
            "rubric_sha256": rubric_sha256 or self.opened["rubric"]["sha256"],
            "draft_version": self.draft["version"],
        }
        reply = self._ask("POST", body, wanted, self.label.key)
        if wanted == 201:
            self.writer.acknowledged.append(self.label)
        return reply

    def kept(self) -> bool:
        """Whether the server still has the text as it was saved."""
        return bool(self._ask("GET")["draft"]["content"] == self.content)


def _finish(findings: Findings, slow: Sequence[_Form], writers: Sequence[Writer]) -> None:
    """Submit what was opened before: once as it is, and once to questions that are no longer asked."""
    for writer in writers:
        writer.join()
    same, changed = slow
    same.submit()
    refusal = changed.submit(YESTERDAY, wanted=409)
    if refusal["code"] != "stale_rubric":
        findings.wrong.append(f"answers to old questions were refused as {refusal['code']}")
    if not changed.kept():
        findings.wrong.append("a refused form lost its text")
    changed.submit()


def _judge_replies(findings: Findings, clients: Sequence[Client]) -> None:
    """Both versions must have served, and no request may have met an error of the server.

    A connection that an old worker took and closed unread when it was told to end has no reply at all: any client
    has to send again what was not answered, so this is counted (`conclude`) and no fault.
    """
    findings.wrong += judge_versions(clients)
    if errors := sum(client.server_errors for client in clients):
        findings.wrong.append(
            f"{errors} requests were answered by an error of the server during the deployment"
        )


def judge_versions(clients: Sequence[Client]) -> list[str]:
    """What is wrong if only one version replied."""
    versions = sum((client.versions for client in clients), Counter[str]())
    return [] if versions[""] and versions["next"] else [f"only one version served: {dict(versions)}"]
