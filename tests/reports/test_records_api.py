"""Public records by REST: what would be published, publishing exactly that, and withdrawing it."""

from datetime import date

import pytest
import time_machine
from django.urls import reverse

from accounts.models import User
from benchmark.describing.actions import describe_release
from benchmark.releases.freezing import freeze_release
from reports.artifact.freezing import freeze_artifact
from reports.models import PublicRecord
from reports.records.actions import withdraw_record
from reports.records.embargoes import end_embargoes

pytestmark = pytest.mark.django_db
WISH = {"name": "gaps", "title": "Gaps", "asked": "Find a statement.", "limitations": "Few gaps."}


@pytest.fixture
def address(proofs, settings, tmp_path):
    """Where records of a described and frozen release are; its score is frozen too."""
    settings.RECORD_DIR = tmp_path / "records"
    describe_release(
        actor=None, release=proofs, licence="CC-BY-4.0", creators="Nora Feld", published_on=date(2026, 11, 1)
    )
    freeze_release(actor=None, release=proofs)
    proofs.refresh_from_db()
    freeze_artifact(actor=None, release=proofs)
    return reverse("api-records", args=[proofs.name])


def send(client, address, **body):
    return client.post(address, {**WISH, **body}, content_type="application/json")


@pytest.mark.slow
def test_the_first_request_says_what_would_be_public_and_the_second_publishes_it(
    address, client, owner, django_capture_on_commit_callbacks
):
    client.force_login(owner)
    looked = send(client, address)
    assert looked.status_code == 200
    assert not PublicRecord.objects.exists()
    assert {"index.html", "labels.csv", "CITATION.cff"} <= looked.json()["files"].keys()
    with django_capture_on_commit_callbacks(execute=True):
        made = send(client, address, seen=looked.json()["sha256"])
    assert made.status_code == 201
    assert made.json()["address"] == looked.json()["address"]
    assert [(row["name"], row["version"]) for row in client.get(address).json()] == [("gaps", 1)]
    assert client.get("/records/gaps/1/").status_code == 200


def test_what_was_not_looked_at_is_not_published(address, client, owner):
    client.force_login(owner)
    seen = send(client, address).json()["sha256"]
    refused = send(client, address, seen=seen, title="Another title")
    assert (refused.status_code, refused.json()["code"]) == (409, "changed")
    assert not PublicRecord.objects.exists()


def test_coordinators_see_records_and_only_owners_publish_or_withdraw(address, client, coordinator, proofs):
    client.force_login(coordinator)
    assert client.get(address).json() == []
    assert send(client, address).status_code == 403
    withdraw = reverse("api-withdraw-record", args=[proofs.name, "gaps", 1])
    assert client.post(withdraw, {"reason": "No."}, content_type="application/json").status_code == 403


def test_a_version_is_withdrawn_with_a_reason_and_its_page_stays(
    address, client, owner, proofs, django_capture_on_commit_callbacks
):
    client.force_login(owner)
    with django_capture_on_commit_callbacks(execute=True):
        send(client, address, seen=send(client, address).json()["sha256"])
    withdraw = reverse("api-withdraw-record", args=[proofs.name, "gaps", 1])
    assert client.post(withdraw, {"reason": " "}, content_type="application/json").status_code == 400
    with django_capture_on_commit_callbacks(execute=True):
        gone = client.post(
            withdraw, {"reason": "The marks of problem 3 were mixed up."}, content_type="application/json"
        )
    assert gone.json()["withdrawn_reason"] == "The marks of problem 3 were mixed up."
    assert "problem 3 were mixed up" in client.get("/records/gaps/1/").content.decode()
    again = client.post(withdraw, {"reason": "Again."}, content_type="application/json")
    assert again.json()["code"] == "withdrawn"
    nowhere = reverse("api-withdraw-record", args=[proofs.name, "gaps", 2])
    assert client.post(nowhere, {"reason": "Why?"}, content_type="application/json").status_code == 404


def test_fields_are_named_that_are_missing_or_unknown(address, client, owner):
    client.force_login(owner)
    bare = client.post(address, {"name": "gaps"}, content_type="application/json")
    assert set(bare.json()["problems"]) == {"title", "asked", "limitations"}
    assert send(client, address, artifact="0" * 64).json()["field"] == "artifact"
    assert send(client, address, embargo={"nonesuch": "2027-03-01"}).json()["field"] == "embargo"
    assert send(client, address, colour="blue").status_code == 400


@pytest.mark.slow
def test_on_the_day_that_was_announced_the_texts_become_public_as_a_new_version(
    address, client, owner, django_capture_on_commit_callbacks
):
    wish = {"show_problems": True, "embargo": {"": "2027-03-01"}}
    with time_machine.travel("2027-02-01 12:00+00:00"), django_capture_on_commit_callbacks(execute=True):
        client.force_login(owner)
        looked = send(client, address, **wish).json()
        assert send(client, address, **wish, seen=looked["sha256"]).status_code == 201
    first = client.get("/records/gaps/1/").content.decode()
    assert "public on 1 March 2027" in first
    with time_machine.travel("2027-02-28 12:00+00:00"):
        assert end_embargoes() == 0
    with time_machine.travel("2027-03-01 12:00+00:00"), django_capture_on_commit_callbacks(execute=True):
        assert end_embargoes() == 1
        assert end_embargoes() == 0
    latest = PublicRecord.objects.latest("version")
    assert (latest.version, latest.published_by) == (2, None)
    assert "the texts of 8 problems are public now" in latest.declared["changes"]
    second = client.get("/records/gaps/2/").content.decode()
    assert "public on 1 March 2027" not in second
    assert "Version 2" in client.get("/records/gaps/1/").content.decode()  # the band on the older one


@pytest.mark.slow
def test_the_next_version_keeps_closed_what_is_still_closed_unless_it_says_otherwise(
    address, client, owner, django_capture_on_commit_callbacks
):
    days = {"sample-proof-01": "2027-01-01", "sample-proof-02": "2027-03-01"}

    def published(**body) -> dict[str, str]:
        with django_capture_on_commit_callbacks(execute=True):
            looked = send(client, address, show_problems=True, **body).json()
            send(client, address, show_problems=True, **body, seen=looked["sha256"])
        return PublicRecord.objects.latest("version").declared["embargo"]

    with time_machine.travel("2026-12-01 12:00+00:00"):
        client.force_login(owner)
        assert published(embargo=days) == days
    with time_machine.travel("2027-02-01 12:00+00:00"):
        client.force_login(owner)
        assert published() == {"sample-proof-02": "2027-03-01"}
        assert published(embargo={}) == {}
    assert PublicRecord.objects.count() == 3


def test_a_record_of_another_name_keeps_closed_what_the_first_keeps_closed(
    address, client, owner, django_capture_on_commit_callbacks
):
    def published(**body) -> dict[str, str]:
        with django_capture_on_commit_callbacks(execute=True):
            looked = send(client, address, **body).json()
            send(client, address, **body, seen=looked["sha256"])
        return PublicRecord.objects.latest("pk").declared["embargo"]

    closed = {"sample-proof-01": "2999-01-01"}
    client.force_login(owner)
    assert published(show_problems=True, embargo=closed) == closed
    assert published(name="nothing-shown") == {}
    assert published(show_problems=True, name="another") == closed
    assert published(show_problems=True, name="opened", embargo={}) == {}
    form = client.get("/reports/releases/sample-proofs/records/publish/").context["form"]
    assert form.initial["embargo"] == "sample-proof-01 2999-01-01"


@pytest.mark.slow
def test_the_last_version_is_the_one_published_last_even_if_the_clock_was_set_back(
    address, client, owner, django_capture_on_commit_callbacks
):
    def published(**body) -> dict[str, str]:
        with django_capture_on_commit_callbacks(execute=True):
            looked = send(client, address, show_problems=True, **body).json()
            send(client, address, show_problems=True, **body, seen=looked["sha256"])
        return PublicRecord.objects.latest("version").declared["embargo"]

    with time_machine.travel("2026-12-01 12:00+00:00"):
        client.force_login(owner)
        published(embargo={"sample-proof-01": "2027-01-01"})
    with time_machine.travel("2026-12-01 11:00+00:00"):
        client.force_login(owner)
        longer = published(embargo={"sample-proof-01": "2028-01-01"})
        form = client.get("/reports/releases/sample-proofs/records/publish/").context["form"]
        assert form.initial["embargo"] == "sample-proof-01 2028-01-01"
        assert published() == longer == {"sample-proof-01": "2028-01-01"}


@pytest.mark.slow
def test_what_is_published_when_an_embargo_ends_names_nobody_whom_no_owner_saw(
    address, client, owner, proofs, django_capture_on_commit_callbacks
):
    first, second, third = User.objects.filter(assignments__item__campaign__release=proofs).distinct()
    User.objects.filter(pk__in=[first.pk, second.pk]).update(credit="named")
    wish = {"show_problems": True, "embargo": {"": "2027-03-01"}}
    with time_machine.travel("2027-02-01 12:00+00:00"), django_capture_on_commit_callbacks(execute=True):
        client.force_login(owner)
        send(client, address, **wish, seen=send(client, address, **wish).json()["sha256"])
    User.objects.filter(pk=second.pk).update(credit="anonymous")
    User.objects.filter(pk=third.pk).update(credit="named")
    other = {"licence": "MIT", "creators": "Mallory", "published_on": date(2027, 2, 2)}
    describe_release(actor=None, release=proofs, **other)
    with time_machine.travel("2027-03-01 12:00+00:00"), django_capture_on_commit_callbacks(execute=True):
        assert end_embargoes() == 1
    said = PublicRecord.objects.get(version=2).declared
    assert (said["licence"], said["authors"], said["credited"]) == ("CC-BY-4.0", ["Nora Feld"], [first.name])


def test_a_withdrawn_record_publishes_nothing_when_its_embargo_ends(
    address, client, owner, django_capture_on_commit_callbacks
):
    wish = {"show_problems": True, "embargo": {"": "2027-03-01"}}
    with time_machine.travel("2027-02-01 12:00+00:00"), django_capture_on_commit_callbacks(execute=True):
        client.force_login(owner)
        send(client, address, **wish, seen=send(client, address, **wish).json()["sha256"])
        withdraw_record(actor=owner, record=PublicRecord.objects.get(), reason="A mistake.")
    with time_machine.travel("2027-03-02 12:00+00:00"):
        assert end_embargoes() == 0
