"""Attached files: stored with their clean copies, frozen, scanned for names, shown and removed."""

import io
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.refusal import NotAllowed, Refused
from annotation.quarantine.actions import decide_identity, eligible
from benchmark.files.actions import attach, detach
from benchmark.identities.actions import add_identity_word, scan_identities
from benchmark.models import Attachment, CleanCopy, IdentityScan, OriginalFile, Output
from benchmark.releases.freezing import freeze_release, freeze_run
from benchmark.releases.queries import quarantined
from tests.benchmark.pdfs import PARAGRAPH, paper, png
from tests.factories import InstanceFactory, OutputFactory, RunFactory

WORD = "zqplanted"


@pytest.fixture
def output(db: None) -> Output:
    return OutputFactory(run__system__name="Oracle Nine")  # type: ignore[return-value]


@pytest.mark.django_db
def test_an_attached_file_is_stored_with_its_copy_and_an_audit_row(output: Output, coordinator: User) -> None:
    told = paper(PARAGRAPH)
    row = attach(actor=coordinator, subject=output, name="systems/o9/p1.pdf", data=told)
    assert (row.output, row.instance, row.number, row.copy.kind) == (output, None, 1, "pdf")
    assert bytes(row.original.data) == told
    assert bytes(row.copy.data) != told
    assert AuditEvent.objects.get(verb="attach_file").details["file"] == "systems/o9/p1.pdf"


@pytest.mark.django_db
def test_the_same_file_again_changes_nothing_and_another_one_is_refused(output: Output) -> None:
    first = attach(actor=None, subject=output, name="p.png", data=png("a"))
    assert attach(actor=None, subject=output, name="p.png", data=png("a")) == first
    with pytest.raises(Refused, match="another file called"):
        attach(actor=None, subject=output, name="p.png", data=png("b"))
    second = attach(actor=None, subject=output, name="q.png", data=png("b"))
    assert (second.number, CleanCopy.objects.count()) == (2, 1)  # both show the same pixels


@pytest.mark.django_db
def test_removing_a_file_removes_its_bytes(output: Output, coordinator: User) -> None:
    row = attach(actor=coordinator, subject=output, name="p.png", data=png("a"))
    detach(actor=coordinator, attachment=row)
    assert not Attachment.objects.exists()
    assert not OriginalFile.objects.exists()
    assert not CleanCopy.objects.exists()


@pytest.mark.django_db
def test_a_copy_that_another_output_has_stays(output: Output, coordinator: User) -> None:
    other = OutputFactory()
    row = attach(actor=coordinator, subject=output, name="p.png", data=png("a"))
    kept = attach(actor=coordinator, subject=other, name="p.png", data=png("a"))
    detach(actor=coordinator, attachment=row)
    assert CleanCopy.objects.get() == kept.copy


@pytest.mark.django_db
def test_reviewers_attach_and_remove_nothing(output: Output, algebraist: User) -> None:
    with pytest.raises(NotAllowed):
        attach(actor=algebraist, subject=output, name="p.png", data=png("a"))
    row = attach(actor=None, subject=output, name="p.png", data=png("a"))
    with pytest.raises(NotAllowed):
        detach(actor=algebraist, attachment=row)


@pytest.mark.django_db
def test_what_is_frozen_keeps_its_files_and_gets_no_others(output: Output, coordinator: User) -> None:
    row = attach(actor=None, subject=output, name="p.png", data=png("a"))
    freeze_run(run=output.run)
    output.run.refresh_from_db()
    with pytest.raises(Refused, match="run is frozen"):
        attach(actor=None, subject=output, name="q.png", data=png("a"))
    row.output.run.refresh_from_db()
    with pytest.raises(Refused, match="run is frozen"):
        detach(actor=coordinator, attachment=row)
    for statement in (
        lambda: Attachment.objects.create(output=output, number=2, copy=row.copy),
        lambda: OriginalFile.objects.filter(pk=row.original.pk).delete(),
        lambda: Attachment.objects.filter(pk=row.pk).delete(),
        lambda: Attachment.objects.filter(pk=row.pk).update(number=3),
        lambda: OriginalFile.objects.update(data=b""),
        lambda: CleanCopy.objects.update(data=b""),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            statement()


@pytest.mark.django_db
def test_a_frozen_release_keeps_the_files_of_its_instances(small_release: Any) -> None:
    instance = small_release.instances.first()
    row = attach(actor=None, subject=instance, name="p.png", data=png("a"))
    freeze_release(actor=None, release=small_release)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        Attachment.objects.create(instance=instance, number=2, copy=row.copy)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        Attachment.objects.filter(pk=row.pk).delete()


# --- what reveals an author


def scan_of(output: Output) -> list[tuple[str, bool]]:
    return [(one["field"], one["certain"]) for one in IdentityScan.objects.get(output=output).findings]


@pytest.mark.django_db
def test_a_name_in_a_file_keeps_the_output_in_quarantine(output: Output, coordinator: User) -> None:
    scan_identities(release=output.run.release)
    assert not quarantined(output.run.release).exists()
    attach(actor=None, subject=output, name="p.pdf", data=paper(f"Oracle Nine proves: {PARAGRAPH}"))
    assert list(quarantined(output.run.release)) == [output]
    with pytest.raises(Refused, match="may reveal the author"):
        eligible(output.run.release, {output.pk: output}, leave_out_undecided=False)
    with pytest.raises(Refused, match="passages of files are not redacted"):
        decide_identity(actor=coordinator, output=output, verdict="redacted")
    decide_identity(actor=coordinator, output=output, verdict="harmless", reason="a person of that name")
    with pytest.raises(Refused, match="withdraw that decision first"):
        attach(actor=None, subject=output, name="q.pdf", data=paper(PARAGRAPH))


@pytest.mark.django_db
def test_names_that_reviewers_do_not_get_are_shown_to_who_decides(output: Output) -> None:
    told = paper(PARAGRAPH, title="Oracle Nine on rings")
    attach(actor=None, subject=output, name="oracle nine/p.pdf", data=told)
    found = scan_of(output)
    assert ("file/1/name", False) in found
    assert ("file/1/metadata", False) in found
    assert not quarantined(output.run.release).exists()


@pytest.mark.django_db
def test_a_word_of_the_study_is_looked_for_in_files_too(output: Output, coordinator: User) -> None:
    attach(actor=None, subject=output, name="p.pdf", data=paper(f"By Bluebird. {PARAGRAPH}"))
    add_identity_word(actor=coordinator, release=output.run.release, word="Bluebird")
    scan_identities(release=output.run.release)
    assert ("file/1/words", True) in scan_of(output)


@pytest.mark.django_db
def test_pages_that_a_machine_cannot_read_are_looked_at_by_a_person(output: Output) -> None:
    attach(actor=None, subject=output, name="scan.pdf", data=paper("x"))
    assert scan_of(output) == [("file/1/words", True)]
    detach_row = Attachment.objects.get()
    OutputFactory()
    detach(actor=None, attachment=detach_row)
    assert scan_of(output) == []


# --- pages of the study's staff


@pytest.mark.django_db
def test_the_page_of_an_instance_attaches_shows_and_removes(
    client: Client, coordinator: User, output: Output
) -> None:
    client.force_login(coordinator)
    release, instance = output.run.release, output.instance
    page = reverse("instance", args=[release.name, instance.key])
    sent = io.BytesIO(paper(PARAGRAPH))
    sent.name = "proof <b>.pdf"
    form = {"kind": "output", "number": output.pk, "file": sent}
    reply = client.post(reverse("attach", args=[release.name]), form, follow=True)
    assert reply.redirect_chain[-1][0] == page
    assert "has been attached" in reply.content.decode()
    row = Attachment.objects.get()
    assert "proof &lt;b&gt;.pdf" in client.get(page).content.decode()
    copy = client.get(reverse("attachment", args=[release.name, row.pk]))
    assert (copy["Content-Type"], copy["Content-Disposition"]) == (
        "application/pdf",
        'inline; filename="document.pdf"',
    )
    assert "sandbox" in copy["Content-Security-Policy"]
    assert "no-store" in copy["Cache-Control"]
    original = client.get(reverse("attachment-original", args=[release.name, row.pk]))
    assert (original["Content-Type"], original.content) == ("application/octet-stream", sent.getvalue())
    client.post(reverse("attachment-remove", args=[release.name, row.pk]))
    assert not Attachment.objects.exists()


@pytest.mark.slow
@pytest.mark.django_db
def test_who_decides_about_a_scan_opens_it_from_the_quarantine(
    client: Client, coordinator: User, output: Output
) -> None:
    file = attach(actor=None, subject=output, name="scan.pdf", data=paper(*["x"] * 20))
    client.force_login(coordinator)
    name = output.run.release.name
    page = client.get(reverse("quarantine", args=[name])).content.decode()
    assert reverse("attachment", args=[name, file.pk]) in page
    assert "Most of this file is pictures" in page
    assert "<mark></mark>" not in page  # no excerpt of twenty empty pages


@pytest.mark.django_db
@pytest.mark.parametrize("file", [None, b"", b"hello"])
def test_a_file_that_is_none_is_refused_on_the_page(
    client: Client, coordinator: User, output: Output, file: bytes | None
) -> None:
    client.force_login(coordinator)
    form: dict[str, Any] = {"kind": "output", "number": output.pk}
    if file is not None:
        form["file"] = io.BytesIO(file)
        form["file"].name = "x.pdf"
    reply = client.post(reverse("attach", args=[output.run.release.name]), form, follow=True)
    assert ("Choose a file" if not file else "not a PDF, PNG or JPEG") in reply.content.decode()
    assert not Attachment.objects.exists()


@pytest.mark.django_db
def test_files_of_another_release_are_not_found(client: Client, coordinator: User, output: Output) -> None:
    client.force_login(coordinator)
    elsewhere = RunFactory().release
    row = attach(actor=None, subject=InstanceFactory(release=output.run.release), name="p.png", data=png("a"))
    assert client.get(reverse("attachment", args=[elsewhere.name, row.pk])).status_code == 404
    for number in ("x", "9" * 30, "-1", str(output.pk)):
        form = {"kind": "output", "number": number, "file": io.BytesIO(b"x")}
        assert client.post(reverse("attach", args=[elsewhere.name]), form).status_code == 404
