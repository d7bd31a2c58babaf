"""What a script may send in the content of a draft or a grade: it is saved, or refused with its field."""

import json

import pytest
from django.urls import reverse

from annotation.models import Draft
from tests.annotation.samples import COMPLETE
from tests.annotation.test_file_anchors import on_pdf, said

__all__ = ["on_pdf"]
pytestmark = pytest.mark.django_db
HUGE = "1" + "0" * 400  # more than any number of a database


@pytest.fixture
def sent(client, algebraist):
    """Sends content, given as JSON text, as a draft (PUT) or as a grade (POST)."""
    client.force_login(algebraist)

    def send(verb, place, content: str):
        sha256 = place.item.campaign.rubric.sha256
        version = {"put": '"version": 0', "post": f'"rubric_sha256": "{sha256}"'}[verb]
        return getattr(client, verb)(
            reverse("api-assignment", args=[place.handle]),
            f'{{"content": {content}, {version}}}',
            content_type="application/json",
            headers={"Idempotency-Key": "k"},
        )

    return send


@pytest.mark.parametrize("verb", ["put", "post"])
def test_a_nul_and_half_an_emoji_are_replaced_as_in_forms(sent, place, verb):
    content = COMPLETE | {"note": "a\0b\ud83d", "seen_before": True, "seen_where": "a\0b"}
    answer = sent(verb, place, json.dumps(content))
    assert answer.status_code in (200, 201), answer.content
    kept = Draft.objects.get().content
    assert (kept["note"], kept["seen_where"]) == ("a\ufffdb\ufffd", "a\ufffdb")


@pytest.mark.parametrize("verb", ["put", "post"])
@pytest.mark.parametrize("key", ["a\0b", "half \ud83d"])
def test_a_nul_in_a_name_is_refused_like_any_unknown_field(sent, place, verb, key):
    answer = sent(verb, place, json.dumps(COMPLETE | {key: 1}))
    assert (answer.status_code, answer.json()["code"]) == (409, "malformed")


@pytest.mark.parametrize("given", ["[[1]]", "[{}]", "[null]"])
def test_what_is_abstained_from_is_named(sent, place, given):
    content = json.dumps(COMPLETE).replace("{", f'{{"abstained": {given}, ', 1)
    answer = sent("post", place, content)
    assert (answer.status_code, answer.json()["field"]) == (409, "abstained")


@pytest.mark.parametrize("number", [HUGE, f"-{HUGE}", "1e400"])
def test_a_number_that_no_database_holds_is_malformed(sent, on_pdf, number):
    content = json.dumps(said(rects=[["NUMBER", 0, 1, 1]])).replace('"NUMBER"', number)
    answer = sent("post", on_pdf, content)
    assert answer.status_code == 400
    assert b"too large a number" in answer.content
