"""REST endpoints of sources."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
