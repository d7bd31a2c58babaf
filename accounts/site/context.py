"""What every page needs to draw its navigation."""

from django.conf import settings
from django.http import HttpRequest

from accounts.access import is_study_staff, role_names


def navigation(request: HttpRequest) -> dict[str, object]:
    """Template context: the person's roles, whether they run the study, and whether this is the demo."""
    user = getattr(request, "user", None)
    if user is None:
        return {"roles": frozenset(), "study_staff": False, "demo": settings.DEMO}
    return {"roles": role_names(user), "study_staff": is_study_staff(user), "demo": settings.DEMO}
