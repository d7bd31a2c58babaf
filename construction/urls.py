"""Pages of construction: sources, and builds from them."""

from django.urls import include, path

from construction.sources import views

urlpatterns = [
    path("", views.construction, name="construction"),
    path("sources/", include("construction.sources.urls")),
    path("builds/", include("construction.builds.urls")),
]
