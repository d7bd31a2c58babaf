"""Marks of PDF readers become comments, and comments become marks."""

import io
import random
from typing import Any

import pikepdf
import pypdfium2 as pdfium
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.refusal import Refused
from annotation.core.item_names import item_name
from annotation.grading.file_anchors import FilePage, checked_anchor
from annotation.grading.file_marks import commented_pdf, in_words, placed_marks
from annotation.grading.remarks import Remark
from annotation.models import Comment
from benchmark.files.child import FoundMarks, Mark
from benchmark.files.process import cleaned, marks_in, with_marks
from benchmark.models import Attachment
from tests.annotation.test_file_anchors import graded, on_pdf, said
from tests.benchmark import hostile_pdfs
from tests.benchmark.pdfs import PARAGRAPH, paper

__all__ = ["on_pdf"]
BOX = (0.0, 0.0, 419.53, 595.28)


def numbered(chance: random.Random) -> str:
    """A page on which nearly every word is another one."""
    return " ".join(f"{chance.choice(PARAGRAPH.split())}{number}" for number in range(120))


def lines_of(data: bytes) -> list[tuple[int, tuple[float, float, float, float]]]:
    """Page and rectangle of every line of the text."""
    found = []
    for number, page in enumerate(pdfium.PdfDocument(data), 1):
        text = page.get_textpage()
        found += [(number, text.get_rect(place)) for place in range(text.count_rects())]
    return found


@pytest.mark.slow
def test_four_hundred_comments_are_written_and_read_again() -> None:
    """On words of one line or several and on regions, with every severity, over all kinds of characters."""
    chance = random.Random(11)
    copy = cleaned(paper(*(numbered(chance) for _ in range(20))))
    pages = {
        f"file1-page{number}": FilePage(number, words, BOX, 20, "s")
        for number, words in enumerate(copy.words, 1)
    }
    lines = lines_of(copy.data)
    sent: list[dict[str, Any]] = []
    for number in range(400):
        at = chance.randrange(len(lines) - 3)
        page = lines[at][0]
        rects = [
            [round(side, 2) for side in rect]
            for where, rect in lines[at : at + 1 + number % 3]
            if where == page
        ]
        text = pdfium.PdfDocument(copy.data)[page - 1].get_textpage()
        quote = " ".join(
            text.get_text_bounded(*(rect[0], rect[1] + 1, rect[2], rect[3] - 1)) for rect in rects
        )
        on_words = number % 4 > 0
        severity = ("fatal", "major", "minor", "typo", "highlight")[number % 5]
        sent.append(
            {
                "block": f"file1-page{page}",
                "severity": severity,
                "kind": ("", "gap", "wrong_step", "missing_hypothesis")[number % 4]
                if severity != "highlight"
                else "",
                "text": "" if severity == "highlight" else f"No. {number} (why?) \\int ∑ «é» 𝔸\nsecond line",
                "rects": rects if on_words else rects[:1],
                "quote": quote if on_words else "",
            }
        )
    remarks = []
    for one in sent:
        quote = {"exact": one["quote"], "prefix": "", "suffix": ""} if one["quote"] else None
        page = pages[one["block"]]
        anchor, _, _ = checked_anchor({"page": page.number, "quote": quote, "rects": one["rects"]}, page)
        row = Comment(text=one["text"], severity=one["severity"], kind=one["kind"], anchor=anchor)
        remarks.append(Remark(one["block"], row, "B"))
    marked = commented_pdf(copy.data, "file1", remarks)
    assert commented_pdf(copy.data, "file1", remarks) == marked
    found = placed_marks(marks_in(marked), pages)
    assert found.lost == ()
    read = [
        {
            "block": one["block"],
            "severity": one["severity"],
            "kind": one["kind"],
            "text": one["text"],
            "rects": one["anchor"]["rects"],
            "quote": (one["anchor"]["quote"] or {"exact": ""})["exact"],
        }
        for one in found.comments
    ]
    for one in (*sent, *read):
        one["quote"] = "".join(one["quote"].split())
    order = sorted(range(400), key=lambda number: int(sent[number]["block"].partition("page")[2]))
    assert len(read) == 400
    assert read == [sent[number] for number in order]


def annotated(*annotations: pikepdf.Dictionary, pages: int = 2) -> bytes:
    """A paper with annotations on its second page; those that answer another one name its place in the list."""
    pdf = pikepdf.open(
        io.BytesIO(paper(*["The first page. " + PARAGRAPH, "A cactus network. " + PARAGRAPH][:pages]))
    )
    made = [pdf.make_indirect(one) for one in annotations]
    for one in made:
        if "/IRT" in one:
            one.IRT = made[int(one.IRT)]
    pdf.pages[-1].obj.Annots = pikepdf.Array(made)
    target = io.BytesIO()
    pdf.save(target)
    return target.getvalue()


def annotation(subtype: str, rect: Any = (40, 40, 90, 60), **entries: Any) -> pikepdf.Dictionary:
    made = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name(f"/{subtype}"), Rect=pikepdf.Array(list(rect))
    )
    for key, value in entries.items():
        made[f"/{key}"] = value
    return made


def on_cactus(clockwise: bool = False, **entries: Any) -> pikepdf.Dictionary:
    """A highlight of "cactus", with its corners in one of the two orders in which readers write them."""
    page = pdfium.PdfDocument(paper("The first page. " + PARAGRAPH, "A cactus network. " + PARAGRAPH))[1]
    text = page.get_textpage()
    at = text.get_text_range().index("cactus")
    first, last = text.get_charbox(at), text.get_charbox(at + 5)
    left, bottom, right, top = first[0], min(first[1], last[1]), last[2], max(first[3], last[3])
    acrobat = [left, top, right, top, left, bottom, right, bottom]
    standard = [left, bottom, right, bottom, right, top, left, top]
    return annotation("Highlight", QuadPoints=pikepdf.Array(standard if clockwise else acrobat), **entries)


@pytest.mark.parametrize("clockwise", [False, True])
def test_a_highlight_has_its_words_whatever_the_order_of_its_corners(clockwise: bool) -> None:
    (mark,) = marks_in(annotated(on_cactus(clockwise, Contents="Which?", T="Prof. Referee"))).marks
    assert (mark.page, mark.quote, mark.text, mark.on_words, mark.author) == (2, "cactus", "Which?", True, "")
    assert mark.prefix.endswith("A ")
    assert mark.suffix.startswith(" network")


def test_what_a_mark_says_is_read_from_wherever_its_reader_wrote_it() -> None:
    rich = '<?xml version="1.0"?><body xmlns="http://www.w3.org/1999/xhtml"><p>First &amp; more</p><p>Second</p></body>'
    found = marks_in(
        annotated(
            on_cactus(),  # Preview and Firefox: without a word
            on_cactus(RC=rich),
            on_cactus(Contents="one\r\ntwo\rthree"),
            annotation("FreeText", Contents="Typed on the page"),
            annotation("Ink"),
            annotation("Text", Contents="A note"),
        )
    )
    assert [mark.text for mark in found.marks] == [
        "", "First & more\nSecond", "one\ntwo\nthree", "Typed on the page", "", "A note",
    ]  # fmt: skip
    assert [mark.on_words for mark in found.marks] == [True, True, True, False, False, False]


def test_answers_belong_to_what_they_answer_and_popups_stamps_and_hidden_ones_are_none() -> None:
    found = marks_in(
        annotated(
            on_cactus(Contents="Wrong."),
            annotation("Text", Contents="No, it is right.", IRT=0),
            annotation("Text", Contents="Accepted", IRT=0, StateModel="Review", State="Accepted"),
            annotation("Popup", Contents="Wrong."),
            annotation("Stamp", Contents="Draft"),
            annotation("Text", Contents="secret", F=2),
            annotation("Link"),
            annotation("Square", rect=(9000, 9000, 9100, 9100), Contents="outside"),
        )
    )
    assert [mark.text for mark in found.marks] == ["Wrong.\n\nNo, it is right."]
    assert found.unusable == 1


def test_names_of_referees_never_leave_the_child() -> None:
    found = marks_in(annotated(on_cactus(Contents="Which?", T="Zq Referee")))
    assert "Zq" not in repr(found)


PAGES = {
    f"file1-page{number}": FilePage(number, words, BOX, 3, "s")
    for number, words in enumerate(
        ("alpha beta gamma delta", "a cactus network is here", "last page of all"), 1
    )
}
RECT = (10.0, 20.0, 30.0, 40.0)


def test_marks_of_another_version_are_placed_by_their_words_and_the_rest_is_reported() -> None:
    words = ["an introduction that is new", *[page.words for page in PAGES.values()]]
    marks = [
        Mark(3, (RECT,), True, "moved by a page", quote="cactus\nnetwork"),
        Mark(4, (RECT,), False, "a region of a page that moved"),
        Mark(1, (RECT,), True, "quoted elsewhere", quote="last page of"),
        Mark(1, (RECT,), True, "gone", quote="an introduction"),
        Mark(1, (RECT,), False, "a region of a page that is gone"),
    ]
    placed = placed_marks(FoundMarks(words, marks), PAGES)
    assert [(one["block"], one["text"]) for one in placed.comments] == [
        ("file1-page2", "moved by a page"),
        ("file1-page3", "a region of a page that moved"),
        ("file1-page3", "quoted elsewhere"),
    ]
    assert tuple(map(in_words, placed.lost)) == (
        "Page 1 on “an introduction”: gone",
        "Page 1: a region of a page that is gone",
    )


def test_a_mark_without_words_is_a_highlight_and_one_with_words_minor() -> None:
    words = [page.words for page in PAGES.values()]
    marks = [
        Mark(2, (RECT,), True, "", quote="cactus"),
        Mark(2, (RECT,), True, "why", quote="cactus"),
        Mark(2, (RECT,), True, "no", subject="Fatal, wrong step", quote="cactus"),
        Mark(2, (RECT,), True, "no", subject="Highlight", quote="cactus"),
        Mark(2, (RECT,), True, "no", subject="fatal, nonsense", quote="cactus"),
    ]
    placed = placed_marks(FoundMarks(words, marks), PAGES)
    assert [(one["severity"], one["kind"]) for one in placed.comments] == [
        ("highlight", ""), ("minor", ""), ("fatal", "wrong_step"), ("minor", ""), ("fatal", ""),
    ]  # fmt: skip


@pytest.mark.slow
def test_hostile_files_are_refused_when_marks_are_read() -> None:
    many = annotated(*(annotation("Text", Contents="x") for _ in range(2_001)))
    for data in (b"no PDF", many, *(data for _, data in list(hostile_pdfs.refused())[:4])):
        with pytest.raises(Refused) as refusal:
            marks_in(data)
        assert refusal.value.code == "bad_file"
    odd = annotated(annotation("Highlight", QuadPoints=pikepdf.Array([1, 2, 3]), Contents=7, RC=5))
    assert [mark.text for mark in marks_in(odd).marks] == ["5"]


# --- on pages


@pytest.mark.slow
@pytest.mark.django_db
def test_a_reviewer_saves_marks_elsewhere_and_gets_them_as_comments(
    on_pdf, client, second_algebraist
) -> None:
    copy = bytes(Attachment.objects.filter(output=on_pdf.item.output).get().copy.data)
    marked = with_marks(copy, [Mark(2, ((50, 500, 120, 520),), False, "Why?", author="Me")])
    address = reverse("item-file-marks", args=[on_pdf.handle, 1])
    client.force_login(on_pdf.reviewer)
    reply = client.post(address, {"file": SimpleUploadedFile("x.pdf", marked)})
    assert reply.status_code == 200
    (comment,) = reply.json()["comments"]
    assert (comment["block"], comment["text"], comment["severity"]) == ("file1-page2", "Why?", "minor")
    graded(on_pdf, said() | {"anchored": [comment]})
    assert Comment.objects.get().text == "Why?"
    locked = client.post(address, {"file": SimpleUploadedFile("x.pdf", marked)})
    assert (locked.status_code, locked.json()["detail"]) == (409, "This item cannot be changed any more.")
    client.force_login(second_algebraist)
    assert client.post(address, {"file": SimpleUploadedFile("x.pdf", marked)}).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("sent", [None, b"", b"GIF89a"])
def test_what_is_no_pdf_is_refused_in_words(on_pdf, client, sent) -> None:
    client.force_login(on_pdf.reviewer)
    file = {} if sent is None else {"file": SimpleUploadedFile("x.pdf", sent)}
    reply = client.post(reverse("item-file-marks", args=[on_pdf.handle, 1]), file)
    assert reply.status_code == 400
    assert reply.json()["detail"].endswith(".")


@pytest.mark.slow
@pytest.mark.django_db
def test_comments_are_saved_in_the_pdf_by_letters_and_by_staff_alone(on_pdf, client, coordinator) -> None:
    on_pdf.reviewer.name = "Zq Referee"
    on_pdf.reviewer.save()
    graded(on_pdf, said())
    item = on_pdf.item
    address = reverse("adjudicate-file-commented", args=[item.campaign.slug, item_name(item.pk), 1])
    client.force_login(coordinator)
    reply = client.get(address)
    assert reply["Content-Disposition"] == 'attachment; filename="document-with-comments.pdf"'
    with pikepdf.open(io.BytesIO(reply.content)) as pdf:
        (mark,) = pdf.pages[1].obj.Annots
        assert (str(mark.T), str(mark.Contents), str(mark.Subtype)) == ("Reviewer A", "Which?", "/Highlight")
    assert b"Zq" not in reply.content
    page = client.get(reverse("adjudicate", args=[item.campaign.slug, item_name(item.pk)]))
    assert address in page.content.decode()
    assert client.get(address.replace("files/1/", "files/2/")).status_code == 404
    # the file itself is not named by its row, whose number tells when it was attached
    bare = reverse("adjudicate-file", args=[item.campaign.slug, item_name(item.pk), 1])
    assert bare in page.content.decode()
    assert f"/releases/{item.campaign.release.name}/files/" not in page.content.decode()
    assert client.get(bare).content.startswith(b"%PDF")
    assert client.get(bare.replace("files/1/", "files/2/")).status_code == 404
    client.force_login(on_pdf.reviewer)
    assert client.get(address).status_code in (403, 404)
    own = client.get(reverse("item-file-commented", args=[on_pdf.handle, 1]))
    with pikepdf.open(io.BytesIO(own.content)) as pdf:
        (mark,) = pdf.pages[1].obj.Annots
        assert (str(mark.Contents), "/T" in mark) == ("Which?", False)
