"""The REST interface, version 1: each app lists its own endpoints."""

from django.urls import include, path

urlpatterns = [
    path("", include("accounts.api_urls")),
    path("", include("benchmark.api_urls")),
    path("", include("annotation.api_urls")),
    path("", include("judging.api_urls")),
    path("", include("search.api_urls")),
    path("", include("construction.api_urls")),
    path("", include("solving.api_urls")),
    path("", include("reports.api_urls")),
]
