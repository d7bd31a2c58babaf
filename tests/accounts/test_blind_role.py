"""With the blind role of PostgreSQL, a reviewer's requests cannot read a system's name, and reviewers miss nothing.

SQLite has no roles: tests/conftest.py collects this file where the suite runs on PostgreSQL.
"""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, transaction
from django.test import Client
from django.urls import reverse
from rest_framework.response import Response

from accounts.database.sight import be_blind, have_sight, identities_readable
from accounts.models import User
from accounts.profile.api import MeView
from accounts.profile.tokens import create_token, revoke_token
from annotation.campaigns.actions import draw_items, open_campaign
from annotation.guessing.actions import ask_for_guesses
from annotation.models import Assignment, Campaign, Grade, Item, SystemGuess
from benchmark.models import Output, System
from config.blind_role import faults, withheld_tables, write_only_tables
from tests.annotation import test_pairs as pairs
from tests.annotation.campaigns import decided, drafted, rubric
from tests.annotation.samples import COMPLETE
from tests.test_canaries import addresses, crawl
from tests.test_canaries import own_study as study

comparison = pairs.comparison
__all__ = ["comparison", "drafted", "rubric", "study"]
pytestmark = pytest.mark.django_db

ROLE = "touchstone_blind"


@pytest.fixture(autouse=True)
def _role(settings: Any, db: None) -> Iterator[None]:
    settings.BLIND_ROLE = ROLE
    call_command("grant_blind_role", verbosity=0)
    yield
    have_sight()


@pytest.fixture
def asking(drafted: Campaign, coordinator: User) -> Campaign:
    ask_for_guesses(actor=coordinator, campaign=drafted)
    draw_items(actor=coordinator, campaign=drafted)
    return open_campaign(actor=coordinator, campaign=drafted)


@pytest.fixture
def ada(client: Client, algebraist: User) -> Client:
    client.force_login(algebraist)
    return client


def current_role() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW role")
        return str(cursor.fetchone()[0])


def test_the_blind_cannot_read_any_table_that_names_a_system(asking: Campaign) -> None:
    be_blind()
    for table in (*withheld_tables(), *write_only_tables()):
        with (
            pytest.raises(ProgrammingError, match=f"permission denied for table {table}"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(f"SELECT * FROM {table}")
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        list(Output.objects.values_list("run__system__slug"))
    assert Output.objects.count() == 6


@pytest.mark.django_db(transaction=True)
def test_code_that_forgets_is_stopped_while_a_reviewer_asks(
    ada: Client, asking: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A view that reads names in a reviewer's request fails there, and nowhere else."""

    def forgetful(*arguments: Any) -> Any:
        return list(System.objects.values_list("name", flat=True))

    monkeypatch.setattr("annotation.grading.views.own_progress", forgetful)
    with pytest.raises(ProgrammingError, match="permission denied"):
        ada.get(reverse("queue"))
    assert forgetful() != []


@pytest.mark.slow
def test_a_whole_day_of_a_reviewer_works(
    ada: Client, asking: Campaign, algebraist: User, coordinator: User
) -> None:
    """Queue, next, open, autosave, submit, guess, next, history, conflicts, comments: all under the role."""
    decided(algebraist, coordinator, ("system", "second-system"))
    assert b"free to take" in ada.get(reverse("queue")).content
    for number in range(2):
        grading = ada.post(reverse("grade-next")).url
        page = ada.get(grading)
        place = Assignment.objects.get(handle=page.context["sheet"].place.handle)
        api = reverse("api-assignment", args=[place.handle])
        saved = ada.put(api, {"version": 0, "content": COMPLETE}, content_type="application/json")
        assert saved.status_code == 200, saved.content
        body = {"content": COMPLETE, "rubric_sha256": asking.rubric.sha256}
        key = {"Idempotency-Key": f"k{number}"}
        sent = ada.post(api, body, content_type="application/json", headers=key)
        assert sent.status_code == 201, sent.content
        asked = ada.get(reverse("guess", args=[place.handle]))
        assert b"Name of the system" in asked.content
        ada.post(reverse("guess", args=[place.handle]), {"system": "first-system"})
        for name in ("grade", "submitted"):
            assert ada.get(reverse(name, args=[place.handle])).status_code in (200, 302)
    for name in ("finished", "own-data", "profile", "comment-bank", "api-queue"):
        assert ada.get(reverse(name)).status_code == 200
    assert Grade.objects.count() == SystemGuess.objects.count() == 2
    held = Item.objects.filter(assignments__reviewer=algebraist)
    assert set(held.values_list("output__run__system__slug", flat=True)) == {"first-system"}


def test_two_proofs_are_compared_under_the_role(
    ada: Client, comparison: Campaign, coordinator: User, algebraist: User
) -> None:
    pairs.opened(comparison, coordinator)
    grading = ada.post(reverse("grade-next")).url
    shown = ada.get(grading).content
    assert b"First proof" in shown
    place = Assignment.objects.get(reviewer=algebraist)
    body = {"content": pairs.content(), "rubric_sha256": comparison.rubric.sha256}
    api = reverse("api-assignment", args=[place.handle])
    sent = ada.post(api, body, content_type="application/json", headers={"Idempotency-Key": "k"})
    assert sent.status_code == 201, sent.content
    assert ada.get(reverse("finished")).status_code == 200


@pytest.mark.slow
def test_no_door_of_a_study_asks_for_more_than_the_role_may(
    study: Campaign, client: Client, algebraist: User
) -> None:
    """Every link that a reviewer can follow, and every address of the site; a refusal of the database would raise."""
    client.force_login(algebraist)
    _, seen = crawl(client, "/", reverse("finished"), reverse("profile"), reverse("own-data"))
    assert sum("/grading/items/" in address for address in seen) >= 2
    handles = list(Assignment.objects.filter(reviewer=algebraist).values_list("handle", flat=True))
    for address in addresses(handles):
        assert client.get(address).status_code < 500, address
    assert current_role() == "none"


@pytest.mark.django_db(transaction=True)
def test_the_console_asks_with_the_sight_of_the_member(
    asking: Campaign, algebraist: User, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    roles = []
    show = MeView.get
    monkeypatch.setattr(MeView, "get", lambda *words: (roles.append(current_role()), show(*words))[1])
    for email in (algebraist.email, owner.email):
        call_command("api", "GET", "me/", "--as", email, stdout=StringIO())
    assert roles == [ROLE, "none"]
    assert current_role() == "none"


def test_staff_are_not_blind_on_pages_or_with_a_token(client: Client, asking: Campaign, owner: User) -> None:
    client.force_login(owner)
    name = System.objects.get(slug="first-system").name
    assert name.encode() in client.get("/releases/sheet/").content
    assert current_role() == "none"


def bearing(secret: str) -> Client:
    """A script with a token and without a cookie."""
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.mark.parametrize("person", ["owner", "coordinator"])
def test_a_token_of_the_staff_reads_streams_and_writes_with_sight(
    request: pytest.FixtureRequest, asking: Campaign, person: str
) -> None:
    script = bearing(
        create_token(actor=request.getfixturevalue(person), label="script", scope="manage").secret
    )
    named = script.get("/api/v1/systems/").json()["results"]
    assert {row["slug"] for row in named} == {"first-system", "second-system"}
    labels = script.get("/api/v1/releases/sheet/labels/", headers={"Accept": "text/csv"})
    assert b"rater_kind" in b"".join(labels.streaming_content)
    reason = {"reason": "The term is over."}
    closed = script.post("/api/v1/campaigns/round-1/close/", reason, content_type="application/json")
    assert closed.status_code == 200, closed.content
    assert current_role() == "none"


def test_no_other_token_gives_sight(
    algebraist: User, owner: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a reviewer or a former owner; one that was revoked or whose owner lacks the factor gets in nowhere."""
    roles: list[str] = []
    monkeypatch.setattr(
        "accounts.profile.api.MeView.get", lambda *_: roles.append(current_role()) or Response({})
    )
    reviewer = bearing(create_token(actor=algebraist, label="script", scope="manage").secret)
    made = create_token(actor=owner, label="script", scope="manage")
    staff = bearing(made.secret)
    for script in (reviewer, staff, reviewer):
        assert script.get("/api/v1/me/").status_code == 200
    assert roles == [ROLE, "none", ROLE]
    settings.REQUIRE_MFA = True
    assert staff.get("/api/v1/me/").status_code == 401
    settings.REQUIRE_MFA = False
    owner.roles.all().delete()
    assert staff.get("/api/v1/me/").status_code == 200
    assert roles[3:] == [ROLE]
    revoke_token(actor=owner, token=made.row)
    assert staff.get("/api/v1/me/").status_code == 401
    assert current_role() == "none"


def test_sight_ends_with_its_block_also_when_the_block_fails(asking: Campaign) -> None:
    be_blind()
    with identities_readable():
        assert System.objects.count() == 2
    assert current_role() == ROLE
    with pytest.raises(ProgrammingError), identities_readable(), connection.cursor() as cursor:
        cursor.execute("SELECT nothing")
    assert current_role() == ROLE
    have_sight()
    with identities_readable():
        pass
    assert current_role() == "none"


def test_a_role_that_does_not_hold_is_named() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT SELECT ON benchmark_system TO {ROLE}")
        cursor.execute(f"REVOKE INSERT ON annotation_grade FROM {ROLE}")
    assert faults(ROLE) == [f"{ROLE} can read benchmark_system", f"{ROLE} may not use annotation_grade"]
    assert faults("nobody_of_that_name") == ["there is no role nobody_of_that_name"]
    call_command("grant_blind_role", verbosity=0)
    assert faults(ROLE) == []


def test_without_a_name_nothing_is_granted(settings: Any) -> None:
    settings.BLIND_ROLE = ""
    with pytest.raises(CommandError, match="TOUCHSTONE_BLIND_ROLE"):
        call_command("grant_blind_role")
