"""REST endpoints of this app."""

from django.urls import URLPattern, path

from accounts import api, api_schema

__all__ = ["api_schema", "urlpatterns"]  # the schema's extensions register on import

urlpatterns: list[URLPattern] = [
    path("me/", api.MeView.as_view()),
    path("tokens/", api.TokensView.as_view()),
    path("tokens/<int:pk>/", api.TokenView.as_view()),
]
