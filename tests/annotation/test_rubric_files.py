"""Rubrics that coordinators bring: read with line and reason, stored once, offered where a campaign is made."""

import json

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusal import NotAllowed, Refused
from annotation.models import Rubric
from annotation.rubrics import actions
from annotation.rubrics.available import known_rubrics, read_rubric_file, rubric_called, rubric_toml
from benchmark.protocols import get_protocol, protocol_names
from tests.factories import ReleaseFactory
from tests.own_scale import LEVELS

pytestmark = pytest.mark.django_db
# The hashes under which rubrics of the protocols are stored in installations.
HASHES = {
    "re2math-audit-v1": "906a25b93981195813ab124d7b99fbb04c6f9a788803f3ab971459ad8bb59af5",
    "re2math-construction-v1": "c9280846fd08e2c72748514ddd6ab5a0e0bd7413528c3eefbf8ad2bd33d95f60",
    "masked-steps-equivalence-v1": "d8cfae8a6162b873b1f57f6a96ef13fbacb43fade0ae0bc95cca1560cf017ac2",
    "masked-steps-mask-v1": "b56f2e52cb42fd36abdd45f9b406f411205859a71f9a35fe87711f3080443c11",
    "lemmas-proof-v1": "2061bb6cf7968ef9e0eb6b2f3743f3ba78e634f4d5e090d8be2f254371b9f1d7",
    "lemmas-steps-v1": "e112ba50f830d2d82a7abf4bce4a04a57a86a7923e5b09d08cc3b8e3697a1f32",
    "lemmas-context-v1": "4cbaeaa89ab51a578da1e30f51d9808302a85fdc5b57d8b145356b61be8c5b8c",
    "proofs-v1": "413ea8455aa7aa52f803f680e663cce25aa402b7d4ae043d43e64031423002e9",
    "proofs-first-error-v1": "603eae460ef99233d74d534f6d510c11ae25fd9843c8088079a24c92b78214f7",
    "proofs-steps-v1": "834a959cf295035cad782b9dfef9d2ff470d6f96afd8e31f753d38b133d1fccb",
    "proofs-pairs-v1": "f5c84e0b12137d5425a14e9ad8ef44419cc5467ab901ee2595a26caef2a937d2",
    "proofs-audit-v1": "77b01258221c6869898850a7263af1940b2de61bd345a54845dadda40f4310da",
    "theorem-search-relevance-v1": "2aaae5449c714dcf25948bb98d818ad86fd526041a9f3368ce3947bc10b4811c",
}


def test_rubrics_that_are_stored_keep_their_hash():
    found = {r.label: r.sha256 for name in protocol_names() for r in get_protocol(name).rubrics}
    assert {label: found[label] for label in HASHES} == HASHES


@pytest.mark.parametrize("protocol", protocol_names())
def test_every_rubric_written_as_a_file_is_read_as_the_same_one(protocol):
    for rubric in get_protocol(protocol).rubrics:
        renamed = rubric_toml(rubric).replace(f'name = "{rubric.name}"', 'name = "another"')
        [back] = read_rubric_file(renamed.encode(), get_protocol(protocol))
        assert back.content == {**rubric.content, "name": "another"}


def test_an_imported_rubric_is_offered_and_comes_back_as_a_file(coordinator):
    ReleaseFactory(benchmark__protocol="proofs")
    [row] = actions.import_rubrics(actor=coordinator, protocol="proofs", content=LEVELS.encode())
    assert row.label in [rubric.label for rubric in known_rubrics("proofs")]
    [again] = read_rubric_file(
        rubric_toml(rubric_called("proofs", row.label)).encode(), get_protocol("proofs")
    )
    assert again.sha256 == row.sha256
    entry = AuditEvent.objects.get(verb="import_rubric")
    assert entry.details["sha256"] == row.sha256


def test_the_same_file_again_changes_nothing_and_another_content_is_refused(coordinator):
    [row] = actions.import_rubrics(actor=coordinator, protocol="proofs", content=LEVELS.encode())
    assert actions.import_rubrics(actor=coordinator, protocol="proofs", content=LEVELS.encode()) == [row]
    assert AuditEvent.objects.filter(verb="import_rubric").count() == 1
    with pytest.raises(Refused, match="needs a new version number"):
        actions.import_rubrics(
            actor=coordinator,
            protocol="proofs",
            content=LEVELS.replace("As for a journal", "As you like").encode(),
        )
    with pytest.raises(DatabaseError), transaction.atomic():
        Rubric.objects.filter(pk=row.pk).update(version=2)


def test_a_file_with_one_bad_rubric_stores_none(coordinator):
    second = LEVELS.replace('"referee"', '"other"').replace('"ordinal"', '"ordered"')
    with pytest.raises(Refused, match="level 'ordered'"):
        actions.import_rubrics(actor=coordinator, protocol="proofs", content=(LEVELS + second).encode())
    assert not Rubric.objects.exists()


def test_reviewers_bring_no_rubrics(algebraist):
    with pytest.raises(NotAllowed):
        actions.import_rubrics(actor=algebraist, protocol="proofs", content=LEVELS.encode())


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('level = "ordinal"', 'level = "ordered"', r"Line 8: .*level 'ordered'"),
        ('scale = "text"', 'scale = "words"', r"Line 24: .*unknown scale 'words'"),
        ('key = "remarks"', 'key = "recommendation"', r"Line 2: .*a question key appears twice"),
        ('key = "remarks"', 'key = "My remarks"', r"Line 24: the key 'My remarks'"),
        ("required = false", 'required = "no"', r"Line 24: .*required must be a bool"),
        ("required = false", "order = 1", r"Line 24: .*field 'order'"),
        ('kind = "grade"', 'kind = "exam"', r"Line 2: kind 'exam' is not one of"),
        (
            'kind = "grade"',
            'kind = "compare"',
            r"Line 2: a comparison needs a question with the scale preference",
        ),
        ('name = "referee"', 'name = "proofs"', r"Line 2: proofs is the name of a rubric of"),
        ('name = "referee"', 'name = "A B"', r"Line 2: the name 'A B'"),
        ("version = 1", "version = 0", r"Line 2: the version must be a number from 1"),
        ("version = 1", "version = true", r"Line 2: .*version must be a int"),
        ("version = 1", "", r"Line 2: .*lacks version"),
        ('minor = "typo', 'tiny = "typo', r"Line 8: .*'tiny' is not one of"),
        ("version = 1", "version = = 1", r"not TOML.*line 4"),
        ("[[rubric]]", "[[form]]", r"must consist of \[\[rubric\]\] tables|not TOML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old, new, reason, coordinator):
    assert old in LEVELS
    with pytest.raises(Refused, match=reason):
        actions.import_rubrics(
            actor=coordinator, protocol="proofs", content=LEVELS.replace(old, new, 1).encode()
        )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"x" * 300_000,
        b"rubric = 3",
        b"rubric = [1]",
        b"[[rubric]]\nquestions = [1]",
        b"a = " + b"[" * 5000,
    ],
)
def test_any_bytes_are_refused_with_a_reason(content, coordinator):
    with pytest.raises(Refused):
        actions.import_rubrics(actor=coordinator, protocol="proofs", content=content)


def test_a_predicate_of_judges_keeps_its_scale(coordinator):
    """An audit on other words would make every output a failure without a remark."""
    audit = LEVELS.replace('kind = "grade"', 'kind = "audit"').replace('"recommendation"', '"ground"')
    with pytest.raises(Refused, match=r"ground is a predicate of .*; its scale is predicate"):
        actions.import_rubrics(actor=coordinator, protocol="re2math", content=audit.encode())


def test_the_page_takes_a_file_and_says_what_is_wrong_with_another(client, coordinator, tmp_path):
    client.force_login(coordinator)
    for text, status in ((LEVELS.replace("version = 1", "version = 0"), 422), (LEVELS, 302)):
        path = tmp_path / "rubric.toml"
        path.write_text(text)
        with path.open("rb") as file:
            answer = client.post(reverse("rubrics"), {"protocol": "proofs", "file": file})
        assert answer.status_code == status
    page = client.get(reverse("rubrics")).content.decode()
    assert "Ordinal: flawless, minor, major, reject. Success: flawless or minor." in page
    file = client.get(reverse("rubric-file", args=["proofs", "referee-v1"]))
    assert read_rubric_file(file.content, get_protocol("proofs"))[0].label == "referee-v1"
    assert client.get(reverse("rubric-file", args=["proofs", "nonesuch-v1"])).status_code == 404
    assert client.get(reverse("rubric-file", args=["nonesuch", "proofs-v1"])).status_code == 404


def test_rest_lists_imports_and_returns_rubrics(client, coordinator):
    client.force_login(coordinator)
    address = reverse("api-rubrics", args=["proofs"])
    made = client.post(address, json.dumps({"toml": LEVELS}), content_type="application/json")
    assert made.status_code == 201
    assert made.json()[0]["label"] == "referee-v1"
    assert "referee-v1" in [row["label"] for row in client.get(address).json()]
    refused = client.post(address, json.dumps({"toml": "x"}), content_type="application/json")
    assert refused.status_code in (409, 422)
    one = client.get(reverse("api-rubric", args=["proofs", "referee-v1"])).json()
    assert one["sha256"] == made.json()[0]["sha256"]
    assert 'values = ["flawless", "minor", "major", "reject"]' in one["toml"]


def test_the_console_imports_and_exports(console, coordinator, tmp_path, capsys):
    path = tmp_path / "rubric.toml"
    path.write_text(LEVELS)
    who = ("--as", coordinator.email)
    call_command("api", "POST", "rubrics/proofs/", "--text", f"toml={path}", *who)
    assert json.loads(capsys.readouterr().out)[0]["label"] == "referee-v1"
    call_command("api", "GET", "rubrics/proofs/referee-v1/", *who)
    toml = json.loads(capsys.readouterr().out)["toml"]
    [back] = read_rubric_file(toml.encode(), get_protocol("proofs"))
    assert back.sha256 == Rubric.objects.get().sha256
