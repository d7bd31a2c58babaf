"""Invitations: who may invite whom, links that work once, and nothing half done."""

import json
import re
from datetime import timedelta
from io import StringIO
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.message import sanitize_address
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, Invitation, User
from accounts.people import invitations
from accounts.people.erasure import erase_person
from accounts.people.members import deactivate_user, revoke_role
from accounts.people.queries import pending_invitations
from accounts.refusal import NotAllowed, Refused
from tests.factories import RoleFactory

pytestmark = pytest.mark.django_db
GOOD = "seven quiet lemmas asleep"


def accept(token: str, **changes: object) -> User:
    asked = {"token": token, "name": "Nina", "password": GOOD, "expertise": {"math.NT": 3}, **changes}
    return invitations.accept_invitation(**asked)


def form(**changes: str) -> dict[str, str]:
    lines = {"domains-TOTAL_FORMS": "1", "domains-INITIAL_FORMS": "0", "domains-0-confidence": "2"}
    return {"name": "Nina", "password": GOOD, "again": GOOD, **lines, **changes}


def test_an_accepted_invitation_makes_a_member_with_role_and_domains(owner: User) -> None:
    made = invitations.invite(actor=owner, email=" Nina@Study.test ", role="reviewer")
    nina = accept(made.token)
    assert (nina.email, nina.name, nina.check_password(GOOD)) == ("nina@study.test", "Nina", True)
    assert [role.name for role in nina.roles.all()] == ["reviewer"]
    assert nina.expertise.get().confidence == 3
    made.invitation.refresh_from_db()
    assert made.invitation.accepted_by == nina
    assert list(AuditEvent.objects.values_list("verb", flat=True)) == ["invite", "accept_invitation"]


def test_only_the_hash_of_the_link_is_stored(owner: User) -> None:
    made = invitations.invite(actor=owner, email="nina@study.test", role="reviewer")
    stored = f"{Invitation.objects.values()} {AuditEvent.objects.values()}"
    assert made.token not in stored


def test_a_link_works_once(owner: User) -> None:
    made = invitations.invite(actor=owner, email="nina@study.test", role="reviewer")
    accept(made.token)
    with pytest.raises(Refused, match="no longer valid"):
        accept(made.token)


def test_a_link_stops_after_fourteen_days(owner: User) -> None:
    made = invitations.invite(actor=owner, email="nina@study.test", role="reviewer")
    assert made.invitation.expires_at - made.invitation.created_at >= timedelta(days=14, seconds=-1)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(Refused, match="no longer valid"):
        accept(made.token)
    assert not User.objects.filter(email="nina@study.test").exists()


def test_a_withdrawn_link_does_not_work_and_is_not_withdrawn_twice(owner: User) -> None:
    made = invitations.invite(actor=owner, email="nina@study.test", role="reviewer")
    invitations.withdraw_invitation(actor=owner, invitation=made.invitation)
    with pytest.raises(Refused):
        accept(made.token)
    with pytest.raises(Refused, match="no longer open"):
        invitations.withdraw_invitation(actor=owner, invitation=made.invitation)


@pytest.mark.parametrize("ended", ["closed", "erased", "no owner any more"])
def test_the_links_that_somebody_sent_end_with_their_right_to_send_them(owner: User, ended: str) -> None:
    mallory = RoleFactory(name="owner").user
    RoleFactory(user=mallory, name="coordinator")
    for role in ("owner", "reviewer"):
        invitations.invite(actor=mallory, email=f"{role}@study.test", role=role)
    invitations.invite(actor=owner, email="nina@study.test", role="owner")
    if ended == "closed":
        deactivate_user(actor=owner, member=mallory)
    elif ended == "erased":
        erase_person(actor=owner, member=mallory)
    else:
        revoke_role(actor=owner, member=mallory, role="owner")
    still = {"nina@study.test"} | ({"reviewer@study.test"} if ended == "no owner any more" else set())
    assert set(pending_invitations().values_list("email", flat=True)) == still


def test_a_second_invitation_of_an_address_replaces_the_first(owner: User) -> None:
    first = invitations.invite(actor=owner, email="nina@study.test", role="reviewer")
    second = invitations.invite(actor=owner, email="NINA@study.test", role="coordinator")
    with pytest.raises(Refused):
        accept(first.token)
    assert [role.name for role in accept(second.token).roles.all()] == ["coordinator"]


@pytest.mark.parametrize("role", ["coordinator", "owner"])
def test_a_coordinator_invites_reviewers_only(coordinator: User, role: str) -> None:
    assert invitations.invite(actor=coordinator, email="a@study.test", role="reviewer").token
    with pytest.raises(NotAllowed):
        invitations.invite(actor=coordinator, email="b@study.test", role=role)


def test_a_coordinator_does_not_replace_the_invitation_of_an_owner(owner: User, coordinator: User) -> None:
    made = invitations.invite(actor=owner, email="nina@study.test", role="owner")
    with pytest.raises(NotAllowed):
        invitations.invite(actor=coordinator, email="nina@study.test", role="reviewer")
    assert accept(made.token)


def test_a_reviewer_and_a_stranger_invite_nobody(algebraist: User, stranger: User) -> None:
    for actor in (algebraist, stranger):
        with pytest.raises(NotAllowed):
            invitations.invite(actor=actor, email="nina@study.test", role="reviewer")
    assert not Invitation.objects.exists()


def test_an_address_with_an_account_is_not_invited(owner: User, algebraist: User) -> None:
    with pytest.raises(Refused, match="already has an account"):
        invitations.invite(actor=owner, email="ADA@study.test", role="reviewer")


def test_the_accept_page_makes_the_account_and_leads_to_signing_in(client: Client, owner: User) -> None:
    made = invitations.invite(actor=owner, email="nina@study.test", role="reviewer")
    page = reverse("join", args=[made.token])
    assert "nina@study.test" in client.get(page).content.decode()
    answer = client.post(page, form(**{"domains-0-domain": "math.NT"}))
    assert answer["Location"] == reverse("account_login")
    nina = User.objects.get(email="nina@study.test")
    assert nina.expertise.get().domain == "math.NT"
    signed_in = client.post(reverse("account_login"), {"login": nina.email, "password": GOOD})
    assert signed_in.status_code == 302
    assert client.get(page).status_code == 404


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"password": "short", "again": "short"}, "too short"),
        ({"password": "password123", "again": "password123"}, "too common"),
        ({"password": "nina@study.test", "again": "nina@study.test"}, "too similar"),
        ({"again": "another one entirely"}, "passwords are different"),
        ({"name": ""}, "required"),
        ({"domains-0-domain": "math.NT", "domains-0-confidence": "9"}, "not one of the available choices"),
    ],
)
def test_the_accept_page_says_what_is_wrong_and_keeps_the_link(
    client: Client, owner: User, changes: dict[str, str], words: str
) -> None:
    made = invitations.invite(actor=owner, email="nina@study.test", role="reviewer")
    answer = client.post(reverse("join", args=[made.token]), form(**changes))
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not User.objects.filter(email="nina@study.test").exists()
    assert accept(made.token)


def test_the_accept_page_is_never_cached(client: Client, owner: User) -> None:
    made = invitations.invite(actor=owner, email="nina@study.test", role="reviewer")
    assert "no-store" in client.get(reverse("join", args=[made.token]))["Cache-Control"]


def test_a_mail_server_that_refuses_is_told_to_the_inviter(
    client: Client, owner: User, settings: object
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"  # type: ignore[attr-defined]
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # type: ignore[attr-defined]
    settings.EMAIL_LEAVES = True  # type: ignore[attr-defined]
    client.force_login(owner)
    fields = {"emails": "nina@study.test", "role": "reviewer"}
    page = client.post(reverse("invite"), fields).content.decode()
    assert "0 of 1 email sent" in page
    assert "Connection refused" in page
    invitation = Invitation.objects.get()
    assert (invitation.mailed_at, "refused" in invitation.mail_error) == (None, True)
    assert "Connection refused" in client.get(reverse("people")).content.decode()


REFUSED = SMTPRecipientsRefused({"no@study.test": (550, b"5.1.1 User unknown")})
UNSENDABLE = "no@" + "ü" * 60 + ".test"  # too long once it is encoded


@pytest.mark.parametrize(
    ("address", "says"),
    [("no@study.test", "550 5.1.1 User unknown"), (UNSENDABLE, "label empty or too long")],
)
def test_an_address_that_cannot_be_reached_is_told_plainly_and_the_others_get_their_mail(
    client: Client, owner: User, settings: Any, monkeypatch: pytest.MonkeyPatch, address: str, says: str
) -> None:
    def send(_: object, messages: list[EmailMessage]) -> int:
        for message in messages:
            sanitize_address(message.to[0], "utf-8")  # as the backend for SMTP does
            if message.to == ["no@study.test"]:
                raise REFUSED
            mail.outbox.append(message)
        return len(messages)

    settings.EMAIL_BACKEND, settings.EMAIL_LEAVES = "config.mail.NotedBackend", True
    settings.EMAIL_CONFIG = {"EMAIL_BACKEND": "django.core.mail.backends.locmem.EmailBackend"}
    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", send)
    client.force_login(owner)
    fields = {"emails": f"nina@study.test\n{address}\nemmy@study.test", "role": "reviewer"}
    page = client.post(reverse("invite"), fields).content.decode()
    assert "2 of 3 emails sent" in page
    assert says in page
    assert says in Invitation.objects.get(email=address).mail_error
    assert [sent.to for sent in mail.outbox] == [["nina@study.test"], ["emmy@study.test"]]
    assert mail.outbox[0].message()["Auto-Submitted"] == "auto-generated"


def test_a_mail_server_that_is_silent_is_asked_once(
    client: Client, owner: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def wait(*arguments: object) -> int:
        asked.append(arguments)
        raise OSError("timed out")

    settings.EMAIL_TIMEOUT = 0
    monkeypatch.setattr("accounts.site.mail.send_mail", wait)
    client.force_login(owner)
    fields = {"emails": "nina@study.test\nemmy@study.test", "role": "reviewer"}
    assert "/join/" in client.post(reverse("invite"), fields).content.decode()
    errors = set(Invitation.objects.values_list("mail_error", flat=True))
    assert (len(asked), errors) == (1, {"timed out", "The mail server is silent: timed out"})


def test_links_are_to_be_copied_where_mail_is_printed_to_the_log(client: Client, owner: User) -> None:
    client.force_login(owner)
    page = client.post(reverse("invite"), {"emails": "nina@study.test", "role": "reviewer"}).content.decode()
    assert "prints mail to its log instead of sending it" in page
    assert "printed to the log" in client.get(reverse("people")).content.decode()


TABLE = """Name,E-mail
Nina Noether,nina@study.test
"Hilbert, David" <David@study.test>

carl@study.test; emmy@study.test
"""


def test_many_people_are_invited_from_a_pasted_table_and_their_links_shown(
    client: Client, owner: User, coordinator: User, mailoutbox: list
) -> None:
    client.force_login(owner)
    page = client.post(reverse("invite"), {"emails": TABLE, "role": "reviewer"}).content.decode()
    invited = ["nina@study.test", "david@study.test", "emmy@study.test"]
    assert [message.to for message in mailoutbox] == [[address] for address in invited]
    assert set(Invitation.objects.values_list("email", flat=True)) == set(invited)
    assert "have an account already: carl@study.test" in page
    assert not Invitation.objects.filter(mailed_at=None).exists()
    for message, token in zip(mailoutbox, re.findall(r"/join/([^/\"]+)/", page), strict=True):
        assert token in message.body
        assert accept(token).email == message.to[0]


@pytest.mark.parametrize(
    ("emails", "says"),
    [
        ("nina@study.test\nNina Noether", "Line 2 has no email address."),
        ("nina@study.test, omar@", "Line 1: omar@ is not an email address."),
        ("nina@study.test\n\nnina@study", "Line 3: nina@study is not an email address."),
        ("Name,E-mail\n", "There is no email address here."),
        ("\n".join(f"p{n}@study.test" for n in range(101)), "101 addresses; invite at most 100"),
    ],
)
def test_a_list_with_a_mistake_invites_nobody_and_names_the_line(
    client: Client, owner: User, mailoutbox: list, emails: str, says: str
) -> None:
    client.force_login(owner)
    answer = client.post(reverse("invite"), {"emails": emails, "role": "reviewer"})
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert not Invitation.objects.exists()
    assert mailoutbox == []


def test_create_owner_prints_a_link_that_makes_an_owner() -> None:
    out = StringIO()
    call_command("create_owner", "First@Study.test", stdout=out)
    link = next(line.split(": ")[1] for line in out.getvalue().splitlines() if line.startswith("link"))
    first = accept(link.rstrip("/").rsplit("/", 1)[1])
    assert first.email == "first@study.test"
    assert [role.name for role in first.roles.all()] == ["owner"]


def test_create_owner_refuses_what_is_no_address() -> None:
    with pytest.raises(CommandError, match="not an email address"):
        call_command("create_owner", "nobody")


def invited(email: str, role: str) -> str:
    """What the console prints when Carl invites somebody."""
    data = json.dumps({"email": email, "role": role})
    out = StringIO()
    call_command("api", "POST", "invitations/", "--data", data, "--as=carl@study.test", stdout=out)
    return out.getvalue()


def test_the_console_invites_by_mail_on_behalf_of_a_member(console: None, coordinator: User) -> None:
    printed = invited("Nina@study.test", "reviewer")
    said = json.loads(printed)
    assert (said["email"], said["role"], said["mailed"]) == ("nina@study.test", "reviewer", True)
    assert mail.outbox[0].to == ["nina@study.test"]
    token = mail.outbox[0].body.split("/join/")[1].split("/")[0]
    assert token not in printed
    assert Invitation.objects.get().invited_by == coordinator


@pytest.mark.parametrize(
    ("email", "role", "reason"),
    [
        ("nina@study.test", "owner", "may not invite a person as owner"),
        ("nobody", "reviewer", "Enter a valid email address"),
        ("carl@study.test", "reviewer", "already has an account"),
    ],
)
def test_the_console_invites_nobody_whom_the_member_may_not(
    console: None, coordinator: User, email: str, role: str, reason: str
) -> None:
    with pytest.raises(CommandError, match=reason):
        invited(email, role)
    assert (Invitation.objects.count(), mail.outbox) == (0, [])


def test_a_person_with_both_staff_roles_invites_as_an_owner(coordinator: User) -> None:
    RoleFactory(user=coordinator, name="owner")
    assert invitations.invite(actor=User.objects.get(pk=coordinator.pk), email="o@study.test", role="owner")
