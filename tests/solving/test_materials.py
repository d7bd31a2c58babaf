"""Knowledge banks and block lists: an owner adds them, staff read them, runs are given them."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from solving.materials.actions import add_material
from solving.models import Material
from solving.starting.forms import RunForm
from tests.solving.site import problems, rma, solver, start, work, world_server

pytestmark = pytest.mark.django_db
PHRASE = "every ball of radius at most one half is convex"
BLOCKED = {"identifiers": ["arXiv:2401.00001v2", "10.1000/xyz.1"], "phrases": [PHRASE]}
BANK = {"entries": [{"key": "k1", "title": "Compactness", "statement": "Closed and bounded.", "tags": ["t"]}]}


def sent(client: Any, kind: str = "blocked", name: str = "answers", **more: Any) -> Any:
    return client.post(reverse("new-material"), {"kind": kind, "name": name, **more})


@pytest.mark.parametrize(("kind", "content"), [("blocked", BLOCKED), ("bank", BANK)])
@pytest.mark.parametrize("way", ["file", "text"])
def test_an_owner_adds_one_on_the_page_and_a_new_run_can_have_it(client, owner, kind, content, way):
    client.force_login(owner)
    assert "no block list yet" in client.get(reverse("materials")).content.decode()
    written = json.dumps(content)
    given = (
        {"content": written} if way == "text" else {"file": SimpleUploadedFile("a.json", written.encode())}
    )
    reply = sent(client, kind, **given)
    made = Material.objects.get()
    assert reply.url == reverse("material", args=[made.pk])
    assert made.added_by == owner
    page = client.get(reply.url).content.decode()
    assert (PHRASE if kind == "blocked" else "Closed and bounded.") in page
    assert "No run has used it yet." in page
    assert "answers" in client.get(reverse("materials")).content.decode()
    assert list(RunForm().fields[kind].queryset) == [made]
    assert sent(client, kind, content=written).url == reply.url  # the same again is the same one
    assert Material.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "Give a file or a text."),
        ("{", "Not one JSON object"),
        ("[]", "Not one JSON object."),
        ("{}", "content: there is no rule in it"),
        ('{"hosts": [""]}', "is not a host"),
        ('{"identifiers": ["Tutte"]}', "neither a DOI nor an arXiv number"),
        ('{"titles": ["!"]}', "has no words"),
        ('{"phrases": ["it follows that"]}', "fewer than 8 words"),
        ('{"host": ["a.org"]}', "host: Extra inputs are not permitted"),
        ('{"hosts": ["a.org", 7]}', "hosts.1: Input should be a valid string"),
    ],
)
def test_a_block_list_that_would_block_nothing_or_everything_is_refused_with_the_rule(
    client, owner, content, says
):
    client.force_login(owner)
    reply = sent(client, content=content)
    assert reply.status_code == 400
    assert says in reply.context["form"].errors["content"][0]
    assert reply.context["form"]["content"].value() == content  # what was typed is still there
    assert not Material.objects.exists()


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([], "entries"),
        ([{"key": "", "title": "", "statement": "x"}], "entries.0.key"),
        ([{"key": "k", "title": ""}], "entries.0.statement: Field required"),
        ([{"key": "k", "title": "", "statement": "x"}] * 2, "content: two entries have the same key"),
    ],
)
def test_a_bank_that_cannot_be_used_is_refused_with_the_entry(client, owner, entries, says):
    client.force_login(owner)
    reply = sent(client, "bank", content=json.dumps({"entries": entries}))
    assert reply.status_code == 400
    assert says in reply.context["form"].errors["content"][0]


def test_a_file_and_a_text_or_a_file_that_is_too_large_are_refused(client, owner):
    client.force_login(owner)
    both = sent(client, content="{}", file=SimpleUploadedFile("a.json", b"{}"))
    assert both.context["form"].errors["file"] == ["Give a file or a text, not both."]
    large = sent(client, file=SimpleUploadedFile("a.json", b" " * 2_000_001))
    assert large.context["form"].errors["file"] == ["It is larger than 2 MB."]


def test_another_content_gets_a_name_of_its_own(client, owner):
    client.force_login(owner)
    sent(client, content=json.dumps(BLOCKED))
    reply = sent(client, content=json.dumps({"hosts": ["a.org"]}))
    assert reply.status_code == 400
    assert "There is already another answers." in reply.context["form"].errors["name"][0]
    # a bank is something else than a block list
    assert sent(client, "bank", content=json.dumps(BANK)).status_code == 302


def test_over_rest_an_owner_adds_one_and_a_coordinator_reads_it(client, owner, coordinator):
    address, body = reverse("api-materials"), {"kind": "bank", "name": "results", "content": BANK}
    client.force_login(coordinator)
    assert client.post(address, json.dumps(body), "application/json").status_code == 403
    client.force_login(owner)
    made = client.post(address, json.dumps(body), "application/json")
    assert made.status_code == 201
    refused = client.post(address, json.dumps({**body, "content": {}}), "application/json")
    assert (refused.status_code, refused.json()["field"]) == (409, "content")
    client.force_login(coordinator)
    (listed,) = client.get(address, {"kind": "bank"}).json()["results"]
    assert (listed["name"], "content" in listed) == ("results", False)
    read = client.get(reverse("api-material", args=[listed["id"]])).json()
    assert read["content"]["entries"][0]["statement"] == "Closed and bounded."
    assert client.get(address, {"kind": "blocked"}).json()["results"] == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_bank_says_how_often_attempts_were_shown_its_entries(client, coordinator, settings):
    entries = [
        {"key": "sum", "title": "Equality", "statement": "Show that 1 = 1."},
        {"key": "other", "title": "Planar graphs", "statement": "They have four colours."},
    ]
    bank = add_material(actor=None, kind="bank", name="results", content={"entries": entries})
    with world_server(settings):
        release = problems(2)
        work(start(solver(settings=rma(knowledge=True, assumption_check=False)), release, bank=bank))
    client.force_login(coordinator)
    reply = client.get(reverse("material", args=[bank.pk]))
    assert dict(reply.context["hits"]) == {"sum": 2}
    assert "Shown to attempts" in reply.content.decode()


def test_a_large_bank_is_shown_page_by_page(client, owner):
    client.force_login(owner)
    entries = [{"key": f"k{at}", "title": f"Result {at}", "statement": "x"} for at in range(150)]
    page = sent(client, "bank", content=json.dumps({"entries": entries})).url
    assert client.get(page).content.decode().count("<section") == 100
    assert "Result 149" in client.get(page, {"page": 2}).content.decode()
