"""What every page needs to draw its navigation."""

from typing import Any

from django.http import HttpRequest

from accounts.access import is_study_staff, role_names


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Template context: the signed-in person's roles, and whether they run the study."""
    user = getattr(request, "user", None)
    if user is None:
        return {"roles": frozenset(), "study_staff": False}
    return {"roles": role_names(user), "study_staff": is_study_staff(user)}
