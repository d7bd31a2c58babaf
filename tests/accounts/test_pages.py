"""Profile and people pages, as their users see them."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, Invitation, User
from accounts.trail import record
from tests.conftest import PASSWORD

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
    client.post(reverse("invite"), {"emails": "New@Study.test", "role": "reviewer"})
    assert Invitation.objects.get().email == "new@study.test"
    assert mailoutbox[0].to == ["new@study.test"]
    assert "/join/" in mailoutbox[0].body


def test_an_owner_reads_the_audit_trail(client: Client, owner: User) -> None:
    client.force_login(owner)
    client.post(reverse("invite"), {"emails": "new@study.test", "role": "owner"})
    page = client.get(reverse("audit-trail"), {"verb": "invite"}).content.decode()
    assert "accounts.invitation" in page
    assert AuditEvent.objects.get(verb="invite").actor == owner


def test_the_people_and_person_pages_show_members(client: Client, owner: User, algebraist: User) -> None:
    client.force_login(owner)
    assert "Ada Algebraist" in client.get(reverse("people")).content.decode()
    assert "algebra" in client.get(reverse("person", args=[algebraist.pk])).content.decode()


def test_a_new_token_is_shown_once_on_the_profile_page(client: Client, algebraist: User) -> None:
    client.force_login(algebraist)
    shown = client.post(
        reverse("profile-token"), {"label": "laptop", "scope": "manage", "days": "90", "password": PASSWORD}
    )
    secret = shown.context["new_token"].secret
    assert secret in shown.content.decode()
    later = client.get(reverse("profile")).content.decode()
    assert "laptop" in later
    assert secret not in later
    client.post(reverse("profile-token-revoke", args=[algebraist.access_tokens.get().pk]))
    assert "laptop" not in client.get(reverse("profile")).content.decode().split("<main")[1]


def test_a_conflict_is_declared_and_withdrawn_on_the_profile_page(client: Client, algebraist: User) -> None:
    client.force_login(algebraist)
    named = {"kind": "system", "key": "aurora"}
    client.post(reverse("profile-conflict"), {**named, "reason": "I trained it"})
    assert algebraist.conflicts.get().reason == "I trained it"
    client.post(reverse("profile-conflict-withdraw"), named)
    assert not algebraist.conflicts.exists()
    verbs = AuditEvent.objects.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["declare_conflict", "withdraw_conflict"]


def test_a_confidence_beyond_the_scale_is_refused_beside_its_field(client: Client, algebraist: User) -> None:
    client.force_login(algebraist)
    answer = client.post(reverse("profile-expertise"), {"domain": "math.NT", "confidence": "4"})
    assert answer.status_code == 422
    assert "not one of the available choices" in answer.content.decode()
    assert not algebraist.expertise.filter(domain="math.NT").exists()


def test_a_reviewer_states_and_takes_back_only_their_own_domains(
    client: Client, algebraist: User, geometer: User
) -> None:
    client.force_login(algebraist)
    client.post(reverse("profile-expertise-remove"), {"domain": "geometry"})
    assert geometer.expertise.filter(domain="geometry").exists()
    client.post(reverse("profile-expertise-remove"), {"domain": "algebra"})
    assert not algebraist.expertise.exists()


def test_hostile_names_and_reasons_are_shown_as_text(client: Client, owner: User, algebraist: User) -> None:
    evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    client.force_login(algebraist)
    client.post(reverse("profile-name"), {"name": evil})
    client.post(reverse("profile-conflict"), {"kind": "paper", "key": evil, "reason": evil})
    client.post(reverse("profile-expertise"), {"domain": evil, "confidence": "1"})
    pages = [client.get(reverse("profile"))]
    client.force_login(owner)
    pages += [client.get(reverse("people")), client.get(reverse("person", args=[algebraist.pk]))]
    pages.append(client.get(reverse("audit-trail"), {"target_key": evil}))
    for page in pages:
        assert "alert(1)" in page.content.decode()
        assert "<script>alert" not in page.content.decode()
        assert "<img src=x" not in page.content.decode()


def test_an_event_about_items_is_listed_like_any_other(client: Client, owner: User) -> None:
    """Django's templates read `details.items` as the key "items" where there is one."""
    client.force_login(owner)
    record(actor=owner, verb="count", target=owner, details={"items": 3})
    page = client.get(reverse("audit-trail"), {"verb": "count"}).content.decode()
    assert "<li>items: 3</li>" in page


def test_the_audit_trail_is_filtered_and_paged(client: Client, owner: User) -> None:
    for number in range(51):
        record(actor=owner, verb="count", target=("thing", str(number)))
    client.force_login(owner)
    first = client.get(reverse("audit-trail"), {"target_kind": "thing"}).context["page"]
    second = client.get(reverse("audit-trail"), {"target_kind": "thing", "page": "2"}).context["page"]
    assert [event.target_key for event in first][:2] == ["50", "49"]
    assert [event.target_key for event in second] == ["0"]
    one = client.get(reverse("audit-trail"), {"target_kind": "thing", "target_key": "7"}).context["page"]
    assert [event.target_key for event in one] == ["7"]


def test_signing_in_after_a_button_was_pressed_says_that_nothing_was_sent(
    client: Client, coordinator: User
) -> None:
    address = reverse("form-start", args=["proofs"])
    turned_away = client.post(address, {"start": "blank"})
    page = client.post(
        turned_away["Location"], {"login": coordinator.email, "password": PASSWORD}, follow=True
    )
    assert (page.request["PATH_INFO"], page.status_code, page["Allow"]) == (address, 405, "POST")
    assert "press it again" in page.content.decode()
    assert page["Cache-Control"] == "private, no-store"
