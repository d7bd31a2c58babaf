"""Reviewers over HTTP who send every request again, with the same key, until it is answered.

A program that grades through REST does what these do: an answer below 500 settles a request; no answer, or one
from 500 on, settles nothing, so that it is sent again. What was acknowledged is kept here, outside of the server,
and compared with what the database holds at the end.
"""

import json
import random
import ssl
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from tests.chaos.next_version.saying import HEADER
from tests.deployment import Deployment

VALUES = ("correct", "incorrect")
AGAIN = 0.1  # the share of acknowledged submissions that are sent once more all the same
_STORED = """
SELECT grade.idempotency_key, answer.value, grade.note
FROM annotation_grade AS grade JOIN annotation_answer AS answer ON answer.grade_id = grade.id
"""


@dataclass(frozen=True)
class Label:
    """A grade with one question: its idempotency key, the answer, and a note that no other grade has."""

    key: str
    value: str
    note: str


@dataclass
class Client:
    """Requests with one person's token; `replies` counts statuses, and 0 for no reply, `versions` who replied."""

    url: str
    token: str
    patience: float = 120.0  # seconds until a request that is never answered fails the writer
    replies: Counter[int] = field(default_factory=Counter)
    versions: Counter[str] = field(default_factory=Counter)  # what each reply named in HEADER; "" for nothing
    no_time_to_return: int = 0  # answers of 503 without Retry-After
    tls: ssl.SSLContext | None = None  # for a site over HTTPS

    @property
    def server_errors(self) -> int:
        """How many requests were answered by a status from 500 on."""
        return sum(count for status, count in self.replies.items() if status >= 500)

    @property
    def unsettled(self) -> int:
        """These, and how many had no answer."""
        return self.server_errors + self.replies[0]

    def ask(self, method: str, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        """(status below 500, JSON); raises TimeoutError when there was none for `patience` seconds."""
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            status, reply = self._once(method, path, body, key)
            self.replies[status] += 1
            if 0 < status < 500:
                return status, json.loads(reply)
            time.sleep(random.uniform(0.1, 0.4))
        raise TimeoutError(
            f"{method} {path}: no answer for {self.patience:g} s, last {status}: {reply[:300]!r}"
        )

    def _connection(self) -> HTTPConnection:
        place = urlsplit(self.url).netloc
        if self.tls is None:
            return HTTPConnection(place, timeout=30)
        return HTTPSConnection(place, timeout=30, context=self.tls)

    def _once(self, method: str, path: str, body: Any, key: str) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        try:
            with closing(self._connection()) as connection:
                connection.request(method, f"/api/v1/{path}", data, headers)
                reply = connection.getresponse()
                body = reply.read()
        except (OSError, HTTPException) as error:  # refused, cut off, late, or only half there
            return 0, str(error).encode()
        self.versions[reply.getheader(HEADER, "")] += 1
        self.no_time_to_return += reply.status == 503 and not reply.getheader("Retry-After", "").isdecimal()
        return reply.status, body


class Writer(threading.Thread):
    """Takes up to `labels` items of the campaign and grades each; `acknowledged` is what the server said it has.

    Rests for `pause` seconds after each; ends early when `enough` is set.
    """

    def __init__(
        self, client: Client, campaign: str, rubric_sha256: str, labels: int, pause: float = 0.0
    ) -> None:
        super().__init__(daemon=True)
        self.client, self.campaign, self.rubric_sha256 = client, campaign, rubric_sha256
        self.labels, self.pause, self.enough = labels, pause, threading.Event()
        self.acknowledged: list[Label] = []
        self.wrong: list[str] = []

    def run(self) -> None:
        try:
            for _ in range(self.labels):
                self._grade(self.take())
                if self.enough.wait(self.pause):
                    return
        except Exception as error:  # noqa: BLE001 - whatever ended a writer is a finding
            self.wrong.append(f"a writer gave up: {error!r}")

    def take(self) -> str:
        """The handle of one more item."""
        reply = self._expect(201, "POST", "queue/", {"campaign": self.campaign}, uuid.uuid4().hex)
        return str(reply["handle"])

    def _grade(self, handle: str) -> None:
        label = Label(uuid.uuid4().hex, random.choice(VALUES), f"note of {handle}: {uuid.uuid4().hex}")
        content = {"answers": {"correctness": label.value}, "note": label.note}
        body = {"content": content, "rubric_sha256": self.rubric_sha256}
        told = self._expect(201, "POST", f"assignments/{handle}/", body, label.key)
        self.acknowledged.append(label)
        if told["note"] != label.note:
            self.wrong.append(f"{label.key} was acknowledged with another note: {told['note']!r}")
        if (
            random.random() < AGAIN
            and self._expect(201, "POST", f"assignments/{handle}/", body, label.key) != told
        ):
            self.wrong.append(f"{label.key} was answered differently when it was sent again")

    def _expect(self, wanted: int, method: str, path: str, body: Any, key: str) -> Any:
        status, reply = self.client.ask(method, path, body, key)
        if status != wanted:
            raise RuntimeError(f"{method} {path}: {status} {reply}")
        return reply


@dataclass(frozen=True)
class Difference:
    """What the database and those who wrote disagree on, by key."""

    lost: tuple[str, ...]  # acknowledged, and not there
    doubled: tuple[str, ...]  # there more than once
    altered: tuple[str, ...]  # there with another answer or note than was sent
    unheard: tuple[str, ...]  # there, and acknowledged to nobody


def compare(acknowledged: Iterable[Label], stored: Iterable[Label]) -> Difference:
    """What was told against what is there."""
    told, there = {label.key: label for label in acknowledged}, list(stored)
    counts = Counter(label.key for label in there)
    return Difference(
        lost=tuple(key for key in told if key not in counts),
        doubled=tuple(key for key, count in counts.items() if count > 1),
        altered=tuple(label.key for label in there if label.key in told and told[label.key] != label),
        unheard=tuple(key for key in counts if key not in told),
    )


def stored_labels(deployment: Deployment) -> list[Label]:
    """Every grade of the deployment with its answer."""
    return [Label(*row) for row in deployment.query(_STORED)]
