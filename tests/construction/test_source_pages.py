"""Pages and REST of sources: uploading, workers that die, one source, the matching queue, and who may come in."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import User
from construction.models import Publication, Source, SourceState, SourceUpload, UploadedArchive
from construction.sources.kind import SOURCES
from construction.sources.manifest import ManifestRow, Published
from construction.sources.stored import path_of, upload_folder
from construction.sources.uploading import reconcile_sources
from tests.construction.archives import add_archive
from tests.construction.test_sources import PAPER, TITLE, TWO
from tests.latex.hostile_archives import ARCHIVES, tar
from work.claims import claim
from work.models import RunState
from work.worker import drain

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    monkeypatch.setattr("construction.sources.uploading.ring", lambda: None)
    monkeypatch.setattr("work.claims._just_started", lambda: False)
    settings.UPLOAD_DIR = tmp_path


@pytest.fixture
def staff(client: Client, coordinator: User) -> Client:
    client.force_login(coordinator)
    return client


def work() -> None:
    """Work until nothing is left."""
    drain(shift_seconds=60)
    reconcile_sources()


def upload(client: Client, *files: tuple[str, bytes], manifest: bytes | None = None) -> Any:
    sent: dict[str, Any] = {"archives": [SimpleUploadedFile(name, data) for name, data in files]}
    if manifest is not None:
        sent["manifest"] = SimpleUploadedFile("manifest.csv", manifest)
    return client.post("/construction/sources/add/", sent)


def text_of(client: Client, address: str, **asked: Any) -> str:
    page = client.get(address, asked)
    assert page.status_code == 200
    return page.content.decode()


@pytest.mark.slow
def test_an_upload_is_shown_as_a_dry_run_and_added_when_somebody_says_so(staff: Client) -> None:
    assert "There are no sources yet" in text_of(staff, "/construction/sources/")
    manifest = b"file,title,domain\n2401.00001v1.gz,Nets,analysis\n"
    files = ("2401.00001v1.gz", gzip.compress(PAPER)), ("scan.gz", gzip.compress(b"%PDF-1.5"))
    reply = upload(staff, *files, manifest=manifest)
    page = reply["Location"]
    assert "0 of 2" in text_of(staff, page)
    work()
    shown = text_of(staff, page)
    for words in ("Add 2 sources", "2401.00001v1: Nets", "gzip of tex", "pdf_only", "Ask the authors"):
        assert words in shown
    assert not Source.objects.exists()
    staff.post(f"{page}steer/", {"step": "add"})
    work()
    assert "2 sources added" in text_of(staff, page)
    assert Source.objects.get(state=SourceState.READABLE).domain == "analysis"
    assert Source.objects.get(state=SourceState.UNREADABLE).code == "pdf_only"
    assert not list(upload_folder().iterdir())
    listed = text_of(staff, "/construction/sources/")
    assert "Unknown</a>: 2. Only the offsets of these may be exported" in listed
    assert "2401.00001v1" in text_of(staff, "/construction/sources/", domain="analysis")
    assert "No source is like this" in text_of(staff, "/construction/sources/", domain="algebra")
    assert "scan" in text_of(staff, "/construction/sources/", code="pdf_only")
    reply = upload(staff, *files)
    work()
    assert "Already there" in text_of(staff, reply["Location"])
    assert "Add " not in text_of(staff, reply["Location"]).partition("<h2")[0]


@pytest.mark.slow
def test_an_archive_of_archives_becomes_its_archives(staff: Client) -> None:
    inner = [(f"2401.0000{n}v1.gz", gzip.compress(PAPER + b"%%%d" % n)) for n in range(1, 6)]
    page = upload(staff, ("month.tar", tar(*inner)), manifest=b"file,domain\n2401.00003v1.gz,algebra\n")[
        "Location"
    ]
    work()
    work()
    shown = text_of(staff, page)
    assert "Add 5 sources" in shown
    staff.post(f"{page}steer/", {"step": "add"})
    work()
    assert Source.objects.filter(state=SourceState.READABLE).count() == 5
    assert Source.objects.get(domain="algebra").key == "2401.00003"
    assert not list(upload_folder().iterdir())


def test_a_faulty_manifest_is_shown_with_line_and_field_and_nothing_is_stored(staff: Client) -> None:
    reply = upload(staff, ("a.gz", PAPER), manifest=b"file,year\na.gz,soon\n")
    assert reply.status_code == 400
    shown = reply.content.decode()
    assert "&#x27;soon&#x27; is not a year" in shown
    assert '<td class="number">2</td><td>year</td>' in shown
    assert not SourceUpload.objects.exists()
    assert upload(staff).status_code == 400
    page = upload(staff, ("a.gz", PAPER), manifest=b"file,year\nb.gz,2000\n")["Location"]
    work()
    assert "Line 2: b.gz" in text_of(staff, page)
    staff.post(f"{page}steer/", {"step": "add"})
    assert not SourceUpload.objects.get().adding


@pytest.mark.slow
def test_what_a_killed_worker_held_is_read_by_another_one_and_added_once(staff: Client) -> None:
    files = [(f"{n}.gz", gzip.compress(PAPER + b"%%%d" % n)) for n in range(4)]
    page = upload(staff, *files)["Location"]
    lost = claim(SOURCES, owner="killed", limit=2)
    assert len(lost) == 2
    drain(shift_seconds=60)
    assert "2 of 4" in text_of(staff, page)
    UploadedArchive.objects.filter(lease_owner="killed").update(lease_until=timezone.now())
    reconcile_sources()
    work()
    assert SourceUpload.objects.get().state == RunState.DONE
    staff.post(f"{page}steer/", {"step": "add"})
    lost = claim(SOURCES, owner="killed", limit=2)
    drain(shift_seconds=60)
    assert Source.objects.count() == 2
    UploadedArchive.objects.filter(lease_owner="killed").update(lease_until=timezone.now())
    reconcile_sources()
    work()
    assert Source.objects.count() == 4
    assert SourceUpload.objects.get().state == RunState.DONE


def test_an_archive_whose_file_is_gone_fails_with_what_to_do(staff: Client) -> None:
    page = upload(staff, ("a.gz", gzip.compress(PAPER)))["Location"]
    path_of(UploadedArchive.objects.get().handle).unlink()
    work()
    assert "The stored file is gone; upload it again." in text_of(staff, page)
    staff.post(f"{page}steer/", {"step": "discard"})
    assert not SourceUpload.objects.exists()


def test_an_upload_that_nobody_adds_is_deleted_with_its_files(staff: Client) -> None:
    upload(staff, ("a.gz", gzip.compress(PAPER)))
    work()
    SourceUpload.objects.update(created_at=timezone.now() - timezone.timedelta(days=4))
    assert reconcile_sources()["expired"] == 1
    assert not SourceUpload.objects.exists()
    assert not list(upload_folder().iterdir())


@pytest.mark.slow
def test_hostile_archives_leave_no_file_and_no_task(staff: Client) -> None:
    names = ["tar with ..", "zip bomb", "tar with a symbolic link", "zip with a list of 40 MB", "html"]
    page = upload(staff, *((f"{n}.gz", ARCHIVES[name][0]()) for n, name in enumerate(names)))["Location"]
    work()
    shown = text_of(staff, page)
    for name in names:
        assert ARCHIVES[name][1] in shown
    staff.post(f"{page}steer/", {"step": "add"})
    work()
    assert Source.objects.filter(state=SourceState.UNREADABLE).count() == len(names)
    assert not list(upload_folder().iterdir())


def test_a_source_shows_its_file_its_outline_and_the_chosen_range(staff: Client) -> None:
    source = add_archive(actor=None, data=PAPER, name="2401.00001v1.tex")
    page = f"/construction/sources/{source.pk}/"
    shown = text_of(staff, page)
    for words in (
        "Theorem 1",
        "right after the statement",
        "Citations without an entry",
        "unknown",
        "nowhere",
    ):
        assert words in shown
    (file, start, end) = source.reading.outline["statements"][0]["places"][0]
    chosen = text_of(staff, page, file=file, start=start, end=end)
    assert '<mark id="marked">\\begin{theorem}[Nets]' in chosen
    for wrong in ({"file": "../etc"}, {"start": "x"}, {"start": "9" * 40, "end": "-1"}, {"part": "77"}):
        assert "\\begin{theorem}" in text_of(staff, page, **wrong)
    reply = staff.get(f"{page}archive/")
    assert reply.content == PAPER
    assert reply["Content-Disposition"].startswith("attachment")


def test_text_of_a_source_is_never_markup(staff: Client) -> None:
    evil = PAPER.replace(b"{Nets}", b"{<script>alert(1)</script>}").replace(
        b"Every", b"</pre><script>x</script>"
    )
    source = add_archive(actor=None, data=tar(("<b>.tex", evil)), name="<i>.tar")
    for address in ("/construction/sources/", f"/construction/sources/{source.pk}/"):
        shown = text_of(staff, address)
        assert "<script>alert" not in shown
        assert "<script>x" not in shown
        assert "<b>.tex" not in shown


def test_the_main_file_is_chosen_and_a_source_described_and_removed_on_its_page(staff: Client) -> None:
    source = add_archive(actor=None, data=TWO, name="two.tar")
    page = f"/construction/sources/{source.pk}/"
    assert "tie" in text_of(staff, page)
    staff.post(f"{page}main/", {"main": "b.tex"})
    assert "chosen by" in text_of(staff, page)
    staff.post(f"{page}main/", {"undo": "yes"})
    assert "not chosen" in text_of(staff, page)
    said = {"title": "Nets", "authors": "A. B.; C. D.", "domain": "algebra", "licence": "CC0-1.0"}
    staff.post(f"{page}describe/", said)
    source.refresh_from_db()
    assert (source.title, source.authors, source.domain) == ("Nets", ["A. B.", "C. D."], "algebra")
    reply = staff.post(f"{page}describe/", {**said, "published_doi": "no"})
    assert reply.status_code == 400
    assert "This is not a DOI" in reply.content.decode()
    staff.post(f"{page}remove/")
    assert not Source.objects.exists()


def test_a_proof_is_paired_otherwise_on_its_page_and_by_rest(staff: Client) -> None:
    source = add_archive(actor=None, data=PAPER, name="2401.00001v1.tex")
    page, rest = f"/construction/sources/{source.pk}/", f"/api/v1/sources/{source.pk}/pairs/"
    outline = source.reading.outline
    ((file, start, end),) = outline["proofs"][1]["places"]
    ((_, nets, _),) = outline["statements"][0]["places"]
    chosen = {"file": file, "start": start, "end": end}
    assert "What this proof proves" not in text_of(staff, page)
    assert "Not paired" in text_of(staff, page, **chosen)
    said = {"proof": f"{start}:{file}", "end": end, "statement": f"{nets}:{file}"}
    reply = staff.post(f"{page}pair/", said)
    assert "Paired by hand." in text_of(staff, reply["Location"].partition("#")[0])
    (pair,) = staff.get(rest).json()
    assert (pair["proof_start"], pair["statement_file"], pair["statement_start"]) == (start, file, nets)
    staff.post(f"{page}pair/", {**said, "undo": "yes"})
    assert staff.get(rest).json() == []
    pair = {"proof_file": file, "proof_start": start}
    asked = {"content_type": "application/json"}
    assert (
        staff.post(rest, {**pair, "statement_file": file, "statement_start": nets}, **asked).status_code
        == 200
    )
    (told,) = staff.post(rest, pair, **asked).json()
    assert told["statement_file"] == ""
    assert staff.post(rest, {**pair, "undo": True}, **asked).json() == []
    wrong = staff.post(rest, {**pair, "proof_start": 1}, **asked)
    assert (wrong.status_code, wrong.json()["code"]) == (409, "no_such_proof")
    for nonsense in ("", "x", "7:", f"{'9' * 40}:{file}", f"{start}:\0"):
        assert staff.post(f"{page}pair/", {**said, "statement": nonsense}).status_code == 302
        assert staff.post(f"{page}pair/", {**said, "proof": nonsense}).status_code == 302
    assert staff.get(rest).json() == []


def question() -> Publication:
    row = ManifestRow(title=TITLE, authors=("Ann Author",), year=2024, published=Published(f"{TITLE} II"))
    row = ManifestRow(title=TITLE, authors=("Ann Author",), year=2024, published=Published(TITLE))
    return add_archive(actor=None, data=PAPER, name="a.tex", manifest=row).publication


def test_the_queue_asks_shows_differences_and_can_be_undone(staff: Client, coordinator: User) -> None:
    assert "There is nothing to decide" in text_of(staff, "/construction/sources/matching/")
    pair = question()
    shown = text_of(staff, "/construction/sources/matching/")
    assert "<mark>Ann Author</mark>" in shown
    assert f"<mark>{TITLE}</mark>" not in shown
    staff.post("/construction/sources/matching/", {"pair": pair.pk, "decision": "same"})
    pair.refresh_from_db()
    assert (pair.identity, pair.decided_by) == ("same", coordinator)
    assert "Your last answer: the same work" in text_of(staff, "/construction/sources/matching/")
    assert "Withdraw" in text_of(staff, "/construction/sources/matching/", show="decided")
    staff.post("/construction/sources/matching/", {"pair": pair.pk, "decision": ""})
    pair.refresh_from_db()
    assert pair.identity == "ask"
    assert staff.post("/construction/sources/matching/", {"pair": "x"}).status_code == 404


# -- REST --------------------------------------------------------------------------------------------------------


def test_everything_can_be_done_by_rest(staff: Client, coordinator: User) -> None:
    root = "/api/v1/sources/"
    checked = staff.post(f"{root}manifest/", {"manifest": io.BytesIO(b"file,yeer\na,1\n")})
    assert checked.status_code == 400 or checked.status_code == 409
    assert checked.json()["faults"][0]["field"] == "yeer"
    assert staff.post(f"{root}manifest/", {"manifest": io.BytesIO(b"file\na\n")}).json() == {"rows": 1}
    sent = {
        "archives": [
            SimpleUploadedFile("2401.00001v1.gz", gzip.compress(PAPER)),
            SimpleUploadedFile("two.tar", TWO),
        ]
    }
    made = staff.post(f"{root}uploads/", sent)
    assert made.status_code == 201
    number = made.json()["id"]
    assert staff.post(f"{root}uploads/{number}/add/").json()["code"] == "not_checked"
    work()
    assert staff.get(f"{root}uploads/{number}/").json()["counts"]["new"] == 2
    archives = staff.get(f"{root}uploads/{number}/archives/").json()["results"]
    assert staff.get(f"{root}uploads/{10**20}/archives/").status_code == 404
    assert [(one["code"], one["outcome"]) for one in archives] == [("", "new"), ("tie", "new")]
    assert staff.post(f"{root}uploads/{number}/add/").status_code == 200
    work()
    first, second = sorted(staff.get(root).json()["results"], key=lambda one: one["key"])
    assert (first["key"], first["reading"]["statements"]) == ("2401.00001", 1)
    assert second["what_to_do"] == "Choose the main file on its page."
    assert [one["key"] for one in staff.get(root, {"state": "undecided"}).json()["results"]] == ["two"]
    assert staff.get(root, {"mood": "x"}).status_code == 400
    one = f"{root}{second['id']}/"
    assert staff.post(f"{one}main/", {"main": "b.tex"}, "application/json").json()["main"] == "b.tex"
    assert staff.post(f"{one}main/", {"main": ""}, "application/json").json()["state"] == "undecided"
    listed = staff.get(f"{one}files/").json()
    assert [(file["path"], file["text"]) for file in listed] == [("a.tex", None), ("b.tex", None)]
    (whole,) = staff.get(f"{one}files/", {"path": "a.tex"}).json()
    assert whole["text"] == PAPER.decode()
    said = {"domain": "algebra", "published": {"title": "On nets"}}
    changed = staff.patch(f"{root}{first['id']}/", json.dumps(said), "application/json").json()
    assert (changed["domain"], changed["publication"]["title"]) == ("algebra", "On nets")
    pairs = staff.get(f"{root}matching/").json()["results"]
    assert [pair["source_id"] for pair in pairs] == [first["id"]] * len(pairs)
    lines = b"".join(staff.get(f"{root}statements.jsonl").streaming_content).splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["theorem"]
    assert staff.get(f"{root}{first['id']}/outline/").json()["statements"][0]["number"] == "1"
    assert staff.delete(one).status_code == 204
    assert staff.delete(f"{root}uploads/{number}/").status_code == 204
    assert Source.objects.count() == 1


def test_a_match_is_decided_by_rest(staff: Client) -> None:
    pair = question()
    address = f"/api/v1/sources/matching/{pair.pk}/"
    assert staff.post(address, {"decision": "same"}, "application/json").json()["identity"] == "same"
    assert staff.post(address, {"decision": ""}, "application/json").json()["identity"] == "ask"
    assert staff.post(address, {"decision": "maybe"}, "application/json").status_code == 400


@pytest.mark.parametrize("address", ["", "add/", "matching/", "uploads/1/", "1/"])
def test_reviewers_and_strangers_see_no_source(address: str, client: Client, algebraist: User) -> None:
    assert client.get(f"/construction/sources/{address}").status_code == 302
    assert client.get(f"/api/v1/sources/{address.replace('add/', '')}").status_code in (401, 403)
    client.force_login(algebraist)
    assert client.get(f"/construction/sources/{address}").status_code == 403
    assert client.get(f"/api/v1/sources/{address.replace('add/', '')}").status_code == 403
    assert "Construction" not in client.get("/grading/").content.decode()
