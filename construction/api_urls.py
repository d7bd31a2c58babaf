"""REST endpoints of construction."""

from django.urls import include, path

urlpatterns = [
    path("sources/", include("construction.sources.api_urls")),
    path("builds/", include("construction.builds.api_urls")),
]
