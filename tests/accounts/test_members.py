"""Roles and accounts of members."""

import pytest

from accounts.models import AuditEvent, Role, User
from accounts.people import members
from accounts.people.authority import clashes, grantable_roles, may_dismiss
from accounts.people.erasure import erase_person
from accounts.refusal import NotAllowed, Refused
from tests.conftest import member

pytestmark = pytest.mark.django_db


def roles(user: User) -> set[str]:
    return set(Role.objects.filter(user=user).values_list("name", flat=True))


def test_an_owner_makes_a_coordinator_an_owner_and_says_why(owner: User, coordinator: User) -> None:
    members.grant_role(actor=owner, member=coordinator, role="owner", reason="I leave in May")
    assert roles(coordinator) == {"coordinator", "owner"}
    event = AuditEvent.objects.get(verb="grant_role")
    assert (event.actor, event.reason, event.details) == (owner, "I leave in May", {"role": "owner"})


def test_a_role_is_granted_once(owner: User, algebraist: User) -> None:
    with pytest.raises(Refused, match="already has the role reviewer"):
        members.grant_role(actor=owner, member=algebraist, role="reviewer")


def test_who_sees_identities_does_not_become_a_reviewer_nor_the_reverse(
    owner: User, coordinator: User, algebraist: User
) -> None:
    for person, role in ((coordinator, "reviewer"), (algebraist, "coordinator"), (algebraist, "owner")):
        with pytest.raises(Refused, match="cannot also be reviewers"):
            members.grant_role(actor=owner, member=person, role=role)


def test_a_coordinator_gives_and_takes_the_role_of_reviewer_only(
    coordinator: User, stranger: User, owner: User
) -> None:
    members.grant_role(actor=coordinator, member=stranger, role="reviewer")
    members.revoke_role(actor=coordinator, member=stranger, role="reviewer")
    assert roles(stranger) == set()
    for verb in (members.grant_role, members.revoke_role):
        with pytest.raises(NotAllowed):
            verb(actor=coordinator, member=owner, role="owner")


def test_a_role_that_is_not_held_cannot_be_taken(owner: User, algebraist: User) -> None:
    with pytest.raises(Refused, match="does not have the role coordinator"):
        members.revoke_role(actor=owner, member=algebraist, role="coordinator")


def test_an_unknown_role_is_not_in_anybodys_gift(owner: User, algebraist: User) -> None:
    with pytest.raises(NotAllowed):
        members.grant_role(actor=owner, member=algebraist, role="superuser")


def test_the_last_owner_stays(owner: User) -> None:
    with pytest.raises(Refused, match="last owner"):
        members.revoke_role(actor=owner, member=owner, role="owner")
    assert roles(owner) == {"owner"}


def test_an_owner_whose_account_is_closed_does_not_count_as_the_other_one(owner: User) -> None:
    second = member("otto@study.test", "Otto", "owner")
    members.deactivate_user(actor=owner, member=second)
    with pytest.raises(Refused, match="last owner"):
        members.revoke_role(actor=owner, member=owner, role="owner")


def test_of_two_owners_one_may_go(owner: User) -> None:
    second = member("otto@study.test", "Otto", "owner")
    members.revoke_role(actor=second, member=owner, role="owner")
    assert roles(owner) == set()


def test_an_account_is_closed_and_reopened_with_its_history(owner: User, algebraist: User) -> None:
    members.deactivate_user(actor=owner, member=algebraist, reason="on leave")
    algebraist.refresh_from_db()
    assert not algebraist.is_active
    with pytest.raises(Refused, match="already closed"):
        members.deactivate_user(actor=owner, member=algebraist)
    members.reactivate_user(actor=owner, member=algebraist)
    with pytest.raises(Refused, match="already open"):
        members.reactivate_user(actor=owner, member=algebraist)
    verbs = AuditEvent.objects.order_by("pk").values_list("verb", "reason")
    assert list(verbs) == [("deactivate_user", "on leave"), ("reactivate_user", "")]
    assert roles(algebraist) == {"reviewer"}


def test_nobody_closes_their_own_account(owner: User) -> None:
    with pytest.raises(Refused, match="your own account"):
        members.deactivate_user(actor=owner, member=owner)


def test_a_coordinator_closes_reviewers_accounts_but_not_those_of_staff(
    coordinator: User, owner: User, algebraist: User
) -> None:
    members.deactivate_user(actor=coordinator, member=algebraist)
    with pytest.raises(NotAllowed):
        members.deactivate_user(actor=coordinator, member=owner)


def test_the_stand_in_of_an_imported_rater_has_no_account_to_reopen(owner: User) -> None:
    rater = User.objects.create_user("rater@published.test", None, name="Rater 1", is_active=False)
    with pytest.raises(Refused, match="imported rater"):
        members.reactivate_user(actor=owner, member=rater)


def test_a_refused_verb_leaves_no_trace(owner: User, algebraist: User) -> None:
    with pytest.raises(Refused):
        members.grant_role(actor=owner, member=algebraist, role="owner")
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize(
    ("actor", "gift"),
    [
        ({"owner"}, {"reviewer", "coordinator", "owner"}),
        ({"owner", "coordinator"}, {"reviewer", "coordinator", "owner"}),
        ({"coordinator"}, {"reviewer"}),
        ({"reviewer"}, set()),
        (set(), set()),
    ],
)
def test_what_is_in_whose_gift(actor: set[str], gift: set[str]) -> None:
    assert grantable_roles(actor) == gift
    for held in ({"reviewer"}, {"coordinator"}, {"owner"}, set()):
        assert may_dismiss(actor, held) == (bool(gift) and held <= gift)


@pytest.mark.parametrize(
    ("held", "role", "clash"),
    [
        (set(), "reviewer", False),
        ({"coordinator"}, "owner", False),
        ({"coordinator"}, "reviewer", True),
        ({"owner"}, "reviewer", True),
        ({"reviewer"}, "coordinator", True),
        ({"reviewer"}, "owner", True),
    ],
)
def test_which_roles_clash(held: set[str], role: str, clash: bool) -> None:
    assert clashes(held, role) is clash


def test_who_is_erased_while_somebody_reopens_their_account_stays_erased(
    owner: User, algebraist: User
) -> None:
    """What was read of them is from before."""
    members.deactivate_user(actor=owner, member=algebraist)
    erase_person(actor=owner, member=User.objects.get(pk=algebraist.pk))
    with pytest.raises(Refused, match="was erased"):
        members.reactivate_user(actor=owner, member=algebraist)
