"""docs/grade_one_item.py does what it says, against a live server."""

import json
import subprocess
import sys

import pytest
from django.conf import settings

from accounts.profile.tokens import create_token
from annotation.models import Grade

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(live_server, opened, algebraist):
    secret = create_token(actor=algebraist, label="script", scope="grade").secret

    def call(*answers: str, token: str = secret) -> subprocess.CompletedProcess[str]:
        script = settings.BASE_DIR / "docs" / "grade_one_item.py"
        return subprocess.run(
            [sys.executable, script, live_server.url, token, opened.slug, *answers],
            capture_output=True,
            text=True,
            timeout=60,
        )

    return call


def test_the_script_shows_an_item_and_then_grades_it(run):
    shown = run()
    assert "Is the proof correct?" in shown.stdout, shown.stderr
    graded = run("correctness=incorrect", "rigour=2")
    assert json.loads(graded.stdout)["answers"][0]["value"] == "incorrect", graded.stderr
    assert Grade.objects.count() == 1


def test_the_script_prints_the_servers_reason_when_refused(run):
    refused = run("correctness=incorrect")
    assert refused.returncode == 1
    assert "This question still needs an answer." in refused.stderr
    assert "unknown, expired or revoked" in run(token="wrong").stderr
