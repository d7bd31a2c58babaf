"""Addresses of the studies and their hubs."""

from django.urls import URLPattern, path

from reports.hub.views import studies, study

urlpatterns: list[URLPattern] = [
    path("", studies, name="studies"),
    path("<slug:name>/", study, name="study"),
]
