"""REST endpoints of this app."""

from django.urls import URLPattern, path

from annotation import api

urlpatterns: list[URLPattern] = [
    path("queue/", api.QueueView.as_view(), name="api-queue"),
    path("assignments/<str:handle>/", api.AssignmentView.as_view(), name="api-assignment"),
    path("assignments/<str:handle>/reopen/", api.ReopenView.as_view(), name="api-reopen"),
    path("assignments/<str:handle>/out-of-field/", api.OutOfFieldView.as_view(), name="api-out-of-field"),
    path("campaigns/", api.CampaignsView.as_view(), name="api-campaigns"),
    path("campaigns/<slug:slug>/", api.CampaignView.as_view(), name="api-campaign"),
    path("campaigns/<slug:slug>/progress/", api.ProgressView.as_view(), name="api-progress"),
]
