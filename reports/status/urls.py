"""Addresses of the status page."""

from django.urls import URLPattern, path

from reports.status.views import status_page, test_mail

urlpatterns: list[URLPattern] = [
    path("", status_page, name="status"),
    path("test-message/", test_mail, name="status-mail"),
]
