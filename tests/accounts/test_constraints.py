"""What the database itself refuses about people, invitations and tokens, no matter who writes."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from accounts.models import (
    AccessToken,
    AuditEvent,
    Conflict,
    Expertise,
    IdempotencyRecord,
    Invitation,
    Role,
    User,
)
from accounts.trail import record

pytestmark = pytest.mark.django_db


def refuses(name, make, *rows):
    """`make(**row)` works for all rows but the last, which the constraint `name` refuses."""
    for row in rows[:-1]:
        make(**row)
    with pytest.raises(IntegrityError) as error, transaction.atomic():
        make(**rows[-1])
    if connection.vendor == "postgresql":  # SQLite names the columns of a unique constraint instead
        assert name in str(error.value)


def invitation(**fields) -> Invitation:
    usual = {"email": "new@study.test", "role": "reviewer", "expires_at": timezone.now() + timedelta(days=14)}
    number = Invitation.objects.count()
    return Invitation.objects.create(**{**usual, "token_sha256": f"{number:064x}", **fields})


def test_an_address_belongs_to_one_user_whatever_its_case(algebraist):
    refuses("user_email_unique_whatever_case", User.objects.create, {"email": "Ada@Study.test"})


def test_a_role_is_held_once(algebraist):
    refuses("role_held_once", Role.objects.create, {"user": algebraist, "name": "reviewer"})


def test_a_role_is_one_of_three(stranger):
    refuses("role_is_known", Role.objects.create, {"user": stranger, "name": "admin"})


def test_an_invitation_is_for_one_of_three_roles():
    refuses("invitation_role_is_known", invitation, {"role": "admin"})


def test_a_link_opens_one_invitation():
    refuses("token_sha256", invitation, {"token_sha256": "a"}, {"token_sha256": "a", "email": "b@study.test"})


def test_an_address_has_one_open_invitation_whatever_its_case():
    refuses("invitation_open_once_per_address", invitation, {}, {"email": "New@Study.test"})


def test_an_invitation_is_not_both_accepted_and_withdrawn(stranger):
    now = timezone.now()
    both = {"accepted_at": now, "accepted_by": stranger, "withdrawn_at": now}
    refuses("invitation_not_both_accepted_and_withdrawn", invitation, both)


def test_the_email_of_an_invitation_was_sent_or_was_not():
    refuses("invitation_mailed_or_not", invitation, {"mailed_at": timezone.now(), "mail_error": "refused"})


def test_who_and_when_of_an_acceptance_go_together(stranger):
    name = "invitation_accepted_by_someone_at_some_time"
    refuses(name, invitation, {"accepted_at": timezone.now()})
    refuses(name, invitation, {"accepted_by": stranger})


def test_a_domain_is_stated_once(algebraist):
    refuses("expertise_once_per_domain", Expertise.objects.create, {"user": algebraist, "domain": "algebra"})


@pytest.mark.parametrize("confidence", [0, 4])
def test_confidence_is_1_to_3(algebraist, confidence):
    row = {"user": algebraist, "domain": "analysis", "confidence": confidence}
    refuses("expertise_confidence_1_to_3", Expertise.objects.create, row)


def test_expertise_names_a_domain(algebraist):
    refuses("expertise_names_a_domain", Expertise.objects.create, {"user": algebraist, "domain": ""})


def test_a_conflict_is_named_once(algebraist):
    row = {"user": algebraist, "kind": "system", "key": "aurora"}
    refuses("conflict_named_once", Conflict.objects.create, row, row)


def test_a_conflict_is_with_a_system_a_paper_or_a_person(algebraist):
    row = {"user": algebraist, "kind": "weather", "key": "Bob"}
    refuses("conflict_kind_is_known", Conflict.objects.create, row)


def test_a_conflict_names_something(algebraist):
    row = {"user": algebraist, "kind": "system", "key": ""}
    refuses("conflict_names_something", Conflict.objects.create, row)


def token_row(user, **other):
    made = timezone.now()
    row = {"user": user, "label": "x", "token_sha256": "a", "password_mark": "m", "created_at": made}
    return {**row, "expires_at": made + timedelta(days=1), **other}


def test_an_access_token_has_a_label(algebraist):
    refuses("access_token_has_a_label", AccessToken.objects.create, token_row(algebraist, label=""))


def test_an_access_token_has_one_of_three_scopes(algebraist):
    refuses("access_token_scope_is_known", AccessToken.objects.create, token_row(algebraist, scope="all"))


def test_an_access_token_expires_after_it_was_made(algebraist):
    row = token_row(algebraist, expires_at=timezone.now() - timedelta(days=1))
    refuses("access_token_expires_after_it_was_made", AccessToken.objects.create, row)
    refuses("expires_at", AccessToken.objects.create, token_row(algebraist, expires_at=None))


def test_a_secret_opens_one_account(algebraist, analyst):
    refuses("token_sha256", AccessToken.objects.create, *(token_row(user) for user in (algebraist, analyst)))


def test_an_idempotency_key_is_used_once_per_person(algebraist):
    row = {"user": algebraist, "key": "k", "request_sha256": "a", "status": 201, "body": {}}
    refuses("idempotency_key_once_per_user", IdempotencyRecord.objects.create, row, row)


def test_an_audit_event_says_what_was_done():
    refuses("audit_event_has_a_verb", AuditEvent.objects.create, {"verb": ""})


def test_the_audit_trail_cannot_be_rewritten_or_cut(algebraist):
    event = record(actor=algebraist, verb="note", target=algebraist)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditEvent.objects.filter(pk=event.pk).update(verb="nothing")
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditEvent.objects.filter(pk=event.pk).delete()
    assert AuditEvent.objects.get(pk=event.pk).verb == "note"


def test_a_person_with_a_role_or_a_past_cannot_be_deleted(algebraist, stranger):
    with pytest.raises(ProtectedError):
        algebraist.delete()
    record(actor=stranger, verb="note", target=stranger)
    with pytest.raises(ProtectedError):
        stranger.delete()
