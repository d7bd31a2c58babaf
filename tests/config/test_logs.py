"""Log lines and reported errors hold no person, no secret of a link and no text."""

import json
import logging
from pathlib import Path

import pytest

from config import logs
from config.logs import without_identities
from tests.deployment import deployed


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


# In a process of its own, because the tracker's client stays in the one where it was started. Frames carry their
# lines of code, so the tokens are made when this runs and are in no line.
REPORT = """
import json, logging
import sentry_sdk
from django.conf import settings
from django.test import Client
from sentry_sdk.transport import Transport
import config.views
from accounts.models import User
from config import error_tracking

class Kept(Transport):
    sent = []
    def capture_envelope(self, envelope):
        self.sent.append(envelope.serialize().decode())

person = User.objects.create_user("olga@study.test", name="Olga Owner")
local, words, query, header, line = (f"zq{number}{person.pk}qz" for number in range(5))
error_tracking.start("https://key@tracker.test/1", transport=Kept())

def broken(*_):
    proof = f"Let {local} be a group."
    raise RuntimeError(words + person.email + proof[:0])

config.views.is_study_staff = broken
settings.ALLOWED_HOSTS += ["testserver"]
client = Client(raise_request_exception=False)
client.force_login(person)
status = client.get(f"/?{query}=1", headers={"X-Probe": header}).status_code
logging.getLogger("django.request").error(line)
sentry_sdk.flush()
sent = "".join(Kept.sent)
secret = [local, words, query, header, line, person.email, person.name]
print(json.dumps({"status": status, "sent": sent, "told": [word for word in secret if word in sent]}))
"""


@pytest.mark.slow
def test_a_reported_error_says_where_it_happened_and_nothing_of_whom_or_what(tmp_path: Path) -> None:
    with deployed(tmp_path) as deployment:
        said = json.loads(deployment.manage("shell", "-v0", "-c", REPORT).splitlines()[-1])
    assert said["status"] == 500
    assert "RuntimeError" in said["sent"]
    assert "in_app" in said["sent"]
    assert said["told"] == []
