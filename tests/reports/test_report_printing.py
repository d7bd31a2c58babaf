"""Printed reports: every item with its comments in place, blinded unless asked, pages numbered through."""

import json
import re
from pathlib import Path

import pytest
import time_machine
from django.core.management import CommandError, call_command
from pypdf import PdfReader
from pypdf.generic import StreamObject

from accounts.models import User
from accounts.refusal import Refused
from annotation.core.visibility import Viewer
from annotation.models import (
    Answer,
    Campaign,
    Comment,
    Flag,
    FlagSpan,
    Grade,
    Item,
    SeenBefore,
    Unjudged,
)
from reports.printing import report as report_printing
from reports.printing.report import ReportOrder, print_report
from tests.factories import AssignmentFactory, CampaignFactory
from tests.reports.graded import REMARK, N, remark
from tests.reports.reading_pdf import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def graded(graded_and_printed_once: Campaign) -> Campaign:
    return graded_and_printed_once


NAMES = ("Aurora", "Basalt", "ada0@study.test", "system-")


def printed(campaign: Campaign, folder: Path, **wanted: bool) -> Path:
    path = folder / "report.pdf"
    order = ReportOrder(campaign.release, campaign, **{"items": True, "score": False, **wanted})
    print_report(order, Viewer.STAFF, path, lambda done, total: None)
    return path


@pytest.mark.slow
def test_a_blinded_report_names_neither_systems_nor_graders(graded, tmp_path):
    path = printed(graded, tmp_path)
    text = text_of(path)
    assert "Grader 1" in text
    assert not [name for name in NAMES if name in text]
    assert not [name for name in NAMES if name.encode() in path.read_bytes()]


@pytest.mark.slow
def test_no_metadata_outline_or_stream_of_a_blinded_report_names_anybody_either(graded, tmp_path):
    """Every object of the file, its streams decompressed."""
    reader = PdfReader(printed(graded, tmp_path))
    slots = [str(reader.metadata), str(reader.xmp_metadata)]
    for number in range(1, int(reader.trailer["/Size"])):
        found = reader.get_object(number)
        slots.append(str(found))
        if isinstance(found, StreamObject):
            slots.append(found.get_data().decode("latin-1"))
    assert sum("/Type" in slot for slot in slots) > 20
    assert not [name for name in NAMES if any(name in slot for slot in slots)]


@pytest.mark.slow
def test_with_identities_it_names_both(graded, tmp_path):
    text = text_of(printed(graded, tmp_path, identities=True))
    assert User.objects.get(email="ada0@study.test").rater in text
    assert "ada0@study.test" not in text
    assert "Aurora" in text
    assert "Basalt" in text


@pytest.mark.slow
def test_a_comment_stands_under_its_passage_with_severity_and_kind(graded, tmp_path):
    text = text_of(printed(graded, tmp_path))
    before, _, after = text.partition(f"Fatal · gap. “By” {REMARK} Grader 1")
    assert before.endswith(
        "itself, $\\frac{a}{b} = c$. "
    )  # block 2; what is copied of a formula is its source
    assert "Verdict" in before
    assert after.index("x = \\sum_{i \\ne j} a_i") < after.index("The end of the text.")
    assert "Comments whose passage was not found in the text" in after
    assert "Nowhere to be found." in after


@pytest.mark.slow
def test_people_who_may_not_see_others_labels_get_none(graded, tmp_path):
    path = tmp_path / "own.pdf"
    order = ReportOrder(graded.release, graded, items=True, score=False, identities=True)
    print_report(order, Viewer.ASSIGNED, path, lambda done, total: None)
    text = text_of(path)
    assert REMARK not in text
    assert not [name for name in NAMES if name in text]


@pytest.mark.slow
def test_the_list_of_items_leads_to_the_page_that_it_names(graded, tmp_path):
    reader = PdfReader(printed(graded, tmp_path))
    titles = [entry.title for entry in reader.outline]
    assert [title.split()[0] for title in titles] == [str(number) for number in range(1, N + 1)]
    links = [
        reference.get_object()
        for page in reader.pages
        for reference in page.get("/Annots", [])
        if not isinstance(reference.get_object().get("/Dest", ""), str)
    ]
    targets = [reader.get_page_number(link["/Dest"][0].get_object()) for link in links]
    expected = [reader.get_destination_page_number(entry) for entry in reader.outline]
    assert sorted(set(targets)) == expected
    labels = reader.page_labels
    for entry, page in zip(reader.outline, expected, strict=True):
        words = reader.pages[page].extract_text()
        assert entry.title.split()[0] in words.split()[:8]
        assert words.split()[-1] == labels[page] or labels[page] in words.split()
    assert labels[0] == "i"


def test_the_list_of_items_tells_the_answers_to_one_problem_apart_where_systems_are_named(graded, tmp_path):
    names = set(graded.items.values_list("output__run__system__name", flat=True))
    for identities in (True, False):
        lines = text_of(printed(graded, tmp_path, identities=identities)).partition("Items")[2][:400]
        assert all((name in lines) == identities for name in names)


@pytest.mark.slow
def test_the_list_leads_to_the_first_page_of_a_long_item(graded, tmp_path):
    first = Grade.objects.order_by("pk")[0]
    Comment.objects.create(grade=first, block="b1", start=0, end=3, severity="minor", text="Line.\n" * 200)
    reader = PdfReader(printed(graded, tmp_path))
    starts = [reader.get_destination_page_number(entry) for entry in reader.outline]
    assert starts[1] - starts[0] > 2, "the first item has several pages"
    for entry, page in zip(reader.outline, starts, strict=True):
        assert " ".join(entry.title.split()) in " ".join(reader.pages[page].extract_text().split())
    assert "3 comments 1 " in text_of(tmp_path / "report.pdf")


@pytest.mark.slow
def test_chunks_do_not_show(graded, tmp_path, monkeypatch):
    with time_machine.travel("2026-11-21 12:00 +0000", tick=False):
        whole = text_of(printed(graded, tmp_path))
        monkeypatch.setattr(report_printing, "CHUNK", 2)
        assert text_of(printed(graded, tmp_path)) == whole
        monkeypatch.setattr(report_printing, "PORTION", 1)
        assert text_of(printed(graded, tmp_path)) == whole


@pytest.mark.slow
def test_text_from_outside_is_printed_and_not_obeyed(graded, tmp_path):
    hostile = '<img src="http://127.0.0.1:9/x.png"> {{ order.release }} <a href="item:2">2</a>'
    remark(hostile, block="b1")
    assert hostile.replace(" ", "") in text_of(printed(graded, tmp_path)).replace(" ", "")


@pytest.mark.slow
def test_words_that_are_marked_are_printed_and_a_whole_passage_is_not_repeated(graded, tmp_path):
    grade = Grade.objects.order_by("pk")[0]
    marked = {"grade": grade, "block": "b4", "severity": "highlight", "text": ""}
    Comment.objects.create(**marked, start=4, end=7)
    Comment.objects.create(**marked, start=0, end=len("The end of the text."))
    text = text_of(printed(graded, tmp_path))
    assert text.count("Highlight. “end” Grader 1") == 1
    assert text.count("Highlight. Grader 1") == 1


@pytest.mark.slow
def test_why_nothing_was_judged_where_it_was_seen_and_flags_are_printed(graded, tmp_path):
    earlier = Grade.objects.order_by("pk")[0]
    grade = Grade.objects.create(
        assignment=earlier.assignment,
        supersedes=earlier,
        rubric_sha256=earlier.rubric_sha256,
        shown_sha256=earlier.shown_sha256,
        seen_before=True,
        idempotency_key="again",
    )
    SeenBefore.objects.create(grade=grade, place="A thesis of 1987")
    Unjudged.objects.create(grade=grade, reason="other", note="Half of it is missing.")
    flag = Flag.objects.create(
        grade=grade, kind="public_solution", link="https://example.org/solved", note="On page 3."
    )
    FlagSpan.objects.create(flag=flag, block="problem-b1", start=0, end=4, text="Show")
    text = text_of(printed(graded, tmp_path))
    assert "Grader 1 had seen this solution before: A thesis of 1987" in text
    assert "Grader 1 says that this cannot be judged. Something else: Half of it is missing." in text
    assert "“Show” https://example.org/solved On page 3." in text


@pytest.mark.slow
def test_the_score_comes_in_front_when_it_is_asked_for(graded, tmp_path):
    text = text_of(printed(graded, tmp_path, score=True))
    assert text.index("What the experts say") < text.index("Round one · item 1")


def test_progress_is_told_and_may_stop_the_printing(graded, tmp_path, monkeypatch):
    monkeypatch.setattr(report_printing, "CHUNK", 2)
    heard: list[tuple[int, int]] = []

    def hear(done: int, total: int) -> None:
        heard.append((done, total))
        if done:
            raise InterruptedError

    path = tmp_path / "stopped.pdf"
    with pytest.raises(InterruptedError):
        print_report(ReportOrder(graded.release, graded, items=True), Viewer.STAFF, path, hear)
    assert heard == [(0, N), (2, N)]
    assert not path.exists()


def test_a_report_of_nothing_is_refused(graded, tmp_path):
    path = tmp_path / "none.pdf"
    with pytest.raises(Refused, match="the score, the items, or both"):
        print_report(ReportOrder(graded.release, score=False), Viewer.STAFF, path, lambda *_: None)
    empty = CampaignFactory(release=graded.release)
    with pytest.raises(Refused, match="there are none to print"):
        print_report(ReportOrder(graded.release, empty, items=True), Viewer.STAFF, path, lambda *_: None)
    assert not path.exists()


@pytest.mark.slow
def test_the_command_prints_to_a_file_and_refuses_in_words(graded, tmp_path, capsys):
    path = tmp_path / "out.pdf"
    call_command("report", release=graded.release.name, campaign="round", items=True, out=path, json=True)
    assert json.loads(capsys.readouterr().out)["items"] == N
    assert path.read_bytes().startswith(b"%PDF")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("report", release=graded.release.name, out=tmp_path / "nowhere" / "out.pdf")
    other = CampaignFactory(slug="elsewhere")
    with pytest.raises(CommandError, match=f"belongs to release {other.release.name}"):
        call_command("report", release=graded.release.name, campaign="elsewhere", out=path)


@pytest.mark.slow
def test_what_has_no_spaces_is_broken_and_never_runs_off_the_page(graded, tmp_path):
    """An address in a comment, and the long name of a campaign at the foot of each page."""
    Campaign.objects.filter(pk=graded.pk).update(name="c" * 180)
    graded.refresh_from_db()
    remark("https://example.org/" + "u" * 250, block="b2")
    text = re.sub(r"[\s\u2010]", "", text_of(printed(graded, tmp_path)))
    assert "u" * 250 in text
    assert text.count("c") > 180 * N


@pytest.mark.slow
def test_the_verdicts_of_twenty_graders_are_all_on_the_paper(graded, tmp_path):
    item = Item.objects.order_by("pk")[0]
    for number in range(19):
        place = AssignmentFactory(item=item, reviewer__email=f"other{number}@study.test")
        grade = Grade.objects.create(assignment=place, rubric_sha256="0" * 64, idempotency_key="k")
        Answer.objects.create(grade=grade, question="correctness", value="incorrect")
    words = text_of(printed(graded, tmp_path))
    assert [number for number in range(1, 21) if f"Grader {number} " not in words] == []
    assert words.replace("\u2010 ", "").count("incorrect") == N + 19
