"""The page of a grade that was submitted: what its reviewer said, as they said it."""

import pytest
from django.urls import reverse

from tests.annotation.grading import submit_grade

pytestmark = pytest.mark.django_db


def test_marked_words_and_lines_stay_as_they_were_typed(client, algebraist, place):
    mark = {"block": "b2", "severity": "highlight", "kind": "", "text": ""}
    submit_grade(
        reviewer=algebraist,
        assignment=place,
        content={
            "answers": {"correctness": "incorrect", "rigour": "2", "remarks": "One.\n\nTwo."},
            "anchored": [{**mark, "start": 4, "end": 6}, {**mark, "start": 0, "end": len("Two is two.")}],
        },
        idempotency_key="own",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )
    client.force_login(algebraist)
    page = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert page.count("<strong>Highlight</strong> on <q>is</q>") == 1
    assert page.count("<strong>Highlight</strong></p>") == 1
    assert "One.<br><br>Two." in page
