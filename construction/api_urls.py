"""REST endpoints of construction."""

from django.urls import include, path

urlpatterns = [
    path("builds/", include("construction.builds.api_urls")),
]
