"""The front door, the health check and the error pages."""

from django.contrib.auth.decorators import login_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from accounts.access import is_study_staff, role_names
from accounts.models import RoleName


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Reviewers land on their queue, those who run the study on the campaigns, others on their profile."""
    if is_study_staff(request.user):
        return redirect("campaigns")
    return redirect("queue" if RoleName.REVIEWER in role_names(request.user) else "profile")


def health(request: HttpRequest) -> JsonResponse:
    """200 when the site can read its database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403 in the site's own clothes."""
    return render(request, "errors/403.html", status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form whose token does not fit the session; `reason` is for the log only."""
    return render(request, "errors/csrf.html", status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404 in the site's own clothes."""
    return render(request, "errors/404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500 without touching the database or the session."""
    return render(None, "errors/500.html", status=500)
