"""Files brought in the browser or by REST: a dry run with every problem, then exactly that import, or nothing."""

import errno
import json
import os

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.holding import held
from accounts.models import AuditEvent
from accounts.people.members import deactivate_user, revoke_role
from benchmark.importing import outputs as importing_outputs
from benchmark.importing import uploading
from benchmark.models import ImportUpload, Output, Release, Run
from benchmark.releases.actions import import_release
from tests.benchmark.files import PROBLEM, PROOF, packed

pytestmark = pytest.mark.django_db
KEYS = ["p1", "p2"]


def lines(*records: dict) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


PROBLEMS = lines(*({**PROBLEM, "instance_id": key} for key in KEYS))
PROOFS = lines(*({**PROOF, "instance_id": key} for key in KEYS))


@pytest.fixture
def carl(client, coordinator, settings, tmp_path):
    settings.UPLOAD_DIR = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    client.force_login(coordinator)
    return client


@pytest.fixture
def sheet(carl, tmp_path) -> Release:
    (tmp_path / "sheet.jsonl").write_bytes(PROBLEMS)
    import_release(actor=None, protocol="proofs", path=tmp_path / "sheet.jsonl", name="sheet")
    return Release.objects.get(name="sheet")


def brought(client, kind: str, content: bytes, file_name: str, **terms: str) -> ImportUpload:
    file = SimpleUploadedFile(file_name, content)
    reply = client.post(reverse(f"import-{kind}"), {"file": file, **terms})
    assert reply.status_code == 302, reply.context["form"].errors
    return ImportUpload.objects.latest("pk")


def outputs(client, content: bytes, name: str = "proofs.jsonl", **terms: str) -> ImportUpload:
    return brought(
        client, "outputs", content, name, **{"release": "sheet", "system": "new", "track": "raw", **terms}
    )


def test_a_release_is_shown_first_and_then_imported_as_it_was_shown(carl):
    upload = brought(carl, "release", PROBLEMS, "sheet.jsonl", protocol="proofs", name="sheet")
    page = carl.get(reverse("import", args=[upload.handle])).content.decode()
    assert "Creates the release <strong>sheet</strong>" in page
    assert not Release.objects.exists()
    carl.post(reverse("import-apply", args=[upload.handle]))
    release = Release.objects.get(name="sheet")
    upload.refresh_from_db()
    assert (release.instances.count(), release.source, upload.state) == (2, "sheet.jsonl", "applied")
    assert upload.report["sha256"] == release.sha256
    assert AuditEvent.objects.get(verb="import_release").actor == upload.owner


def test_every_problem_is_listed_with_file_line_field_and_reason(carl, sheet):
    """120 problems are more than the command lists, and more than a page holds."""
    spoilt = lines(*({**PROOF, "instance_id": "p1", "attempt": n + 1, "mark": 7} for n in range(120)))
    upload = outputs(carl, spoilt)
    assert upload.state == "refused"
    last = {"file": "proofs.jsonl", "line": 120, "field": "mark", "reason": "this format has no such field"}
    assert (len(upload.faults), upload.faults[-1]) == (120, last)
    page = carl.get(reverse("import", args=[upload.handle]) + "?page=2").content.decode()
    assert "Page 2 of" in page
    assert carl.post(reverse("import-apply", args=[upload.handle])).status_code == 302
    assert not Run.objects.exists()


def test_a_zip_of_documents_becomes_a_run_and_leads_to_the_quarantine(carl, sheet):
    upload = outputs(carl, packed(p1__tex="Two is two.", p2__tex="As GPT-5, I prove it."), "proofs.zip")
    assert (upload.state, upload.report["outputs"]) == ("checked", 2)
    carl.post(reverse("import-apply", args=[upload.handle]))
    assert set(Output.objects.values_list("instance__key", flat=True)) == {"p1", "p2"}
    page = carl.get(reverse("import", args=[upload.handle])).content.decode()
    assert "1 text may reveal who wrote it" in page


def test_a_document_that_does_not_fit_is_named(carl, sheet):
    upload = outputs(carl, packed(p1__tex="Two is two.", p2__pdf="no"), "proofs.zip")
    assert upload.faults == [
        {"file": "p2.pdf", "line": 0, "field": "", "reason": "neither a .tex nor a .md file"}
    ]


def test_nothing_is_imported_when_the_release_changed_since_the_dry_run(carl, sheet):
    upload = outputs(carl, PROOFS)
    other = outputs(carl, PROOFS, system="other")
    carl.post(reverse("import-apply", args=[other.handle]))
    carl.post(reverse("import-apply", args=[upload.handle]))
    upload.refresh_from_db()
    assert (upload.state, Run.objects.count()) == ("refused", 1)
    assert "changed since the dry run" in upload.refusal


def test_other_bytes_than_those_that_were_shown_are_not_imported(carl, sheet):
    upload = outputs(carl, PROOFS)
    uploading.path_of(upload).write_bytes(PROOFS + b"\n")
    carl.post(reverse("import-apply", args=[upload.handle]))
    upload.refresh_from_db()
    assert "not the one that was uploaded" in upload.refusal
    assert not Run.objects.exists()


def test_an_import_that_fails_in_the_middle_leaves_nothing_behind(carl, sheet, monkeypatch):
    upload = outputs(carl, PROOFS)

    def breaks(*args: object) -> None:
        raise IntegrityError("a constraint")

    monkeypatch.setattr("benchmark.importing.outputs.flag_outputs", breaks)
    carl.post(reverse("import-apply", args=[upload.handle]))
    upload.refresh_from_db()
    assert "The database refused it" in upload.refusal
    assert not Run.objects.exists()


def test_a_fault_of_ours_refuses_the_upload_and_the_next_one_is_read(carl, sheet, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(uploading, "_run", lambda upload: [].index("a fault"))
        failed = outputs(carl, PROOFS)
    assert failed.state == "refused"
    assert "a fault of the site" in carl.get(reverse("import", args=[failed.handle])).content.decode()
    assert outputs(carl, PROOFS, system="other").state == "checked"


def test_large_files_wait_for_a_worker_and_say_how_far_they_are(carl, sheet, monkeypatch):
    monkeypatch.setattr(uploading, "AT_ONCE_BYTES", 1)
    upload = outputs(carl, PROOFS)
    assert upload.state == "waiting"
    page = carl.get(reverse("import", args=[upload.handle]), headers={"x-fragment": "progress"})
    assert "Waiting for a worker" in page.content.decode()
    assert uploading.work_imports() == 1
    upload.refresh_from_db()
    assert upload.state == "checked"
    carl.post(reverse("import-apply", args=[upload.handle]))
    assert not Run.objects.exists()
    assert (uploading.work_imports(), Run.objects.count()) == (1, 1)


@pytest.mark.parametrize("ended", ["the account", "the role"])
def test_nothing_is_imported_for_somebody_who_may_no_longer_import(
    carl, sheet, owner, coordinator, ended, monkeypatch
):
    monkeypatch.setattr(uploading, "AT_ONCE_BYTES", 1)
    upload = outputs(carl, PROOFS)
    uploading.work_imports()
    carl.post(reverse("import-apply", args=[upload.handle]))
    if ended == "the account":
        deactivate_user(actor=owner, member=coordinator)
    else:
        revoke_role(actor=owner, member=coordinator, role="coordinator")
    uploading.work_imports()
    upload.refresh_from_db()
    assert (upload.state, Run.objects.count()) == ("refused", 0)
    assert upload.refusal == "The person who uploaded this file may no longer import."


def test_an_import_happens_once(carl, sheet):
    upload = outputs(carl, PROOFS)
    carl.post(reverse("import-apply", args=[upload.handle]))
    page = carl.post(reverse("import-apply", args=[upload.handle]), follow=True).content.decode()
    assert "only once" in page
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"system": "no good"}, "system"), ({"release": "none"}, "release"), ({"file": ""}, "file")],
)
def test_terms_are_refused_at_their_field_and_no_file_is_kept(carl, sheet, sent, field, tmp_path):
    good = {
        "release": "sheet",
        "system": "new",
        "track": "raw",
        "file": SimpleUploadedFile("a.jsonl", PROOFS),
    }
    reply = carl.post(reverse("import-outputs"), good | sent)
    assert (reply.status_code, list(reply.context["form"].errors)) == (400, [field])
    assert not ImportUpload.objects.exists()
    assert not list(tmp_path.glob("imports/*"))


def test_a_file_above_the_limit_is_refused_with_the_limit(carl, sheet, settings):
    settings.IMPORT_MAX_BYTES = 10
    sent = {
        "release": "sheet",
        "system": "new",
        "track": "raw",
        "file": SimpleUploadedFile("a.jsonl", PROOFS),
    }
    reply = carl.post(reverse("import-outputs"), sent)
    assert reply.status_code in (400, 413)
    assert "The file is larger than" in reply.content.decode()


def test_a_form_without_its_token_is_refused(coordinator, sheet, settings):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(coordinator)
    assert strict.post(reverse("import-outputs"), {"file": SimpleUploadedFile("a", b"x")}).status_code == 403


def test_files_are_their_owners_and_go_with_their_row(carl, sheet, owner, tmp_path):
    upload = outputs(carl, PROOFS)
    carl.force_login(owner)
    assert carl.get(reverse("import", args=[upload.handle])).status_code == 404
    carl.force_login(upload.owner)
    carl.post(reverse("import-delete", args=[upload.handle]))
    assert not ImportUpload.objects.exists()
    assert not list(tmp_path.glob("imports/*"))


def test_expired_files_go_and_stalled_work_is_given_up(carl, sheet, tmp_path):
    old, stalled = outputs(carl, PROOFS), outputs(carl, PROOFS)
    long_ago = timezone.now() - uploading.KEEP - uploading.GIVE_UP
    ImportUpload.objects.filter(pk=old.pk).update(created_at=long_ago, expires_at=timezone.now())
    ImportUpload.objects.filter(pk=stalled.pk).update(state="running", started_at=long_ago)
    assert uploading.sweep() == 2
    assert "did not finish" in ImportUpload.objects.get().refusal
    assert [path.name for path in tmp_path.glob("imports/*")] == [f"{stalled.handle}.upload"]


def test_files_without_a_row_go_after_a_while(carl, sheet, tmp_path):
    upload = outputs(carl, PROOFS)
    for name in ("gone.upload", "gone.x1y2", f"{upload.handle}.upload", "fresh.upload"):
        path = tmp_path / "imports" / name
        path.mkdir() if name == "gone.x1y2" else path.touch()
        if name != "fresh.upload":
            os.utime(path, (0, 0))
    assert uploading.sweep() == 2
    assert {path.name for path in tmp_path.glob("imports/*")} == {f"{upload.handle}.upload", "fresh.upload"}


def test_rest_brings_checks_and_applies(carl, sheet):
    sent = {
        "kind": "outputs",
        "release": "sheet",
        "system": "new",
        "file": SimpleUploadedFile("a.jsonl", PROOFS),
    }
    made = carl.post("/api/v1/imports/", sent)
    assert (made.status_code, made.json()["state"]) == (201, "checked")
    address = f"/api/v1/imports/{made.json()['handle']}/"
    assert carl.get(address).json()["report"]["outputs"] == 2
    assert carl.post(f"{address}apply/").json()["state"] == "applied"
    again = carl.post(f"{address}apply/")
    assert (again.status_code, again.json()["code"]) == (409, "not_checked")
    assert carl.delete(address).status_code == 204
    refused = carl.post("/api/v1/imports/", {"kind": "outputs", "release": "sheet", "system": "n o"})
    assert refused.status_code == 400
    assert {"system", "file"} <= refused.json()["problems"].keys()


def test_an_import_that_broke_off_after_its_rows_were_stored_does_not_say_that_nothing_was(
    carl, sheet, monkeypatch
):
    upload = outputs(carl, PROOFS)
    with monkeypatch.context() as broken:
        broken.setattr(importing_outputs, "scan_identities", lambda **_: [].index("a fault"))
        carl.post(reverse("import-apply", args=[upload.handle]))
    upload.refresh_from_db()
    assert (upload.state, Run.objects.count()) == ("refused", 1)
    assert "it may have been imported" in upload.refusal
    assert "Nothing was imported" not in upload.refusal
    # or its worker died there
    long_ago = timezone.now() - uploading.GIVE_UP * 2
    ImportUpload.objects.filter(pk=upload.pk).update(state="running", started_at=long_ago, refusal="")
    assert uploading.sweep() == 1
    upload.refresh_from_db()
    assert "it may have been imported" in upload.refusal
    again = outputs(carl, PROOFS)
    carl.post(reverse("import-apply", args=[again.handle]))
    again.refresh_from_db()
    assert (again.state, Run.objects.count()) == ("applied", 1)


def test_an_import_that_stored_nothing_says_so(carl, sheet, monkeypatch):
    upload = outputs(carl, PROOFS)
    with monkeypatch.context() as broken:
        broken.setattr(uploading, "_run", lambda upload: [].index("a fault"))
        carl.post(reverse("import-apply", args=[upload.handle]))
    upload.refresh_from_db()
    assert "Nothing was imported." in upload.refusal


def test_an_import_whose_process_died_is_given_up_at_once_and_one_that_works_is_not(carl, sheet, tmp_path):
    upload = outputs(carl, PROOFS)
    ImportUpload.objects.filter(pk=upload.pk).update(state="running", started_at=timezone.now())
    unpacked = tmp_path / "imports" / f"{upload.handle}.unpacked"
    unpacked.mkdir()
    held_path = tmp_path / "imports" / f"{upload.handle}.held"
    with held(held_path) as is_mine:
        assert is_mine
        assert uploading.sweep() == 0
    held_path.touch()  # SIGKILL removes nothing
    assert uploading.sweep() == 1
    upload.refresh_from_db()
    assert (upload.state, upload.refusal[:20]) == ("refused", "This did not finish.")
    assert [path.name for path in tmp_path.glob("imports/*")] == [f"{upload.handle}.upload"]


def test_an_upload_is_held_while_it_is_worked_at(carl, sheet, monkeypatch):
    seen = []
    run = uploading._run

    def looking(upload):
        seen.append((uploading.sweep(), ImportUpload.objects.get(pk=upload.pk).state))
        return run(upload)

    monkeypatch.setattr(uploading, "_run", looking)
    assert outputs(carl, PROOFS).state == "checked"
    assert seen == [(0, "running")]


def test_a_disk_that_takes_nothing_is_named_and_how_far_it_is_can_be_missing(carl, sheet, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(uploading.shutil, "copyfile", full)
        refused = outputs(carl, PROOFS)
    assert refused.state == "refused"
    assert refused.refusal.startswith("The server says: No space left on device. Nothing was imported. Tell")
    monkeypatch.setattr(uploading.Path, "write_text", full)
    assert outputs(carl, PROOFS).state == "checked"
