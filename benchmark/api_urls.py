"""REST endpoints of this app."""

from django.urls import URLPattern, path

from benchmark import api

urlpatterns: list[URLPattern] = [
    path("releases/", api.ReleasesView.as_view(), name="api-releases"),
    path("releases/<slug:name>/", api.ReleaseView.as_view(), name="api-release"),
    path("releases/<slug:name>/freeze/", api.FreezeView.as_view(), name="api-release-freeze"),
    path("releases/<slug:name>/instances/", api.InstancesView.as_view(), name="api-release-instances"),
    path("systems/", api.SystemsView.as_view(), name="api-systems"),
    path("systems/<slug:slug>/", api.SystemView.as_view(), name="api-system"),
    path("outputs/", api.OutputsView.as_view(), name="api-outputs"),
    path("outputs/<int:pk>/", api.OutputView.as_view(), name="api-output"),
]
