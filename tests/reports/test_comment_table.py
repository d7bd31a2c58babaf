"""The comment table: each comment with the words that it is about, blinded unless asked."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.assigning.taking import take_next
from annotation.models import Comment
from reports.labels.comments import COLUMNS, comment_rows
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE

pytestmark = pytest.mark.django_db
REMARK = '=HYPERLINK(1) is not\nwhat "Two" means, $x^2$.'


@pytest.fixture
def remarked(opened, algebraist):
    """A grade with a comment on the word "Two" of the second block and one on a block that is gone."""
    place = take_next(reviewer=algebraist, campaign=opened)
    content = {
        **COMPLETE,
        "anchored": [
            {"block": "b2", "start": 0, "end": 3, "severity": "fatal", "kind": "gap", "text": REMARK}
        ],
    }
    grade = submit_grade(
        reviewer=algebraist,
        assignment=place,
        content=content,
        idempotency_key="k",
        rubric_sha256=opened.rubric.sha256,
    )
    Comment.objects.create(grade=grade, block="b99", start=0, end=1, severity="minor", text="Where?")
    return place


def test_a_comment_has_its_quote_and_what_is_around_it(remarked, opened, algebraist):
    first, second = comment_rows(opened.release, identities=True)
    assert tuple(first) == COLUMNS
    system = remarked.item.output.run.system.slug
    key = remarked.item.instance.key
    assert (first["subject"], first["system"], first["rater"]) == (
        f"{key}/{system}/1",
        system,
        algebraist.rater,
    )
    assert (first["quote"], first["prefix"], first["suffix"]) == ("Two", "", " is two.")
    assert (first["severity"], first["kind"], first["text"]) == ("fatal", "gap", REMARK)
    assert (first["anchor"], second["anchor"]) == ("block", "lost")
    assert (second["block"], second["quote"]) == ("b99", "")


def test_a_comment_whose_passage_is_gone_comes_in_again_as_it_came_out(remarked, opened, tmp_path):
    rows = list(comment_rows(opened.release, identities=True))
    for name, found in {"labels": list(label_rows(opened.release)), "comments": rows}.items():
        lines = (json.dumps({**row, "campaign": "again"}) for row in found)
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    files = {"path": tmp_path / "labels.jsonl", "comments": tmp_path / "comments.jsonl"}
    import_labels(actor=None, release=opened.release, **files)
    again = list(comment_rows(opened.release, campaign="again", identities=True))
    assert [{**row, "campaign": opened.slug} for row in again] == rows
    assert not import_labels(actor=None, release=opened.release, **files).changed


def test_a_blinded_table_names_no_system(remarked, opened):
    rows = list(comment_rows(opened.release))
    assert [row["system"] for row in rows] == ["", ""]
    assert len({row["subject"] for row in rows}) == 1
    assert str(rows[0]["subject"]).startswith("blind-")
    assert "-system" not in str(rows)


def test_page_rest_and_command_give_the_same_rows(remarked, opened, coordinator, algebraist, capsys):
    client = Client()
    client.force_login(coordinator)
    name = opened.release.name
    rows = [{key: str(value) for key, value in row.items()} for row in comment_rows(opened.release)]
    sent = client.get(f"/reports/releases/{name}/comments.csv")
    read = list(csv.DictReader(io.StringIO(b"".join(sent.streaming_content).decode())))
    assert [row["text"] for row in read] == [f"'{REMARK}", "Where?"], "no spreadsheet runs it"
    assert [{**row, "text": ""} for row in read] == [{**row, "text": ""} for row in rows]
    assert client.get(f"/api/v1/releases/{name}/comments/").json() == rows
    call_command("export_labels", "--release", name, "--comments", "--blinded")
    assert (
        capsys.readouterr().out == b"".join(client.get(sent.request["PATH_INFO"]).streaming_content).decode()
    )
    assert client.get(f"/reports/releases/{name}/comments.csv?system=x").status_code == 400


def test_comments_of_another_campaign_are_left_out(remarked, opened):
    assert list(comment_rows(opened.release, campaign="other")) == []
    assert len(list(comment_rows(opened.release, campaign=opened.slug))) == 2


def test_a_text_that_waits_to_be_rendered_is_said(remarked, opened, coordinator, no_worker):
    from benchmark.models import RenderedDocument

    RenderedDocument.objects.all().delete()
    client = Client()
    client.force_login(coordinator)
    answer = client.get(f"/reports/releases/{opened.release.name}/comments.csv")
    assert answer.status_code == 400
    assert "is being prepared for reading" in answer.content.decode()
