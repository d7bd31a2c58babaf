"""Pages of sources."""

from django.urls import path

from construction.sources import views

urlpatterns = [
    path("", views.sources, name="sources"),
]
