"""Pages of this app."""

from django.urls import URLPattern, path

from benchmark import views

urlpatterns: list[URLPattern] = [
    path("", views.releases, name="releases"),
    path("<slug:name>/", views.release, name="release"),
    path("<slug:name>/freeze/", views.freeze, name="release-freeze"),
    path("<slug:name>/instances/<path:key>/", views.instance, name="instance"),
]
