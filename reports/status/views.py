"""The status page of the study's staff, and the banner that leads to it."""

from django.contrib import messages
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import is_study_staff
from reports.core.access import staff_only
from reports.status.state import LATE, stalled_since, status


@staff_only
@require_GET
def status_page(request: HttpRequest) -> HttpResponse:
    """Every part of the platform with its state, and the jobs that wait."""
    return render(request, "reports/status/status.html", {"status": status(), "late": LATE})


@staff_only
@require_POST
def test_mail(request: HttpRequest) -> HttpResponse:
    """Send a test message to the person who asks."""
    address = request.user.email  # type: ignore[union-attr]  # staff_only lets nobody else in
    try:
        send_mail("A test message from Touchstone", "Mail from this platform reaches you.", None, [address])
    except OSError as error:  # smtplib's errors are among them
        messages.error(request, f"The message was not sent: {error}")
    else:
        messages.success(request, f"A message to {address} is on its way.")
    return redirect("status")


def banner(request: HttpRequest) -> dict[str, object]:
    """Template context of staff's pages: since when jobs have waited without a worker; asked where it is shown."""
    user = getattr(request, "user", None)
    if user is None or not is_study_staff(user):
        return {}
    return {"stalled_since": stalled_since}
