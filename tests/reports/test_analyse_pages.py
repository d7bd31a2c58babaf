"""Analysing one's own label file on a page: the answer of the command, privacy, hostile files."""

import io
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reports.analysing import uploads
from reports.models import LabelUpload

pytestmark = pytest.mark.django_db
SAMPLE = Path(__file__).parents[2] / "sample" / "re2math"
FOREIGN = "Item,Annotator,Label,colour\n" + "".join(
    f"s{n},{who},{'yes' if n % 3 else 'no'},red\n" for n in range(12) for who in ("anna", "ben")
)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    settings.UPLOAD_DIR.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = str(settings.UPLOAD_DIR)
    return settings.UPLOAD_DIR


@pytest.fixture
def anybody(client, stranger):
    client.force_login(stranger)
    return client


def send(client, content, name="labels.csv"):
    data = content.encode() if isinstance(content, str) else content
    return client.post(reverse("analyse"), {"file": SimpleUploadedFile(name, data)})


def sent(client, content, name="labels.csv"):
    """The upload, after its page was reached."""
    reply = send(client, content, name)
    assert reply.status_code == 302, reply.context["refusal"]
    return LabelUpload.objects.get(handle=reply.url.rstrip("/").rsplit("/", 1)[1])


def page(upload):
    return reverse("analyse-file", args=[upload.handle])


def ask(client, upload, **given):
    """Post the form as the page prefills it."""
    form = client.get(page(upload)).context["form"]
    prefilled = {name: form[name].value() for name in form.fields}
    fields = {name: "" if value is None else value for name, value in prefilled.items()}
    return client.post(page(upload), fields | given)


def command(*arguments):
    out = io.StringIO()
    call_command("analyse", *arguments, stdout=out)
    return out.getvalue()


def test_a_file_with_other_columns_is_mapped_by_a_guess_and_answered(anybody):
    upload = sent(anybody, FOREIGN)
    form = anybody.get(page(upload)).context["form"]
    assert [column.field.value() for column in form.columns] == ["subject", "rater", "value", ""]
    reply = ask(anybody, upload)
    assert reply.status_code == 302
    text = anybody.get(page(upload)).content.decode()
    assert "Percent agreement" in text
    assert "12 items, 12 of them with two or more raters" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("analysis", "options"),
    [
        ("agreement", ["--rater-kind", "expert"]),
        ("audit", ["--positive", "yes"]),
        ("corrected", ["--positive", "yes", "--question", "ground"]),
    ],
)
def test_the_downloads_are_what_the_command_prints(anybody, tmp_path, analysis, options):
    head, *judge = (SAMPLE / "labels-judge.csv").read_text().splitlines()
    experts = (SAMPLE / "labels-experts.csv").read_text().splitlines()
    assert experts[0] == head
    content = "\n".join([head, *judge, *experts[1:]]) + "\n"
    path = tmp_path / "all.csv"
    path.write_text(content)
    upload = sent(anybody, content)
    fields = dict(zip([name[2:].replace("-", "_") for name in options[::2]], options[1::2], strict=True))
    assert ask(anybody, upload, analysis=analysis, **fields).status_code == 302
    upload.refresh_from_db()
    assert upload.state == "done", upload.refusal
    for name, extra in (("analyse-json", ["--json"]), ("analyse-text", [])):
        found = anybody.get(reverse(name, args=[upload.handle])).content.decode()
        assert found == command(analysis, str(path), *options, *extra)
    assert anybody.get(page(upload)).status_code == 200


def test_pairs_and_retrieval_have_pages_too(anybody):
    pairs = "subject,rater,system,value\n" + "".join(
        f"q{n},r,{pair},{'first' if n % 3 else 'tie'}\n"
        for n, pair in enumerate(["A|B", "B|C", "C|A", "B|A", "C|B", "A|C"] * 4)
    )
    upload = sent(anybody, pairs)
    ask(anybody, upload)
    text = anybody.get(page(upload)).content.decode()
    assert "Wins, strengths and ranks" in text
    assert "Wins, ties and losses" in text
    ranks = sent(anybody, '{"model": "A", "query": "q", "rank": 2}\n', "ranks.jsonl")
    ask(anybody, ranks)
    assert "MRR@k" in anybody.get(page(ranks)).content.decode()


FULL = "subject,rater,rater_kind,value,system,cluster\n" + "".join(
    f"s{n},{who},{kind},{(n + place) % 4},{'AB'[n % 2]},c{n // 3}\n"
    for n in range(24)
    for place, (who, kind) in enumerate(
        (("anna", "expert"), ("ben", "expert"), ("m", "judge"), ("k", "judge"))
    )
)


@pytest.mark.parametrize(
    ("analysis", "fields", "flags", "shown"),
    [
        ("agreement", {"order": "3, 1, 0, 2"}, ["--order", "3,1,0,2"], "Krippendorff’s alpha, ordinal"),
        ("agreement", {"exchangeable": "on"}, ["--exchangeable"], "raters not told apart"),
        (
            "difference",
            {"first": "expert", "second": "m, k"},
            ["--first", "expert", "--second", "m,k"],
            "First minus second",
        ),
        ("systems", {"positive": "2,3"}, ["--positive", "2,3"], "Unanimously"),
        ("audit", {"positive": "2,3", "by": "system"}, ["--positive", "2,3", "--by", "system"], "System A"),
        (
            "corrected",
            {"positive": "2,3", "by": "system"},
            ["--positive", "2,3", "--by", "system"],
            "System B",
        ),
        (
            "calibration",
            {"positive": "2,3", "score_range": "0,3"},
            ["--positive", "2,3", "--range", "0,3"],
            "A calibrated judge keeps to the diagonal",
        ),
    ],
)
def test_every_option_of_the_command_is_on_the_page(anybody, tmp_path, analysis, fields, flags, shown):
    path = tmp_path / "full.csv"
    path.write_text(FULL)
    upload = sent(anybody, FULL)
    assert ask(anybody, upload, analysis=analysis, **fields).status_code == 302
    upload.refresh_from_db()
    assert upload.state == "done", upload.refusal
    found = anybody.get(reverse("analyse-json", args=[upload.handle])).content.decode()
    assert found == command(analysis, str(path), *flags, "--json")
    page_of_answer = anybody.get(page(upload))
    assert shown in page_of_answer.content.decode()
    form, wanted = page_of_answer.context["form"], {"exchangeable": True, "score_range": "0.0, 3.0"}
    assert {name: form[name].value() for name in fields} == {
        name: wanted.get(name, value) for name, value in fields.items()
    }


def test_pairs_are_settled_by_either_rule_and_judged_by_gold(anybody, tmp_path):
    rows = [
        f"q{n},judge,m,{pair},{value}" for n in range(8) for pair, value in (("A|B", "first"), ("B|A", "tie"))
    ]
    rows += [f"q{n},expert,x,A|B,first" for n in range(8)]
    content = "\n".join(["subject,rater_kind,rater,system,value", *rows, ""])
    path = tmp_path / "pairs.csv"
    path.write_text(content)
    upload = sent(anybody, content)
    ask(anybody, upload, analysis="pairs", orders="net", rater_kind="judge")
    found = anybody.get(reverse("analyse-json", args=[upload.handle])).content.decode()
    assert found == command("pairs", str(path), "--orders", "net", "--rater-kind", "judge", "--json")
    assert "count by their net score" in anybody.get(page(upload)).content.decode()
    ask(anybody, upload, analysis="gold")
    assert "Judges against gold" in anybody.get(page(upload)).content.decode()


def test_cautions_come_with_what_to_do(anybody):
    upload = sent(anybody, "subject,rater,value\na,anna,yes\nb,anna,no\n")
    ask(anybody, upload)
    text = anybody.get(page(upload)).content.decode()
    assert "Agreement needs two raters; here is one." in text
    assert "let a second rater label" in text


def test_a_fault_in_the_file_is_named_by_line_and_column(anybody):
    upload = sent(anybody, "subject,rater,value,seconds\na,anna,yes,long\n")
    ask(anybody, upload)
    assert "line 2, column seconds: must be a number" in anybody.get(page(upload)).content.decode()


@pytest.mark.slow
def test_options_that_make_no_sense_are_explained_at_their_field(anybody):
    upload = sent(anybody, FOREIGN)
    reply = ask(anybody, upload, k="1,x", more="nonsense", confidence="2", score_range="0")
    assert reply.status_code == 400
    assert set(reply.context["form"].errors) == {"k", "more", "confidence", "score_range"}
    assert ask(anybody, upload, analysis="difference", first="x").status_code == 400
    assert ask(anybody, upload, analysis="audit", positive="").status_code == 400


def test_the_form_remembers_what_was_asked(anybody):
    upload = sent(anybody, FOREIGN)
    ask(anybody, upload, level="nominal", column_3="comment")
    form = anybody.get(page(upload)).context["form"]
    assert (form["level"].value(), form["column_3"].value()) == ("nominal", "comment")


# --- whose it is, and for how long --------------------------------------------------------------------------


def test_nobody_else_reaches_a_file_not_even_the_owner_of_the_study(anybody, owner):
    upload = sent(anybody, FOREIGN)
    ask(anybody, upload)
    other = Client()
    other.force_login(owner)
    for name in ("analyse-file", "analyse-json", "analyse-text"):
        assert other.get(reverse(name, args=[upload.handle])).status_code == 404
    assert other.post(reverse("analyse-delete", args=[upload.handle])).status_code == 404
    assert other.post(page(upload), {"analysis": "agreement"}).status_code == 404
    assert LabelUpload.objects.filter(pk=upload.pk).exists()


def test_a_file_is_kept_under_a_name_nobody_can_guess_for_its_owner_only(anybody, folder):
    upload = sent(anybody, FOREIGN, "../../secret.csv")
    assert upload.file_name == "secret.csv"
    (path,) = folder.iterdir()
    assert path.name == f"{upload.handle}.labels"
    assert path.stat().st_mode & 0o077 == 0


def test_file_and_answer_are_deleted_on_demand_and_when_they_expire(anybody, folder):
    first, second = sent(anybody, FOREIGN), sent(anybody, FOREIGN)
    ask(anybody, first)
    assert anybody.post(reverse("analyse-delete", args=[first.handle])).status_code == 302
    LabelUpload.objects.update(
        created_at=timezone.now() - timedelta(hours=2), expires_at=timezone.now() - timedelta(minutes=1)
    )
    assert uploads.sweep() == 1
    assert not LabelUpload.objects.filter(pk__in=[first.pk, second.pk]).exists()
    assert list(folder.iterdir()) == []


def test_what_a_broken_upload_left_behind_is_cleared(folder):
    import os

    stray, fresh = folder / "stray.upload.labels", folder / "fresh.upload.labels"
    for path in (stray, fresh):
        path.write_text("x")
    os.utime(stray, (0, 0))
    uploads.sweep()
    assert [path.name for path in folder.iterdir()] == [fresh.name]


def test_nobody_keeps_more_than_three_files(anybody, folder):
    for _ in range(3):
        sent(anybody, FOREIGN)
    reply = send(anybody, FOREIGN)
    assert reply.status_code == 400
    assert "3 files here already" in reply.context["refusal"]
    assert len(list(folder.glob("*.labels"))) == 3


# --- large files go to a worker -----------------------------------------------------------------------------


@pytest.fixture
def small_at_once(monkeypatch):
    monkeypatch.setattr(uploads, "AT_ONCE_BYTES", 10)


def test_a_large_file_waits_for_a_worker_and_the_page_says_how_far_it_is(anybody, small_at_once):
    upload = sent(anybody, FOREIGN)
    ask(anybody, upload)
    state = anybody.get(page(upload), headers={"X-Fragment": "progress"}).content.decode()
    assert 'data-running="yes"' in state
    assert "Waiting for a worker" in state
    assert ask(anybody, upload).status_code == 400  # asked twice
    assert uploads.analyse_waiting() == 1
    assert (
        'data-running="no"' in anybody.get(page(upload), headers={"X-Fragment": "progress"}).content.decode()
    )
    assert uploads.analyse_waiting() == 0


def test_a_dead_worker_is_given_up(anybody, small_at_once):
    upload = sent(anybody, FOREIGN)
    ask(anybody, upload)
    LabelUpload.objects.update(state="running", started_at=timezone.now() - timedelta(hours=1))
    uploads.sweep()
    upload.refresh_from_db()
    assert (upload.state, upload.document) == ("refused", "")
    assert "did not come to an end" in upload.refusal


def test_a_file_that_went_away_is_refused_in_words(anybody, small_at_once):
    upload = sent(anybody, FOREIGN)
    ask(anybody, upload)
    uploads.path_of(upload).unlink()
    uploads.analyse_waiting()
    upload.refresh_from_db()
    assert "The file is gone" in upload.refusal
    assert anybody.get(page(upload)).status_code == 404


# --- hostile files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\0" * 100_000, "NUL bytes"),
        (b"", "empty"),
        (b"a,b\n\xff\xff,c\n", "line 2: not UTF-8"),
        (b"a,b\n" + b"x" * 200_000 + b",c\n", "field larger than field limit"),
        (b",".join([b"c"] * 1_000_000) + b"\n", "has 1000000 columns"),
        (b"\xff\xfea\x01", "UTF-16"),
    ],
)
def test_a_file_that_is_no_table_is_refused_and_leaves_nothing(anybody, folder, content, reason):
    reply = send(anybody, content)
    assert reply.status_code == 400
    assert reason in reply.content.decode()
    assert list(folder.iterdir()) == []
    assert not LabelUpload.objects.exists()


def test_a_stated_length_above_the_limit_is_refused_unread(anybody, settings):
    class Unread(io.BytesIO):
        def read(self, *_):
            raise AssertionError("the body was read")

    settings.ANALYSE_MAX_BYTES = 1 << 20
    reply = anybody.generic(
        "POST", reverse("analyse"), b"", CONTENT_LENGTH=200 << 20, **{"wsgi.input": Unread()}
    )
    assert reply.status_code == 413
    assert "larger than 1 MB" in reply.content.decode()


def test_a_body_that_lies_about_its_length_is_cut_off_at_the_limit(anybody, settings, folder):
    settings.ANALYSE_MAX_BYTES = 1 << 20
    reply = send(anybody, b"a,b\n" + b"1,2\n" * 263_000)  # within the slack for the form's other fields
    assert reply.status_code == 400
    assert "larger than 1 MB" in reply.content.decode()
    assert list(folder.iterdir()) == []


def test_markup_and_formulas_in_cells_stay_text(anybody):
    content = 'subject,rater,value\n<script>alert(1)</script>,=cmd(),"""><img src=x>"\nb,=cmd(),no\n'
    upload = sent(anybody, content, "<script>.csv")
    ask(anybody, upload)
    text = anybody.get(page(upload)).content.decode()
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "=cmd()" in text


def test_an_upload_without_the_csrf_token_is_refused_and_leaves_nothing(stranger, folder):
    client = Client(enforce_csrf_checks=True)
    client.force_login(stranger)
    assert send(client, FOREIGN).status_code == 403
    assert list(folder.iterdir()) == []


def test_nobody_uploads_without_signing_in(client, folder):
    assert send(client, FOREIGN).status_code == 302
    assert list(folder.iterdir()) == []


def test_pages_ask_the_database_a_constant_number_of_questions(anybody, django_assert_max_num_queries):
    upload = sent(anybody, FOREIGN)
    ask(anybody, upload)
    for address in (reverse("analyse"), page(upload)):
        with django_assert_max_num_queries(6):
            anybody.get(address)
