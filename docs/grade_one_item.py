#!/usr/bin/env python3
"""Grade one item through the REST interface: take it, read it, save a draft, submit.

    python docs/grade_one_item.py https://touchstone.example TOKEN CAMPAIGN correctness=correct logic=5 ...

TOKEN is an access token from your profile page; CAMPAIGN is the campaign's short name. Without answers the
script prints what is shown and asked, and changes nothing but the queue. Needs nothing beyond Python.
"""

import json
import sys
import urllib.error
import urllib.request
import uuid
from typing import Any


class Touchstone:
    """The few requests that a grade takes. Refusals raise SystemExit with the server's reason."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address.rstrip("/") + "/api/v1"
        self.token = token

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send one request and return the JSON of its answer."""
        request = urllib.request.Request(  # noqa: S310 - the address is the reader's own
            self.address + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                **headers,
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310 # nosec B310
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{error.code}: {error.read().decode()}") from error

    def next_item(self, campaign: str) -> str:
        """The handle of the first waiting item of the campaign, or of one taken now."""
        waiting = [row for row in self.ask("GET", "/queue/") if row["campaign"] == campaign]
        row = waiting[0] if waiting else self.ask("POST", "/queue/", {"campaign": campaign})
        return str(row["handle"])

    def submit(self, item: dict[str, Any], answers: dict[str, str]) -> Any:
        """Save the answers as a draft, then submit them. The key makes a repeated request harmless."""
        path = f"/assignments/{item['handle']}/"
        content = {"answers": answers}
        version = item["draft"]["version"] if item["draft"] else 0
        draft = self.ask("PUT", path, {"version": version, "content": content})
        body = {
            "content": content,
            "rubric_sha256": item["rubric"]["sha256"],
            "shown_sha256": item["shown_sha256"],
            "draft_version": draft["version"],
        }
        return self.ask("POST", path, body, **{"Idempotency-Key": uuid.uuid4().hex})


def describe(item: dict[str, Any]) -> str:
    """The item and its questions as text."""
    parts = [f"== {part['title']} ==\n{part['text']}" for part in item["parts"]]
    questions = [f"{question['key']}: {question['text']}" for question in item["rubric"]["questions"]]
    return "\n\n".join([item["title"], *parts, "Questions:\n" + "\n".join(questions)])


def main(arguments: list[str]) -> None:
    if len(arguments) < 3:
        raise SystemExit(__doc__)
    address, token, campaign, *given = arguments
    site = Touchstone(address, token)
    item = site.ask("GET", f"/assignments/{site.next_item(campaign)}/")
    answers = dict(answer.split("=", 1) for answer in given)
    print(json.dumps(site.submit(item, answers), indent=2) if answers else describe(item))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
