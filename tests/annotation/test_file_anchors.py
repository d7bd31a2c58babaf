"""Comments on pages of PDFs: checked, stored, shown again, exported, printed."""

import json
import random

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.refusal import Refused
from annotation.adjudication.page import adjudication_page
from annotation.assigning.taking import take_next
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.core.own_data import own_data
from annotation.core.visibility import viewer
from annotation.grading.answers import Incomplete
from annotation.grading.file_anchors import FilePage, checked_anchor, page_of, quote_of
from annotation.grading.shown import own_place
from annotation.models import Assignment, Campaign, Comment
from benchmark.files.actions import attach
from benchmark.files.process import cleaned
from benchmark.models import Attachment, Output
from reports.history.chain import faults, seal
from reports.labels.comments import comment_rows
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from reports.printing.items import printed_items
from tests.annotation.grading import submit_grade
from tests.annotation.samples import COMPLETE
from tests.benchmark.pdfs import PARAGRAPH, paper

PAGE = FilePage(3, "An example of a cactus\nnetwork is the ﬁrst net-\nwork.", (0, 0, 400, 600), 9, "s" * 64)
RECTS = [[10, 20, 30.123, 40]]


def anchor(**changes):
    quote = {"exact": "cactus network", "prefix": "of a ", "suffix": " is"}
    return {"page": 3, "quote": quote, "rects": RECTS} | changes


def test_quoted_words_are_found_whatever_breaks_their_lines():
    stored, start, end = checked_anchor(anchor(), PAGE)
    assert PAGE.words[start:end] == "cactus\nnetwork"
    assert (quote_of(stored), page_of(stored), stored["kind"]) == ("cactus network", 3, "text")
    assert stored["document"] == {"sha256": "s" * 64, "pages": 9}
    kinds = [one["type"] for one in stored["selector"]]
    assert kinds == ["FragmentSelector", "TextPositionSelector", "TextQuoteSelector", "RectSelector"]
    assert stored["selector"][-1]["rects"] == [[10.0, 20.0, 30.12, 40.0]]


def test_ligatures_and_hyphens_are_no_differences():
    _, start, end = checked_anchor(anchor(quote={"exact": "FIRST network"}), PAGE)
    assert PAGE.words[start:end] == "ﬁrst net-\nwork"


def test_of_several_places_the_one_after_the_same_words_is_meant():
    page = FilePage(3, "one x two x three x", (0, 0, 400, 600), 9, "")
    for prefix, wanted in (("one ", 4), ("two ", 10), ("three ", 18)):
        assert checked_anchor(anchor(quote={"exact": "x", "prefix": prefix}), page)[1] == wanted


def test_a_hundred_quotes_of_a_paper_are_found_again():
    """Chosen by lot from what a real cleaner read, with blanks and breaks changed as another reader would."""
    chance = random.Random(5)
    told = " ".join(chance.choice(PARAGRAPH.split()) + str(number) for number in range(200))
    words = cleaned(paper(told)).words[0]
    page = FilePage(1, words, (0, 0, 400, 600), 1, "")
    for _ in range(100):
        start = chance.randrange(len(words) - 40)
        exact = words[start : start + chance.randrange(8, 40)]
        other = " ".join(exact.split()).replace("-", "")
        quote = {"exact": other or "Let", "prefix": words[max(0, start - 32) : start], "suffix": ""}
        _, found, _ = checked_anchor({"page": 1, "quote": quote, "rects": RECTS}, page)
        assert abs(found - start) <= 2  # blanks at the beginning do not count


def test_a_region_has_no_words_and_no_place_in_the_text():
    stored, start, end = checked_anchor(anchor(quote=None), PAGE)
    assert (stored["kind"], quote_of(stored), start, end) == ("region", "", 0, 0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"page": 4}, "not the one it is on"),
        ({"page": "3"}, "not the one it is on"),
        ({"rects": []}, "marks nothing"),
        ({"rects": [[0, 0, 402, 10]]}, "outside its page"),
        ({"rects": [[30, 0, 10, 10]]}, "outside its page"),
        ({"rects": [[0, 0, 10]]}, "four numbers"),
        ({"rects": [[0, 0, float("nan"), 10]]}, "four numbers"),
        ({"rects": [[0, 0, True, 10]]}, "four numbers"),
        ({"rects": [RECTS[0]] * 201}, "at most 200"),
        ({"rects": "all"}, "at most 200"),
        ({"quote": {"exact": "something else entirely"}}, "not on page 3"),
        ({"quote": {"exact": " "}}, "quotes nothing"),
        ({"quote": "cactus"}, "quotes nothing"),
        ({"quote": {"exact": "cactus " * 300}}, "more than 2000"),
    ],
)
def test_what_is_no_place_on_the_page_is_refused_with_its_reason(changes, reason):
    with pytest.raises(ValueError, match=reason):
        checked_anchor(anchor(**changes), PAGE)


@pytest.fixture
def on_pdf(drafted: Campaign, coordinator, algebraist) -> Assignment:
    told = paper(PARAGRAPH, f"A cactus network. {PARAGRAPH}")
    for output in Output.objects.filter(run__release=drafted.release):
        attach(actor=None, subject=output, name="proof.pdf", data=told)
    draw_items(actor=coordinator, campaign=drafted)
    return take_next(reviewer=algebraist, campaign=open_campaign(actor=coordinator, campaign=drafted))


def said(block="file1-page2", **changes):
    comment = {"block": block, "start": 0, "end": 0, "severity": "minor", "kind": "", "text": "Which?"}
    return COMPLETE | {"anchored": [comment | {"anchor": anchor(page=2) | changes}]}


def graded(place: Assignment, content):
    campaign = place.item.campaign
    return submit_grade(
        reviewer=place.reviewer,
        assignment=place,
        content=content,
        idempotency_key="k",
        rubric_sha256=campaign.rubric.sha256,
    )


@pytest.mark.slow
@pytest.mark.django_db
def test_a_comment_on_a_page_is_stored_sealed_and_told_to_its_author(on_pdf):
    graded(on_pdf, said())
    row = Comment.objects.get()
    assert (row.block, quote_of(row.anchor), row.end - row.start) == ("file1-page2", "cactus network", 14)
    assert (
        row.anchor["document"]["sha256"]
        == Attachment.objects.filter(output=on_pdf.item.output).get().copy.sha256
    )
    (place,) = own_data(on_pdf.reviewer)["places"]
    assert place["grades"][0]["comments"][0]["anchor"] == row.anchor
    on_pdf.refresh_from_db()
    assert list(own_place(on_pdf)["grade"]["comments"]) == [row]
    seal()
    assert list(faults()) == []


@pytest.mark.django_db
def test_those_who_adjudicate_and_print_see_the_file_and_the_words(on_pdf, owner, client):
    graded(on_pdf, said())
    item = on_pdf.item
    (file,) = adjudication_page(item).files
    client.force_login(owner)
    assert client.get(file.address)["Content-Type"] == "application/pdf"
    who = viewer(signed_in=True, staff=True, informed=False, holds=False, released=False)
    Campaign.objects.filter(pk=item.campaign_id).update(phase="closed", closed_at=timezone.now())
    campaign = Campaign.objects.get(pk=item.campaign_id)
    printed = [
        one for batch in printed_items([campaign], who, identities=True) for one in batch if one.on_files
    ]
    (comment,) = printed[0].on_files
    assert (comment.place, comment.quote, comment.text) == ("PDF, page 2", "cactus network", "Which?")
    (row,) = comment_rows(campaign.release)
    assert (row["anchor"], row["block"], row["page"]) == ("pdf", "file1-page2", 2)
    assert (row["quote"], row["prefix"], row["suffix"]) == ("cactus network", "of a ", " is")
    assert row["rects"] == "[[10.0, 20.0, 30.12, 40.0]]"


@pytest.mark.django_db
def test_rest_names_the_files_of_an_item_and_nothing_of_their_origin(on_pdf):
    (file,) = own_place(on_pdf)["files"]
    assert (file.title, file.block, len(file.pages)) == ("PDF of the proof", "file1", 2)
    assert file.address == reverse("item-file", args=[on_pdf.handle, 1])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (said("file1-page3"), "its block is not in this document"),
        (said("file2-page2"), "its block is not in this document"),
        (said("problem-file1-page2"), "its block is not in this document"),
        (said(rects=[[0, 0, 9000, 10]]), "outside its page"),
    ],
)
def test_a_comment_that_is_on_no_page_of_the_item_is_refused(on_pdf, content, reason):
    with pytest.raises((Refused, Incomplete), match=reason):
        graded(on_pdf, content)
    assert not Comment.objects.exists()


@pytest.mark.django_db
def test_the_database_wants_the_anchor_that_fits_the_block(on_pdf):
    """comment_anchor_fits_its_block"""
    grade = graded(on_pdf, COMPLETE)
    row = {"grade": grade, "start": 0, "end": 0, "severity": "minor", "text": "x"}
    pdf, words, lost = ({"type": kind} for kind in ("pdf", "words", "lost"))
    refused = [
        ("file1-page2", None), ("file1-page2", words), ("file1-page2", {}), ("b1", pdf), ("b1", lost), ("b1", {}),
        ("", None), ("", pdf), ("", words), ("", []),
    ]  # fmt: skip
    for block, given in refused:
        with pytest.raises(IntegrityError, match="comment_anchor_fits_its_block"), transaction.atomic():
            Comment.objects.create(**row, block=block, anchor=given)
    for block, given in (("b1", None), ("b1", words), ("", lost), ("", {"type": "whole"})):
        Comment.objects.create(**row, block=block, anchor=given)


@pytest.mark.slow
@pytest.mark.django_db
def test_comments_on_pages_come_in_again_and_are_kept_where_the_page_is_gone(on_pdf, tmp_path):
    """Words, a region, and a page that the PDF does not have: out, into another campaign, and out again."""
    region = said(quote=None)["anchored"]
    graded(on_pdf, said() | {"anchored": [*said()["anchored"], *region]})
    release = on_pdf.item.output.run.release
    rows = [dict(row) for row in comment_rows(release, identities=True)]
    assert [(row["anchor"], row["page"], row["quote"]) for row in rows] == [
        ("pdf", 2, ""),
        ("pdf", 2, "cactus network"),
    ]
    gone = {**rows[0], "block": "file1-page7", "page": 7, "text": "Not there."}
    for name, found in {"labels": list(label_rows(release)), "comments": [*rows, gone]}.items():
        lines = (json.dumps({**row, "campaign": "again"}) for row in found)
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    files = {"path": tmp_path / "labels.jsonl", "comments": tmp_path / "comments.jsonl"}
    report = import_labels(actor=None, release=release, **files)
    assert [one.lost for one in report.comments] == [False, False, True]
    again = list(comment_rows(release, campaign="again", identities=True))
    assert [{**row, "campaign": on_pdf.item.campaign.slug} for row in again] == [
        *rows,
        {**gone, "anchor": "lost"},
    ]
    words, region, *again = [row.anchor for row in Comment.objects.order_by("pk")]
    assert again[:2] == [region, words], "imported in the order of the table"
    assert not import_labels(actor=None, release=release, **files).changed
