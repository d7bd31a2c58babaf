"""The status page of the study's staff."""

from django.contrib import messages
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import staff_only
from reports.status.state import status


@staff_only
@require_GET
def status_page(request: HttpRequest) -> HttpResponse:
    """Every part of the platform with its state, and the jobs that wait."""
    return render(request, "reports/status/status.html", {"status": status()})


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
