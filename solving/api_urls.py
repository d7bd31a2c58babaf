"""REST endpoints of solving."""

from django.urls import path

from solving.attempts import api as attempts
from solving.batches import api as batches
from solving.materials import api as materials
from solving.runs import api as runs
from solving.starting import api as starting
from solving.systems import api as systems

urlpatterns = [
    path("solving/solvers/", systems.SolverList.as_view(), name="api-solvers"),
    path("solving/materials/", materials.MaterialList.as_view(), name="api-materials"),
    path("solving/materials/<int:pk>/", materials.MaterialDetail.as_view(), name="api-material"),
    path("solving/runs/", runs.SolveRunList.as_view(), name="api-solve-runs"),
    path("solving/runs/estimate/", starting.RunEstimateView.as_view(), name="api-solve-estimate"),
    path("solving/runs/questions/", starting.FirstQuestions.as_view(), name="api-solve-questions"),
    path("solving/runs/<int:pk>/", runs.SolveRunDetail.as_view(), name="api-solve-run"),
    path("solving/runs/<int:pk>/steer/", runs.SolveRunSteer.as_view(), name="api-solve-run-steer"),
    path("solving/runs/<int:pk>/publish/", runs.SolveRunPublish.as_view(), name="api-solve-run-publish"),
    path("solving/runs/<int:pk>/batch/", batches.SolveBatch.as_view(), name="api-solve-batch"),
    path(
        "solving/runs/<int:pk>/batch/steer/", batches.SolveBatchSteer.as_view(), name="api-solve-batch-steer"
    ),
    path("solving/runs/<int:pk>/attempts/", attempts.AttemptList.as_view(), name="api-solve-attempts"),
    path(
        "solving/runs/<int:pk>/compare/<int:other>/", runs.SolveRunCompare.as_view(), name="api-solve-compare"
    ),
    path("solving/attempts/<int:pk>/", attempts.AttemptDetail.as_view(), name="api-solve-attempt"),
    path(
        "solving/attempts/<int:pk>/transcript/",
        attempts.AttemptTranscript.as_view(),
        name="api-solve-transcript",
    ),
    path("solving/attempts/<int:pk>/memory/", attempts.AttemptMemory.as_view(), name="api-solve-memory"),
]
