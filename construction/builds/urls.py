"""Pages of builds."""

from django.urls import path

from construction.builds import planning, releasing, reviewing, views

urlpatterns = [
    path("", views.builds, name="builds"),
    path("new/", planning.new_build, name="new-build"),
    path("recipes/<slug:protocol>/", planning.recipe, name="recipe"),
    path("<slug:name>/", views.build, name="build"),
    path("<slug:name>/steer/", views.steer_build, name="steer-build"),
    path("<slug:name>/funnel.csv", views.funnel_csv, name="build-funnel"),
    path("<slug:name>/papers/", views.papers, name="build-papers"),
    path("<slug:name>/compare/", views.comparison, name="build-comparison"),
    path("<slug:name>/candidates/", reviewing.candidates, name="build-candidates"),
    path("<slug:name>/candidates/<int:pk>/", reviewing.candidate, name="build-candidate"),
    path("<slug:name>/candidates/<int:pk>/withdraw/", reviewing.withdraw, name="build-candidate-withdraw"),
    path("<slug:name>/selection/", releasing.selection, name="build-selection"),
    path("<slug:name>/release/", releasing.release, name="build-release"),
    path("<slug:name>/offsets.jsonl", releasing.offsets, name="build-offsets"),
]
