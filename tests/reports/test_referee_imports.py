"""Referee reports that are imported where nothing was: at once by two people, and with marks in a PDF."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from annotation.models import Comment
from benchmark.files.actions import attach
from benchmark.files.child import Mark
from benchmark.files.process import with_marks
from benchmark.models import Output
from reports.labels.importing import import_tables
from reports.referees.folder import read_sent
from tests.annotation.test_concurrency import in_threads
from tests.benchmark.pdfs import PARAGRAPH, paper, png
from tests.reports.conftest import load, load_proofs
from tests.reports.test_referee_reports import (
    MARKDOWN,
    NAME,
    apply,
    archive,
    client,
    exported,
    rows_of,
    send,
    words_at,
)

__all__ = ["client"]
pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_marks_in_a_pdf_next_to_a_report_are_its_comments(client):
    """One on words, one on a region without any, one on words that the submission does not have."""
    release = load("sample-proofs", "proofs", {"basalt": "outputs/basalt"})
    output = Output.objects.get(run__system__slug="basalt", instance__key="sample-proof-02")
    data = paper(f"A cactus network is planar. {PARAGRAPH}", f"Hence it has a boundary. {PARAGRAPH}")
    attach(actor=None, subject=output, name="figure.png", data=png("x"))
    copy = attach(actor=None, subject=output, name="proof.pdf", data=data).copy
    marks = [
        Mark(1, (words_at(data, 0, "cactus network"),), True, "Which network?", "major, gap"),
        Mark(2, ((60.0, 400.0, 200.0, 500.0),), False, "This part is unclear.", author="Dr. Who"),
    ]
    other = Mark(
        1,
        (words_at(elsewhere := paper("Quite another text altogether."), 0, "another text"),),
        True,
        "Where?",
    )
    marked = with_marks(bytes(copy.data), marks)
    files = {"two.md": MARKDOWN, "two.pdf": marked}
    apply(client, send(client, release, "sent.zip", archive(files)))
    found = [row for row in rows_of(exported(client, release, "comments")) if row["anchor"] == "pdf"]
    assert [(row["page"], row["quote"], row["severity"], row["kind"], row["text"]) for row in found] == [
        ("1", "cactus network", "major", "gap", "Which network?"),
        ("2", "", "minor", "", "This part is unclear."),
    ]
    assert json.loads(found[1]["rects"]) == [[60.0, 400.0, 200.0, 500.0]]
    strange = {
        "two.md": MARKDOWN.replace("problem:", "campaign: second-round\nproblem:"),
        "two.pdf": with_marks(elsewhere, [other]),
    }
    checked = send(client, release, "sent.zip", archive(strange))
    assert (checked.report["comments"], checked.report["lost_count"]) == (5, 1)
    assert {"file": "two.pdf", "line": 0, "words": "another text"} in checked.report["lost"]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_who_import_the_same_reports_at_once_store_them_once():
    proofs = load_proofs()
    with TemporaryDirectory() as place:
        (Path(place) / "a.md").write_text(MARKDOWN, "utf-8")

        def imported(number: int) -> int:
            tables = read_sent(Path(place), "reports", proofs, NAME).tables(f"reports {number}")
            return import_tables(actor=None, tables=tables, release=proofs).new_grades

        assert sorted(in_threads(imported, [1, 2])) == [0, 1]
    assert Comment.objects.filter(grade__assignment__item__campaign__slug=NAME).count() == 4
