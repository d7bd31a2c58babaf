"""Log lines and reported errors hold no person, no secret of a link and no text."""

import json
import logging
from typing import Any

import pytest
import sentry_sdk
from django.test import Client
from sentry_sdk.transport import Transport

from accounts.models import User
from config import error_tracking, logs
from config.logs import without_identities

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("sent to ada.lovelace+x@maths.example.org", "sent to [address]"),
        ("Not Found: /join/s3cr3t-token/", "Not Found: /join/[token]/"),
        ("GET /accounts/password/reset/key/3-abc-def/", "GET /accounts/password/reset/key/[token]/"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer [token]"),
        ("1,000 verdicts @ 0.1 s", "1,000 verdicts @ 0.1 s"),
    ],
)
def test_addresses_and_secrets_are_struck_out(text: str, clean: str) -> None:
    assert without_identities(text) == clean


def record(message: str, *values: object) -> logging.LogRecord:
    try:
        raise ValueError("no such person: ada@study.test")
    except ValueError as error:
        caught = (type(error), error, error.__traceback__)
    return logging.LogRecord("django.request", logging.ERROR, __file__, 1, message, values, caught)


def test_a_line_for_people_is_clean_to_the_last_word_of_its_traceback() -> None:
    line = logs.Plain("{levelname} {message}", style="{").format(record("mail to %s", "ada@study.test"))
    assert line.startswith("ERROR mail to [address]\nTraceback")
    assert line.endswith("ValueError: no such person: [address]")


def test_a_line_for_collectors_is_one_clean_json_object() -> None:
    formatter = logs.Json(
        "{asctime}{levelname}{name}{message}", style="{", rename_fields={"levelname": "level"}
    )
    line = formatter.format(record("mail to %s", "ada@study.test"))
    found = json.loads(line)
    assert "\n" not in line
    assert (found["level"], found["message"]) == ("ERROR", "mail to [address]")
    assert found["exc_info"].endswith("no such person: [address]")


class Kept(Transport):
    """Keeps what would have left this machine."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def capture_envelope(self, envelope: Any) -> None:
        self.sent.append(envelope.serialize())


def test_a_reported_error_says_where_it_happened_and_nothing_of_whom_or_what(
    client: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frames carry their lines of code, so the tokens are made when the test runs and stand in no line."""
    local, words, query, header, line = (f"zq{number}{owner.pk}qz" for number in range(5))
    kept = Kept()
    error_tracking.start("https://key@tracker.test/1", transport=kept)

    def broken(*_: object) -> None:
        proof = f"Let {local} be a group."
        raise RuntimeError(words + owner.email + proof[:0])

    monkeypatch.setattr("config.views.is_study_staff", broken)
    client.raise_request_exception = False
    client.force_login(owner)
    try:
        answer = client.get(f"/?{query}=1", headers={"X-Probe": header})
        logging.getLogger("django.request").error(line)
        sentry_sdk.flush()
    finally:
        sentry_sdk.init()  # without an address: nothing is reported any more
    sent = b"".join(kept.sent).decode()
    assert answer.status_code == 500
    assert "RuntimeError" in sent
    assert "in_app" in sent
    told = [word for word in (local, words, query, header, line, owner.email, owner.name) if word in sent]
    assert told == []
