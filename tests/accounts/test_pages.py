"""Profile and people pages, as their users see them."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, Invitation, User

pytestmark = pytest.mark.django_db


def test_a_reviewer_states_a_domain_on_the_profile_page(client: Client, algebraist: User) -> None:
    client.force_login(algebraist)
    client.post(reverse("profile-expertise"), {"domain": "math.NT", "confidence": "3"})
    page = client.get(reverse("profile"))
    assert "math.NT" in page.content.decode()
    assert algebraist.expertise.get(domain="math.NT").confidence == 3


def test_a_coordinator_invites_a_reviewer_who_is_mailed_a_link(
    client: Client, coordinator: User, mailoutbox: list
) -> None:
    client.force_login(coordinator)
    client.post(reverse("invite"), {"email": "New@Study.test", "role": "reviewer"})
    assert Invitation.objects.get().email == "new@study.test"
    assert mailoutbox[0].to == ["new@study.test"]
    assert "/join/" in mailoutbox[0].body


def test_an_owner_reads_the_audit_trail(client: Client, owner: User) -> None:
    client.force_login(owner)
    client.post(reverse("invite"), {"email": "new@study.test", "role": "owner"})
    page = client.get(reverse("audit-trail"), {"verb": "invite"}).content.decode()
    assert "new@study.test" in page
    assert AuditEvent.objects.get(verb="invite").actor == owner


def test_the_people_and_person_pages_show_members(client: Client, owner: User, algebraist: User) -> None:
    client.force_login(owner)
    assert "Ada Algebraist" in client.get(reverse("people")).content.decode()
    assert "algebra" in client.get(reverse("person", args=[algebraist.pk])).content.decode()
