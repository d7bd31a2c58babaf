"""Pages: `reviewer` for those who grade blind, `campaigns` for those who run the study."""

from django.http import HttpRequest

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request behind `login_required` or `require_role`: its user is a real one."""

    user: User
