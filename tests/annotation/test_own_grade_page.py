"""The page of a grade that was submitted: what its reviewer said, as they said it."""

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from benchmark.models import Output
from reports.printing.items import PrintedComment
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


def test_a_formula_in_marked_words_is_typeset(client, algebraist, coordinator, drafted):
    Output.objects.update(text="As $x<1$ holds, done.")
    draw_items(actor=coordinator, campaign=drafted)
    open_campaign(actor=coordinator, campaign=drafted)
    place = take_next(reviewer=algebraist, campaign=drafted)
    submit_grade(
        reviewer=algebraist,
        assignment=place,
        content={
            "answers": {"correctness": "incorrect", "rigour": "2"},
            "anchored": [
                {"block": "b1", "start": 3, "end": 14, "severity": "highlight", "kind": "", "text": ""}
            ],
        },
        idempotency_key="own",
        rubric_sha256=place.item.campaign.rubric.sha256,
    )
    client.force_login(algebraist)
    page = client.get(reverse("grade", args=[place.handle])).content.decode()
    assert '<q><span class="math" data-display="false" data-source="$x&lt;1$">x&lt;1</span> holds</q>' in page


def test_so_is_one_on_paper():
    said = PrintedComment("Grader 1", "minor", "Minor", "", "Why?", quote="$x<1$ holds")
    printed = render_to_string("reports/printing/_comment.html", {"comment": said})
    assert '“<span class="math" data-display="false" data-source="$x&lt;1$">x&lt;1</span> holds”' in printed
