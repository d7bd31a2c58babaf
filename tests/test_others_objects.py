"""What belongs to one person does not exist for any other: every route to it, every method, every kind of person."""

import datetime as dt
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.profile import saved_comments, tokens
from annotation.grading.actions import save_draft
from benchmark.models import ImportUpload
from reports.models import LabelUpload
from tests.annotation.samples import COMPLETE
from tests.conftest import member
from tests.factories import AssignmentFactory, CampaignFactory
from tests.routes import ACCESS, OWN, REVIEWERS
from tests.test_access import METHODS

pytestmark = pytest.mark.django_db
HIDDEN = {403, 404, 405}
BODY = {
    "text": "x",
    "reason": "x",
    "version": 0,
    "content": COMPLETE,
    "rubric_sha256": "0" * 64,
    "system": "x",
}
KEPT = (
    "accounts.AccessToken",
    "accounts.SavedComment",
    "annotation.Assignment",
    "annotation.Draft",
    "annotation.Grade",
    "annotation.SystemGuess",
    "annotation.CalibrationRemark",
    "benchmark.ImportUpload",
    "reports.LabelUpload",
)


def private_routes() -> list[str]:
    """Routes to what one person has: all that take a handle, and the numbers of things of one's own."""
    return [
        route
        for route, group in ACCESS.items()
        if "<str:handle>" in route or ("<int:pk>" in route and group in (OWN, REVIEWERS))
    ]


@pytest.fixture
def theirs(geometer: User) -> dict[str, str]:
    """The beginning of a route -> what is there and belongs to Sofia, or to another coordinator."""
    soon = timezone.now() + dt.timedelta(hours=1)
    campaign = CampaignFactory(phase="open", opened_at=timezone.now())
    place = AssignmentFactory(item__campaign=campaign, reviewer=geometer)
    save_draft(reviewer=geometer, assignment=place, version=0, content=COMPLETE)
    token = tokens.create_token(actor=geometer, label="notebook", scope="manage").row.pk
    comment = saved_comments.save_comment(actor=geometer, text="As in the lemma above.").pk
    table = LabelUpload.objects.create(
        owner=geometer, handle="sofias-table", file_name="a.csv", form="csv", size=1, state="refused",
        refusal="No table.", expires_at=soon,
    )  # fmt: skip
    brought = ImportUpload.objects.create(
        owner=member("cara@study.test", "Cara Coordinator", "coordinator"), kind="outputs", handle="caras-file",
        file_name="a.jsonl", size=1, state="refused", refusal="No file.", expires_at=soon,
    )  # fmt: skip
    return {
        "profile/tokens/": str(token),
        "api/v1/tokens/": str(token),
        "grading/comments/": str(comment),
        "api/v1/comment-bank/": str(comment),
        "grading/items/": place.handle,
        "search/panel/": place.handle,
        "grading/discussions/": place.handle,
        "api/v1/assignments/": place.handle,
        "api/v1/discussions/": place.handle,
        "analyse/files/": table.handle,
        "imports/files/": brought.handle,
        "api/v1/imports/": brought.handle,
    }


def addresses(theirs: dict[str, str]) -> list[str]:
    """Every private route with what is there. A new route whose beginning is not known raises."""
    found = []
    for route in private_routes():
        (name,) = [name for beginning, name in theirs.items() if route.startswith(beginning)]
        found.append("/" + route.replace("<str:handle>", name).replace("<int:pk>", name))
    return found


def ask(client: Client, method: str, address: str) -> Any:
    as_json = {"data": BODY, "content_type": "application/json", "headers": {"Idempotency-Key": "k"}}
    form = {"data": {"text": "x", "reason": "x"}} if method == "post" else {}
    given = as_json if address.startswith("/api/") and method not in ("get", "delete") else form
    return getattr(client, method)(address, **given)


def rows() -> dict[str, list[dict[str, Any]]]:
    return {name: list(apps.get_model(name).objects.order_by("pk").values()) for name in KEPT}


@pytest.mark.parametrize("who", ["analyst", "stranger", "coordinator", "owner"])
def test_what_belongs_to_one_person_does_not_exist_for_any_other(
    who: str, theirs: dict[str, str], request: pytest.FixtureRequest
) -> None:
    client = Client()
    client.force_login(request.getfixturevalue(who))
    before = rows()
    told = {
        (method, address): reply.status_code
        for address in addresses(theirs)
        for method in METHODS
        if (reply := ask(client, method, address)).status_code not in HIDDEN
    }
    assert told == {}
    assert rows() == before


def test_the_person_it_belongs_to_does_reach_it(theirs: dict[str, str], geometer: User) -> None:
    """The control: the same addresses answer their owner."""
    client = Client()
    client.force_login(geometer)
    reached = {address for address in addresses(theirs) if client.get(address).status_code == 200}
    assert reached >= {
        f"/grading/items/{theirs['grading/items/']}/",
        f"/api/v1/assignments/{theirs['api/v1/assignments/']}/",
    }
    assert ask(client, "post", "/analyse/files/sofias-table/delete/").status_code == 302
    assert ask(client, "post", f"/profile/tokens/{theirs['profile/tokens/']}/revoke/").status_code == 302
    assert ask(client, "delete", f"/api/v1/comment-bank/{theirs['grading/comments/']}/").status_code == 204
