"""django-allauth by invitation only: the public sign-up form is closed, and failures count per person."""

import unicodedata
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


def folded(address: str) -> str:
    """The address without accents, compatibility forms and case: what looks alike counts as one."""
    decomposed = unicodedata.normalize("NFKD", address)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()


class InvitationOnlyAdapter(DefaultAccountAdapter):
    """Nobody signs up by themselves; accounts/views/joining.py makes users from invitations."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt; variants of one address share its limit."""
        address = folded(credentials.get("email", ""))
        super().pre_authenticate(request, **{**credentials, "email": address})
