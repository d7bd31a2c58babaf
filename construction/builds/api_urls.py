"""REST endpoints of builds."""

from django.urls import path

from construction.builds import api

urlpatterns = [
    path("", api.BuildList.as_view(), name="api-builds"),
    path("estimate/", api.EstimateView.as_view(), name="api-build-estimate"),
    path("recipes/", api.RecipesView.as_view(), name="api-build-recipes"),
    path("<slug:name>/", api.BuildDetail.as_view(), name="api-build"),
    path("<slug:name>/funnel.csv", api.FunnelView.as_view(), name="api-build-funnel"),
    path("<slug:name>/steer/", api.SteerView.as_view(), name="api-build-steer"),
    path("<slug:name>/again/", api.AgainView.as_view(), name="api-build-again"),
    path("<slug:name>/candidates/", api.CandidateList.as_view(), name="api-build-candidates"),
    path("<slug:name>/candidates/<int:pk>/", api.CandidateView.as_view(), name="api-build-candidate"),
    path("<slug:name>/candidates/<int:pk>/review/", api.ReviewView.as_view(), name="api-build-review"),
    path("<slug:name>/candidates/<int:pk>/withdraw/", api.WithdrawView.as_view(), name="api-build-withdraw"),
    path("<slug:name>/selection/", api.SelectionView.as_view(), name="api-build-selection"),
    path("<slug:name>/offsets.jsonl", api.OffsetsView.as_view(), name="api-build-offsets"),
    path("<slug:name>/emit/", api.EmitView.as_view(), name="api-build-emit"),
    path("<slug:name>/check/", api.CheckView.as_view(), name="api-build-check"),
    path("<slug:name>/compare/<slug:first>/", api.CompareView.as_view(), name="api-build-compare"),
]
