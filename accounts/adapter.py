"""django-allauth by invitation only: the public sign-up form is closed."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class InvitationOnlyAdapter(DefaultAccountAdapter):
    """Nobody signs up by themselves; accounts/views.py makes users from invitations."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
