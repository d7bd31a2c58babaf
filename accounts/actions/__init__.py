"""Verbs on people: keyword-only, atomic, each with its audit row."""

from accounts.actions.erasure import erase_person
from accounts.actions.invitations import (
    NewInvitation,
    accept_invitation,
    invite,
    invite_first_owner,
    withdraw_invitation,
)
from accounts.actions.members import deactivate_user, grant_role, reactivate_user, revoke_role
from accounts.actions.profile import (
    declare_conflict,
    remove_expertise,
    rename,
    set_preferences,
    state_expertise,
    withdraw_conflict,
)
from accounts.actions.saved_comments import change_comment, delete_comment, save_comment
from accounts.actions.tokens import create_token, revoke_token
from accounts.actions.trail import record

__all__ = [
    "NewInvitation",
    "accept_invitation",
    "change_comment",
    "create_token",
    "deactivate_user",
    "declare_conflict",
    "delete_comment",
    "erase_person",
    "grant_role",
    "invite",
    "invite_first_owner",
    "reactivate_user",
    "record",
    "remove_expertise",
    "rename",
    "revoke_role",
    "revoke_token",
    "save_comment",
    "set_preferences",
    "state_expertise",
    "withdraw_conflict",
    "withdraw_invitation",
]
