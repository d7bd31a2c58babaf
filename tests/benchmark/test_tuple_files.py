"""Files of frozen tuples: stored once by their hash, compared, downloaded byte for byte, never changed."""

import hashlib
from datetime import date

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from accounts.refusal import Refused
from benchmark.models import FrozenTuple, Release, TupleFile, TupleFilePart
from benchmark.tuples import files
from benchmark.tuples.actions import declare_tuple
from tests.factories import ReleaseFactory, RunFactory

pytestmark = pytest.mark.django_db
ENTRIES = {
    "split": "Eval-200",
    "retrieval": "Scholar cache",
    "materialisation": "log of 2026-10-01",
    "scoring": "judge-v1",
    "evaluated_on": date(2026, 10, 2),
}
CACHE = b'{"query": "bounded gaps"}\n' * 50 + b"\x00\xff\r\n"  # no text, and nothing that a stream may change
SHA256 = hashlib.sha256(CACHE).hexdigest()


@pytest.fixture
def release() -> Release:
    return ReleaseFactory(name="spring")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a short file has several."""
    monkeypatch.setattr(files, "PART", 512)


@pytest.fixture
def client(client: Client, coordinator: User) -> Client:
    client.force_login(coordinator)
    return client


def sent(content: bytes = CACHE, name: str = "cache.jsonl") -> ContentFile:
    return ContentFile(content, name=name)


def declared(release: Release, name: str = "october", **changes: object) -> FrozenTuple:
    return declare_tuple(actor=None, release=release, name=name, **{**ENTRIES, **changes})


def test_a_file_is_stored_in_parts_under_the_hash_that_we_compute(release):
    found = declared(release, files={"retrieval": sent()})
    stored = found.retrieval_file
    assert (stored.sha256, stored.size, stored.name) == (SHA256, len(CACHE), "cache.jsonl")
    # 50 lines of 26 bytes and 4 bytes are 1,304: parts of 512, 512 and 280
    assert [len(part.data) for part in stored.parts.order_by("number")] == [512, 512, 280]
    assert (found.materialisation_file, found.scoring_file) == (None, None)
    assert AuditEvent.objects.get(verb="declare_tuple").details["files"] == {"retrieval": SHA256}


def test_equal_files_are_stored_once_whatever_they_are_called(release):
    first = declared(release, files={"retrieval": sent(), "scoring": sent(name="other.bin")})
    second = declared(release, "november", files={"materialisation": sent()})
    assert first.retrieval_file == first.scoring_file == second.materialisation_file
    assert TupleFilePart.objects.count() == 3


def test_a_hash_that_is_given_is_compared_and_a_refusal_leaves_nothing(release):
    given = {"retrieval": f" SHA256:{SHA256.upper()}\n"}
    assert declared(release, files={"retrieval": sent()}, hashes=given).retrieval_file.sha256 == SHA256
    with pytest.raises(Refused, match=f"The SHA-256 of log is .*, not {SHA256}") as refusal:
        declared(
            release, "other", files={"materialisation": sent(b"x", "log")}, hashes={"materialisation": SHA256}
        )
    assert (refusal.value.code, refusal.value.field) == ("other_hash", "materialisation_file")
    with pytest.raises(Refused, match="64 hexadecimal digits") as refusal:
        declared(release, "other", files={"scoring": sent(b"x")}, hashes={"scoring": "a3"})
    assert refusal.value.field == "scoring_sha256"
    with pytest.raises(Refused, match="no stored file with this hash"):
        declared(release, "other", hashes={"scoring": SHA256})
    with pytest.raises(Refused, match="is empty"):
        declared(release, "other", files={"scoring": sent(b"")})
    assert (FrozenTuple.objects.count(), TupleFile.objects.count()) == (1, 1)


def test_the_same_tuple_again_needs_no_file_and_refuses_another_one(release):
    found = declared(release, files={"retrieval": sent()})
    run = RunFactory(release=release)
    assert declared(release, runs=[run]) == found
    assert declared(release, files={"retrieval": sent()}, hashes={"retrieval": SHA256}) == found
    assert declared(release, hashes={"retrieval": SHA256}) == found
    for changes in (
        {"files": {"retrieval": sent(b"changed")}},
        {"files": {"scoring": sent()}},  # files come with the declaration
    ):
        with pytest.raises(Refused, match=r"has another (retrieval|scoring) file") as refusal:
            declared(release, **changes)
        assert refusal.value.code == "tuple_differs"
    with pytest.raises(Refused, match="no stored file with this hash"):
        declared(release, hashes={"retrieval": "0" * 64})
    assert TupleFile.objects.count() == 1


def test_the_page_takes_files_shows_their_hashes_and_gives_them_back(release, client):
    address = reverse("release-tuples", args=[release.name])
    body = {**ENTRIES, "name": "october", "retrieval_file": SimpleUploadedFile("cache.jsonl", CACHE)}
    refused = client.post(address, body | {"retrieval_sha256": "0" * 64}).content.decode()
    assert f"The SHA-256 of cache.jsonl is {SHA256}" in refused
    body["retrieval_file"].seek(0)
    assert client.post(address, body | {"retrieval_sha256": SHA256}).status_code == 302
    page = client.get(address).content.decode()
    assert SHA256 in page
    assert page.count("named, not stored") == 2
    file = reverse("tuple-file", args=[release.name, "october", "retrieval"])
    assert file in page
    reply = client.get(file)
    assert b"".join(reply.streaming_content) == CACHE
    assert reply["Content-Disposition"] == 'attachment; filename="cache.jsonl"'
    assert (reply["Content-Type"], reply["Content-Length"]) == ("application/octet-stream", str(len(CACHE)))
    for entry in ("scoring", "name", "files"):
        assert client.get(reverse("tuple-file", args=[release.name, "october", entry])).status_code == 404


def test_a_number_that_no_run_can_have_is_no_choice(release, client):
    body = {**ENTRIES, "name": "october", "runs": ["9223372036854775808"]}
    reply = client.post(reverse("release-tuples", args=[release.name]), body)
    assert "is not one of the available choices" in reply.content.decode()


def test_rest_takes_a_form_with_files_and_says_what_is_stored(release, client):
    address = reverse("api-release-tuples", args=[release.name])
    runs = [RunFactory(release=release).system.slug for _ in range(2)]
    body = {**ENTRIES, "name": "october", "runs": runs, "scoring_file": SimpleUploadedFile("s.json", CACHE)}
    reply = client.post(address, body, headers={"Idempotency-Key": "once"})
    assert reply.status_code == 200, reply.content
    document = reply.json()
    assert document["scoring_file"] == {"name": "s.json", "size": len(CACHE), "sha256": SHA256}
    assert (document["retrieval_file"], document["runs"]) == (None, sorted(runs))
    assert client.get(address).json() == [document]
    file = client.get(reverse("api-tuple-file", args=[release.name, "october", "scoring"]))
    assert b"".join(file.streaming_content) == CACHE
    # the same key: with the same file the first reply, with other bytes a refusal
    body["scoring_file"] = SimpleUploadedFile("s.json", CACHE)
    assert client.post(address, body, headers={"Idempotency-Key": "once"}).json() == document
    body["scoring_file"] = SimpleUploadedFile("s.json", CACHE + b"x")
    assert client.post(address, body, headers={"Idempotency-Key": "once"}).status_code == 422
    body["scoring_file"] = SimpleUploadedFile("s.json", CACHE + b"x")
    assert client.post(address, body).json()["code"] == "tuple_differs"


def test_more_than_the_site_receives_at_once_is_refused_on_the_page_and_by_rest(release, client, settings):
    settings.IMPORT_MAX_BYTES = 1024 * 1024
    for address, status in (("release-tuples", 200), ("api-release-tuples", 400)):
        large = {  # each is within the limit, both together are not
            "retrieval_file": SimpleUploadedFile("a", b"a" * 600_000),
            "scoring_file": SimpleUploadedFile("b", b"b" * 600_000),
        }
        reply = client.post(reverse(address, args=[release.name]), {**ENTRIES, "name": "october", **large})
        assert reply.status_code in (status, 409), reply.content
        assert "larger than 1 MB together" in reply.content.decode()
    assert not FrozenTuple.objects.exists()


def test_a_declaration_without_the_csrf_token_is_refused_as_on_every_page(release, coordinator):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(coordinator)
    address = reverse("release-tuples", args=[release.name])
    assert strict.post(address, {**ENTRIES, "name": "october"}).status_code == 403
    assert not FrozenTuple.objects.exists()


def test_the_database_itself_keeps_files_whole_and_unchanged(release):
    stored = declared(release, files={"retrieval": sent()}).retrieval_file

    def refuses(words, change):
        with pytest.raises(IntegrityError, match=words), transaction.atomic():
            change()

    refuses("append-only", lambda: TupleFile.objects.filter(pk=stored.pk).update(name="other"))
    refuses("append-only", lambda: stored.parts.filter(number=1).update(data=b"y" * 512))
    refuses("append-only", lambda: stored.parts.filter(number=3).delete())
    refuses("append-only", lambda: FrozenTuple.objects.update(retrieval_file=None))
    refuses("append-only", lambda: FrozenTuple.objects.update(scoring_file=stored))
    refuses(
        "no more bytes than its size", lambda: TupleFilePart.objects.create(file=stored, number=4, data=b"y")
    )
    half = TupleFile.objects.create(sha256="a" * 64, size=3, name="half")
    TupleFilePart.objects.create(file=half, number=1, data=b"ab")
    for entry in ("retrieval", "materialisation", "scoring"):
        wanted = FrozenTuple(release=release, name="x", **ENTRIES, **{f"{entry}_file": half})
        refuses("stored whole", wanted.save)
    TupleFilePart.objects.create(file=half, number=2, data=b"c")
    FrozenTuple.objects.create(release=release, name="x", **ENTRIES, scoring_file=half)
