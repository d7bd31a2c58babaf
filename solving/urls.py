"""Pages of solving."""

from django.urls import path

from solving.attempts import views as attempts
from solving.batches import views as batches
from solving.comparing import views as comparing
from solving.materials import views as materials
from solving.runs import views as runs
from solving.starting import views as starting
from solving.systems import views as systems

urlpatterns = [
    path("", runs.runs_list, name="solve-runs"),
    path("new/", starting.new_run, name="new-solve-run"),
    path("solvers/", systems.solvers, name="solvers"),
    path("solvers/new/", systems.new_solver, name="new-solver"),
    path("materials/", materials.materials, name="materials"),
    path("materials/new/", materials.new_material, name="new-material"),
    path("materials/<int:pk>/", materials.material, name="material"),
    path("compare/", comparing.comparison, name="solve-comparison"),
    path("compare/problems/<int:instance>/", comparing.problem, name="solve-problem"),
    path("runs/<int:pk>/", runs.run, name="solve-run"),
    path("runs/<int:pk>/steer/", runs.steer_run, name="steer-solve-run"),
    path("runs/<int:pk>/batch/", batches.batch, name="solve-batch"),
    path("attempts/<int:pk>/", attempts.attempt, name="solve-attempt"),
    path("attempts/<int:pk>/steps/<str:key>/", attempts.step, name="solve-step"),
    path("attempts/<int:pk>/memory/<int:number>/", attempts.entry, name="solve-entry"),
]
