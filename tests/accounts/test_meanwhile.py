"""What other rows forbid at the last moment is answered with 409; a fault of the code stays one."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, Role, User
from accounts.profile import actions, views
from tests.factories import RoleFactory

pytestmark = pytest.mark.django_db


def twice() -> None:
    role = RoleFactory()
    Role.objects.create(user=role.user, name=role.name)


def against_a_guard() -> None:
    AuditEvent.objects.create(verb="tried")
    AuditEvent.objects.update(verb="never tried")


def a_bad_value() -> None:
    User.objects.update(credit="fame")


def nothing_given() -> None:
    User.objects.update(email=None)


def gone() -> None:
    RoleFactory()
    Role.objects.get(name="nobody")


def changed_when_gone() -> None:
    role = RoleFactory()
    Role.objects.all().delete()
    role.save(update_fields=["name"])


def renaming(monkeypatch: pytest.MonkeyPatch, client: Client, write: Callable[[], None]) -> Any:
    def action(**_: object) -> None:
        with transaction.atomic():
            AuditEvent.objects.create(verb="begun")
            write()

    monkeypatch.setattr(actions, "rename", action)
    return client.post(reverse("profile-name"), {"name": "Ada"})


@pytest.mark.parametrize("write", [twice, against_a_guard, gone, changed_when_gone])
def test_a_write_that_came_too_late_is_explained_and_stores_nothing(algebraist, client, monkeypatch, write):
    client.force_login(algebraist)
    told = renaming(monkeypatch, client, write)
    assert (told.status_code, told.templates[0].name) == (409, "409.html")
    assert "at the same moment" in told.content.decode()
    assert not AuditEvent.objects.filter(verb="begun").exists()


@pytest.mark.parametrize("write", [a_bad_value, nothing_given])
def test_a_value_that_the_database_refuses_is_a_fault_of_the_site(algebraist, client, monkeypatch, write):
    client.force_login(algebraist)
    with pytest.raises(IntegrityError):
        renaming(monkeypatch, client, write)


def test_a_page_that_looks_for_what_is_not_there_is_a_fault_of_the_site(algebraist, client, monkeypatch):
    client.force_login(algebraist)
    monkeypatch.setattr(views, "render", lambda *_, **__: gone())
    with pytest.raises(Role.DoesNotExist):
        client.get(reverse("profile"))
