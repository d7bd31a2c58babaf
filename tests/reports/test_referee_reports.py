"""Referee reports and tables of labels with comments, imported in the browser and exported again."""

import csv
import html
import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pypdfium2 as pdfium
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts.models import User
from annotation.core.item_names import item_name
from annotation.core.visibility import viewer
from annotation.models import Campaign, Comment, Grade, Item
from benchmark.importing.uploading import work_imports
from benchmark.models import IdentityScan, ImportState, ImportUpload, Output, Release
from reports.history.chain import faults, seal
from reports.printing.items import printed_items
from reports.referees.views import EXAMPLES
from tests.benchmark.pdfs import PARAGRAPH, paper
from tests.reports.refereed import Made, hundred

pytestmark = pytest.mark.django_db
NAME = "referee-reports"


def archive(files: dict[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as target:
        for name, text in files.items():
            target.writestr(name, text)
    return packed.getvalue()


@pytest.fixture
def client(owner) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def send(
    client: Client, release: Release, name: str, data: bytes, comments: bytes | None = None
) -> ImportUpload:
    """Upload what people have; a worker checks it."""
    fields = {"file": SimpleUploadedFile(name, data), "release": release.name, "campaign": NAME}
    if comments is not None:
        fields["comments"] = SimpleUploadedFile("comments.csv", comments)
    answer = client.post(reverse("import-labels"), fields)
    assert answer.status_code == 302, answer.content.decode()
    work_imports()
    return ImportUpload.objects.get(handle=answer.url.rstrip("/").rpartition("/")[2])


def apply(client: Client, upload: ImportUpload) -> ImportUpload:
    assert upload.state == ImportState.CHECKED, (upload.refusal, upload.faults[:5])
    client.post(reverse("import-apply", args=[upload.handle]))
    work_imports()
    upload.refresh_from_db()
    assert upload.state == ImportState.APPLIED, upload.refusal
    return upload


def exported(client: Client, release: Release, table: str) -> bytes:
    address = reverse(f"{table}-csv", args=[release.name])
    answer = client.get(f"{address}?identities=1&campaign={NAME}")
    return b"".join(answer.streaming_content)


def rows_of(data: bytes) -> list[dict[str, str]]:
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    return [{name: _unquoted(cell) for name, cell in row.items()} for row in rows]


def _unquoted(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in "=+-@\t\r\n'" else cell


def said(one: Made | dict[str, str]) -> tuple[str, ...]:
    """What a comment says, whatever breaks its lines."""
    get = one.get if isinstance(one, dict) else vars(one).get
    about = get("anchor") if isinstance(one, dict) else get("about")
    words = [
        " ".join(str(get(name)).split()) for name in ("subject", "rater", "severity", "kind", "text", "quote")
    ]
    return about, *words, get("block"), str(get("start"))


@pytest.mark.slow
def test_a_hundred_reports_with_four_hundred_comments_come_out_as_they_went_in(proofs, client):
    files, made = hundred(proofs)
    assert (len(files), len(made)) == (100, 400)
    assert Counter(name.rpartition(".")[2] for name in files) == {"tex": 50, "md": 50}
    before = transaction.savepoint()
    checked = send(client, proofs, "reports.zip", archive(files))
    assert not Campaign.objects.filter(slug=NAME).exists(), "a dry run stores nothing"
    report = checked.report
    lost = sum(one.about == "lost" for one in made)
    assert (report["reports"], report["comments"], report["raters"]) == (100, 400, 5)
    assert (report["expert_labels"], report["lost_count"], report["unsure_count"]) == (300, lost, 0)
    apply(client, checked)
    labels, comments = (exported(client, proofs, table) for table in ("labels", "comments"))
    assert sorted(map(said, rows_of(comments))) == sorted(map(said, made))
    answers = Counter((row["question"], row["value"], row["state"]) for row in rows_of(labels))
    assert answers == {
        ("correctness", "incorrect", "answered"): 100,
        ("logic", "2", "answered"): 100,
        ("clarity", "", "abstain"): 100,
    }
    assert Counter(row["rater"] for row in rows_of(labels)) == {row.rater: 60 for row in made}
    again = send(client, proofs, "reports.zip", archive(files))
    assert not apply(client, again).report["changed"]
    transaction.savepoint_rollback(before)  # as another site, which has the texts only
    assert not Grade.objects.filter(assignment__item__campaign__slug=NAME).exists()
    apply(client, send(client, proofs, "labels.csv", labels, comments))
    assert exported(client, proofs, "labels") == labels
    assert exported(client, proofs, "comments") == comments


MARKDOWN = (EXAMPLES / "report.md").read_text("utf-8")
LATEX = (EXAMPLES / "report.tex").read_text("utf-8")


def test_the_examples_of_the_format_page_are_imported_as_they_are(proofs, client):
    page = client.get(reverse("report-format")).content.decode()
    assert escape(MARKDOWN) in page
    assert escape(LATEX) in page
    document = (Path(__file__).parents[2] / "docs" / "referee-reports.md").read_text("utf-8")
    assert f"```markdown\n{MARKDOWN}```" in document
    assert f"```latex\n{LATEX}```" in document
    files = {path.name: path.read_bytes() for path in EXAMPLES.iterdir()}
    apply(client, send(client, proofs, "examples.zip", archive(files)))
    found = rows_of(exported(client, proofs, "comments"))
    assert [row["anchor"] for row in found] == ["block", "block", "block", "whole"] * 2
    assert [row["severity"] for row in found] == [
        "highlight", "fatal", "typo", "minor", "typo", "major", "minor", "minor",
    ]  # fmt: skip
    omega = found[0]
    assert (omega["quote"], omega["prefix"][-7:]) == ("$\\Omega$", " Since "), (
        "the first of several is not meant"
    )
    assert (found[6]["quote"], found[6]["start"]) == ("", found[6]["end"]), "a place between words"
    first = next(row for row in rows_of(exported(client, proofs, "labels")) if row["comment"])
    assert first["comment"].startswith("The strategy is right")
    assert first["created_at"] == "2026-11-02T00:00:00+00:00"


def test_what_is_not_in_the_text_is_said_on_the_page_in_print_and_in_the_export(proofs, client):
    text = MARKDOWN.replace("unless its gradient is large", "unless a miracle happens <b>")
    upload = send(client, proofs, "report.md", text.encode())
    page = client.get(reverse("import", args=[upload.handle])).content.decode()
    assert "2 comments are on passages that are not in the text" in page
    assert "unless a miracle happens &lt;b&gt;" in page
    apply(client, upload)
    found = [row for row in rows_of(exported(client, proofs, "comments")) if row["anchor"] == "lost"]
    assert [row["quote"].split()[-2:] for row in found] == [["happens", "<b>"]] * 2
    item = Item.objects.get(campaign__slug=NAME)
    shown = client.get(reverse("adjudicate", args=[NAME, item_name(item.pk)])).content.decode()
    assert "passage not found in the text: <q>a function which vanishes" in shown
    assert "on the text as a whole" in shown
    assert "miracle happens <b>" not in shown
    campaign = Campaign.objects.get(slug=NAME)
    who = viewer(signed_in=True, staff=True, informed=False, holds=False, released=False)
    ((printed,),) = printed_items([campaign], who, identities=True)
    assert [comment.quote.split()[-1] for comment in printed.lost] == ["<b>", "<b>"]
    assert [comment.kind for comment in printed.general] == ["Presentation"]


LABEL = "release,campaign,question,subject,rater,rater_kind,value\n"
COMMENT = "campaign,subject,rater,block,start,end,quote,severity,kind,text\n"
ABOUT = "sample-proof-02/basalt/1,Ann"
OTHER = "sample-proof-02/basalt/1,Bob"
ONE = f"{LABEL},fresh,clarity,{ABOUT},expert,3\n".encode()


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"a.md": MARKDOWN.encode("utf-16")}, ("a.md", 1, "not UTF-8")),
        ({"a.md": MARKDOWN.replace("asserted", "claimé").encode("latin-1")}, ("a.md", 15, "not UTF-8")),
        ({"a.tex": LATEX + "\0"}, ("a.tex", 0, "NUL")),
        ({"a.md": "# A report without a head"}, ("a.md", 1, "head between two lines")),
        ({"a.md": MARKDOWN.replace("referee:", "rafaree:")}, ("a.md", 4, "the head has only")),
        ({"a.md": MARKDOWN.replace("referee: Referee 3", "")}, ("a.md", 12, "does not say referee")),
        ({"a.md": MARKDOWN.replace("basalt", "granite")}, ("a.md", 7, "has no output")),
        ({"a.md": MARKDOWN.replace("sample-proof-02", "p99")}, ("a.md", 7, "has no output")),
        ({"a.md": MARKDOWN.replace("logic: 2", "logic: 9")}, ("a.md", 8, "9")),
        ({"a.md": MARKDOWN.replace("logic: 2", "luck: 2")}, ("a.md", 8, "luck")),
        ({"a.md": MARKDOWN.replace("2026-11-02", "last week")}, ("a.md", 1, "is not a date")),
        ({"a.md": MARKDOWN.replace("[highlight]", "")}, ("a.md", 25, "a quote without a comment")),
        ({"a.md": MARKDOWN + "\n> at the end\n"}, ("a.md", 35, "a quote without a comment")),
        ({"a.md": MARKDOWN + "\n[major]\n"}, ("a.md", 35, "a comment without words")),
        ({"a.md": MARKDOWN.replace(">> $\\Omega$", ">> ")}, ("a.md", 25, "a quote without words")),
        ({"a.md": MARKDOWN, "b.md": MARKDOWN.replace("logic: 2", "logic: 3")}, ("b.md", 8, "already in line 8 of a")),
        ({"a.tex": LATEX.replace("{bound}", "{bound")}, ("a.tex", 24, "lacks an argument")),
        ({"a.tex": LATEX.replace("[typo]", "[typpo]")}, ("a.tex", 24, "not a severity and kind")),
        ({"a.tex": LATEX.replace("{bound}", "{ }")}, ("a.tex", 24, "says nothing")),
        ({"a.tex": LATEX + "\\referee{" * 50}, ("a.tex", 30, "lacks an argument")),
        ({"a.tex": LATEX + "\\referee{" * 50 + "}{x}" * 50}, ("a.tex", 30, "more than 20 marks")),
        ({"a.odt": b"PK"}, ("a.odt", 0, "is neither a table")),
        ({"a.pdf": b"%PDF-1.7"}, ("a.pdf", 0, "there is no report of the same name")),
        ({"a.md": MARKDOWN, "a.pdf": b"%PDF-1.7"}, ("a.pdf", 0, "The file is broken")),
        ({"a.md": MARKDOWN, "a.pdf": paper("Words.")}, ("a.pdf", 0, "has no PDF here")),
        ({"c.csv": COMMENT}, ("c.csv", 0, "")),
        ({"l.csv": ONE, "c.csv": f"{COMMENT}fresh,{OTHER},b1,0,1,,minor,,Why?\n"}, ("c.csv", 2, "no label of Bob")),
        ({"l.csv": ONE, "c.csv": f"{COMMENT}old,{ABOUT},b1,0,1,,minor,,Why?\n"}, ("c.csv", 2, "in old")),
        ({"l.csv": ONE, "c.csv": f"{COMMENT}fresh,{ABOUT},b1,9,1,,minor,,Why?\n"}, ("c.csv", 2, "before the start")),
        ({"l.csv": ONE, "c.csv": f"{COMMENT}fresh,{ABOUT},b1,0,1,,minor,,\n"}, ("c.csv", 2, "is empty")),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_file_and_line(proofs, client, files, wanted):
    upload = send(client, proofs, "sent.zip", archive(files))
    assert (upload.state, upload.report) == (ImportState.REFUSED, {})
    if wanted[2]:
        assert (upload.faults[0]["file"], upload.faults[0]["line"]) == wanted[:2]
        assert wanted[2] in upload.faults[0]["reason"]
        assert wanted[2] in html.unescape(
            client.get(reverse("import", args=[upload.handle])).content.decode()
        )
    assert not Campaign.objects.filter(slug__in=(NAME, "fresh")).exists()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (f"fresh,{ABOUT},b1,0,1,,cosmic,,Why?", "line 2, column severity"),
        (f"fresh,{ABOUT},b1,0,1,,minor,rudeness,Why?", "line 2, column kind"),
        (f"fresh,{ABOUT},b1,-1,1,,minor,,Why?", "line 2, column start"),
        (f"fresh,{ABOUT},b1,0,99999999999,,minor,,Why?", "line 2, column end"),
        (f"fresh,{ABOUT},b1,0,1,{'x' * 100_001},minor,,Why?", "line 2, column quote"),
        (f"fresh,{ABOUT},b1,0,1,minor,,Why?", "has 9 cells"),
    ],
)
def test_a_cell_that_is_none_is_refused_with_line_and_column(proofs, client, row, words):
    upload = send(client, proofs, "labels.csv", ONE, f"{COMMENT}{row}\n".encode())
    assert upload.state == ImportState.REFUSED
    assert words in upload.refusal + str(upload.faults)


def test_too_many_comments_are_refused_and_long_quotes_are_kept(proofs, client, monkeypatch):
    monkeypatch.setattr("reports.labels.comment_reading.MOST_COMMENTS", 3)
    row = f"fresh,{ABOUT},,,,{'long words ' * 9_000},minor,,Why?\n"
    refused = send(client, proofs, "labels.csv", ONE, f"{COMMENT}{row * 4}".encode())
    assert [(one["line"], one["reason"]) for one in refused.faults] == [
        (5, "more than 3 comments; import them in parts")
    ]
    checked = send(client, proofs, "labels.csv", ONE, f"{COMMENT}{row * 3}".encode())
    assert (checked.state, checked.report["lost_count"]) == (ImportState.CHECKED, 3)


def test_a_campaign_that_is_there_takes_no_other_comments(proofs, client):
    apply(client, send(client, proofs, "a.md", MARKDOWN.encode()))
    other = send(client, proofs, "a.md", MARKDOWN.replace("in words", "in other words").encode())
    assert (other.state, "holds other comments of Referee 3" in other.refusal) == (ImportState.REFUSED, True)
    fewer = send(client, proofs, "a.md", MARKDOWN.split("[typo]")[0].encode())
    assert "holds other comments" in fewer.refusal
    labels = exported(client, proofs, "labels")
    assert not apply(client, send(client, proofs, "labels.csv", labels)).report["changed"], "without comments"
    assert Comment.objects.filter(grade__assignment__item__campaign__slug=NAME).count() == 4


def test_a_text_that_may_reveal_its_author_is_named_before_its_labels_are_imported(proofs, client):
    """Nobody can redact it afterwards."""
    output = Output.objects.get(instance__key="sample-proof-02", run__system__slug="basalt")
    IdentityScan.objects.update_or_create(output=output, defaults={"version": 1, "certain": 1})
    checked = send(client, proofs, "a.md", MARKDOWN.encode())
    page = client.get(reverse("import", args=[checked.handle])).content.decode()
    assert "1 of the texts may reveal who wrote it" in page
    assert "once they are imported, it can no longer be redacted" in page
    assert apply(client, checked).report["undecided"] == 1
    again = send(client, proofs, "a.md", MARKDOWN.encode())
    assert again.report["undecided"] == 0, "they are there already"


def test_two_imports_of_one_file_store_it_once(proofs, client):
    one, two = (send(client, proofs, "a.md", MARKDOWN.encode()) for _ in range(2))
    assert apply(client, one).report["changed"]
    assert not apply(client, two).report["changed"]
    assert Grade.objects.filter(assignment__item__campaign__slug=NAME).count() == 1


def test_a_fault_between_labels_and_comments_leaves_nothing(proofs, client, monkeypatch):
    checked = send(client, proofs, "a.md", MARKDOWN.encode())
    monkeypatch.setattr(
        "annotation.importing.grades.Comment.objects.bulk_create",
        Mock(side_effect=DatabaseError("disk is full")),
    )
    client.post(reverse("import-apply", args=[checked.handle]))
    work_imports()
    checked.refresh_from_db()
    assert "The database refused it: disk is full" in checked.refusal
    assert not Campaign.objects.filter(slug=NAME).exists()
    assert not User.objects.filter(rater="Referee 3").exists()


def test_comments_are_sealed_with_their_grades(proofs, client):
    apply(client, send(client, proofs, "a.md", MARKDOWN.encode()))
    seal()
    assert list(faults()) == []


def test_the_command_takes_both_tables(proofs, client, tmp_path, capsys):
    before = transaction.savepoint()
    apply(client, send(client, proofs, "a.md", MARKDOWN.encode()))
    tables = {name: exported(client, proofs, name) for name in ("labels", "comments")}
    transaction.savepoint_rollback(before)
    for name, content in tables.items():
        (tmp_path / f"{name}.csv").write_bytes(content)
    files = str(tmp_path / "labels.csv"), "--comments", str(tmp_path / "comments.csv")
    call_command("import_labels", *files, "--release", proofs.name, "--json")
    said = json.loads(capsys.readouterr().out)
    assert (said["comments"], said["comments_without_their_place"], said["new_comments"]) == (4, 0, 4)
    assert exported(client, proofs, "comments") == tables["comments"]


def test_rest_takes_reports(proofs, client):
    sent = {"kind": "labels", "release": proofs.name, "file": SimpleUploadedFile("a.md", MARKDOWN.encode())}
    handle = client.post("/api/v1/imports/", sent).json()["handle"]
    work_imports()
    found = client.get(f"/api/v1/imports/{handle}/").json()
    assert (found["state"], found["report"]["comments"]) == ("checked", 4)


def words_at(data: bytes, page: int, words: str) -> tuple[float, float, float, float]:
    """The rectangle of words that are on one line."""
    text = pdfium.PdfDocument(data)[page].get_textpage()
    start, length = text.search(words).get_next()
    assert text.count_rects(start, length) == 1
    return text.get_rect(0)


def test_reviewers_do_not_reach_the_pages(client, algebraist):
    client.force_login(algebraist)
    for name in ("import-labels", "report-format"):
        assert client.get(reverse(name)).status_code in (403, 404)


@pytest.mark.django_db
def test_a_marked_pdf_of_what_is_no_output_is_a_fault_with_its_file(proofs, client):
    """`a||b` names no output, and a number that no float holds is not a place on a page."""
    answers = "answers:\n  correctness: incorrect\n---\n\nSummary.\n"
    head = f"---\nproblem: sample-proof-02\nsubmission: a||b\nreferee: Referee 3\n{answers}"
    folder = archive({"r.md": head, "r.pdf": paper(PARAGRAPH)})
    form = {"file": SimpleUploadedFile("reports.zip", folder), "release": proofs.name, "campaign": NAME}
    address = client.post(reverse("import-labels"), form).url
    work_imports()
    shown = client.get(address).content.decode()
    assert "does not name one system or two" in shown
    rectangle = "[[" + "9" * 400 + ",0,0,0]]"
    subject = "sample-proof-02/basalt/1,Referee 9"
    labels = (
        f"campaign,subject,rater,rater_kind,question,value\n{NAME},{subject},expert,correctness,incorrect\n"
    )
    comments = f'campaign,subject,rater,text,anchor,page,rects\n{NAME},{subject},Look,pdf,1,"{rectangle}"\n'
    form = {
        "file": SimpleUploadedFile("labels.csv", labels.encode()),
        "comments": SimpleUploadedFile("comments.csv", comments.encode()),
        "release": proofs.name,
        "campaign": NAME,
    }
    address = client.post(reverse("import-labels"), form).url
    work_imports()
    shown = client.get(address).content.decode()
    assert "rects" in shown
    assert "fault of the site" not in shown
