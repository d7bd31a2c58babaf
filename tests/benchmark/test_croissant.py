"""A release described to the world: description, instances as one file, Croissant metadata."""

import hashlib
import json
from datetime import date

import pytest
from django.core.management import call_command
from django.db import IntegrityError

from accounts.models import AuditEvent
from accounts.refusal import Refused
from benchmark.canonical import collection_sha256
from benchmark.describing.actions import describe_release
from benchmark.describing.croissant import croissant, payload_types
from benchmark.models import Release, ReleaseDescription
from benchmark.releases.freezing import freeze_release
from benchmark.releases.instance_file import instance_lines
from tests.reports.conftest import load

pytestmark = pytest.mark.django_db
SAID = {
    "licence": "CC-BY-4.0",
    "creators": "Ada Example; Bela Example",
    "citation": "Example and Example, 2026.",
    "homepage": "https://example.org/gaps",
    "version": "1.2.0",
    "published_on": date(2026, 11, 21),
}


@pytest.fixture
def release():
    return load("sample-re2math", "re2math", {})


@pytest.fixture
def described(release):
    describe_release(actor=None, release=release, **SAID)
    return release


def bytes_of(answer):
    return b"".join(answer.streaming_content)


def test_the_file_carries_the_hashes_of_the_release(release):
    lines = list(instance_lines(release))
    keys = [json.loads(line)["instance"] for line in lines]
    hashes = [hashlib.sha256(line.removesuffix(b"\n")).hexdigest() for line in lines]
    assert keys == sorted(keys)
    assert dict(zip(keys, hashes, strict=True)) == dict(release.instances.values_list("key", "sha256"))
    assert collection_sha256(zip(keys, hashes, strict=True)) == release.sha256


def test_metadata_have_what_the_specification_requires(described):
    document = croissant(described, page="https://study.example/r", file="https://study.example/f")
    required = "@context @type conformsTo name description license url creator datePublished"  # Croissant 1.0
    assert set(required.split()) <= set(document)
    assert document["@type"] == "sc:Dataset"
    assert document["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert document["license"] == "CC-BY-4.0"
    assert document["citeAs"] == SAID["citation"]
    assert [person["name"] for person in document["creator"]] == ["Ada Example", "Bela Example"]
    (file,) = document["distribution"]
    content = b"".join(instance_lines(described))
    assert file["sha256"] == hashlib.sha256(content).hexdigest()
    assert file["contentSize"] == f"{len(content)} B"
    assert {"@type", "@id", "name", "contentUrl", "encodingFormat"} <= set(file)


def test_every_field_is_found_in_the_file_where_it_says_with_its_type(described):
    first = json.loads(next(iter(instance_lines(described))))
    (records,) = croissant(described, page="p")["recordSet"]
    assert records["key"]["@id"] in {field["@id"] for field in records["field"]}
    assert len(records["field"]) > 6
    kinds = {"sc:Text": str, "sc:Integer": int, "sc:Float": float, "sc:Boolean": bool}
    for field in records["field"]:
        value = first[field["source"]["extract"]["column"]]
        if "transform" in field["source"]:
            for step in field["source"]["transform"]["jsonPath"].split("."):
                value = value[step]
        assert isinstance(value, kinds[field["dataType"]]), field["@id"]


def test_only_names_with_one_scalar_type_everywhere_become_fields():
    payloads = [
        {"a": 1, "b": "x", "c": [1], "d": 1, "e f": 1, "g": None, "h": 0.5},
        {"a": 2, "d": "x", "h": 1.5},
    ]
    assert payload_types(payloads) == {"a": "sc:Integer", "h": "sc:Float"}


def test_without_a_description_there_are_no_metadata(release, client, coordinator):
    with pytest.raises(Refused, match="not described"):
        croissant(release, page="p")
    client.force_login(coordinator)
    assert client.get(f"/api/v1/releases/{release.name}/croissant/").status_code == 409
    answer = client.get(f"/releases/{release.name}/croissant.json")
    assert answer.headers["Location"] == f"/releases/{release.name}/describe/"


def test_a_frozen_release_may_be_described_and_the_trail_says_by_whom(release, coordinator):
    freeze_release(actor=coordinator, release=release)
    describe_release(actor=coordinator, release=release, **SAID)
    describe_release(actor=coordinator, release=release, **SAID)
    describe_release(actor=coordinator, release=release, **{**SAID, "licence": "MIT"})
    events = AuditEvent.objects.filter(verb="describe_release").order_by("pk")
    assert [event.details["licence"] for event in events] == ["CC-BY-4.0", "MIT"]
    assert ReleaseDescription.objects.get().licence == "MIT"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"licence": " "}, "licence"),
        ({"creators": " ; "}, "creators"),
        ({"version": ""}, "version"),
        ({"homepage": "javascript:alert(1)"}, "homepage"),
        ({"licence": "x" * 201}, "licence"),
    ],
)
def test_a_description_that_says_nothing_is_refused_by_field(release, wrong, field):
    with pytest.raises(Refused) as refusal:
        describe_release(actor=None, release=release, **{**SAID, **wrong})
    assert refusal.value.field == field
    assert not ReleaseDescription.objects.exists()


@pytest.mark.parametrize("field", ["licence", "creators", "version"])
def test_the_database_refuses_a_description_that_lacks_something(release, field):
    with pytest.raises(IntegrityError):
        ReleaseDescription.objects.create(release=release, **{**SAID, field: ""})


def test_the_printed_instances_are_the_file_of_the_metadata(console, release, client, coordinator, capsys):
    call_command("api", "GET", f"releases/{release.name}/instances.jsonl", "--as", coordinator.email)
    printed = capsys.readouterr().out
    client.force_login(coordinator)
    said = {"licence": "MIT", "creators": "Ada Example", "published_on": "2026-11-21"}
    base = f"/api/v1/releases/{release.name}/"
    assert client.put(f"{base}description/", said, content_type="application/json").status_code == 200
    document = client.get(f"{base}croissant/").json()
    assert document["url"].endswith(f"/releases/{release.name}/")
    assert "citeAs" not in document
    assert hashlib.sha256(printed.encode()).hexdigest() == document["distribution"][0]["sha256"]


def test_a_coordinator_describes_on_the_page_and_finds_it_everywhere(release, client, coordinator):
    client.force_login(coordinator)
    page = f"/releases/{release.name}/"
    assert "not described yet" in client.get(page).content.decode()
    answer = client.post(f"{page}describe/", SAID)
    assert answer.status_code == 302
    assert "CC-BY-4.0" in client.get(page).content.decode()
    metadata = client.get(f"{page}croissant.json")
    assert metadata.headers["Content-Type"] == "application/ld+json"
    document = metadata.json()
    content = bytes_of(client.get(document["distribution"][0]["contentUrl"]))
    assert hashlib.sha256(content).hexdigest() == document["distribution"][0]["sha256"]
    wrong = client.post(f"{page}describe/", {**SAID, "homepage": "javascript:alert(1)"})
    assert "Enter a valid URL" in wrong.content.decode()


def test_rest_describes_and_answers_with_the_metadata(release, client, coordinator):
    client.force_login(coordinator)
    address = f"/api/v1/releases/{release.name}/"
    assert client.get(f"{address}description/").status_code == 404
    body = {**SAID, "published_on": "2026-11-21"}
    put = client.put(f"{address}description/", body, content_type="application/json")
    assert (put.status_code, put.json()) == (200, body)
    document = client.get(f"{address}croissant/").json()
    file = client.get(document["distribution"][0]["contentUrl"])
    assert hashlib.sha256(bytes_of(file)).hexdigest() == document["distribution"][0]["sha256"]
    missing = client.put(f"{address}description/", {"licence": "MIT"}, content_type="application/json")
    assert (missing.status_code, missing.json()["field"]) == (400, "creators")
    assert Release.objects.get().description.licence == "CC-BY-4.0"
