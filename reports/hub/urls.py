"""Addresses of the studies and their hubs."""

from django.urls import URLPattern, path

from reports.hub.views import copy, names, studies, study

urlpatterns: list[URLPattern] = [
    path("", studies, name="studies"),
    path("<slug:name>/", study, name="study"),
    path("<slug:name>/copy/", copy, name="study-copy"),
    path("<slug:name>/names/", names, name="study-names"),
]
