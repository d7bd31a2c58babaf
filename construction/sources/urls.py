"""Pages of sources."""

from django.urls import path

from construction.sources import views

urlpatterns = [
    path("", views.sources, name="sources"),
    path("add/", views.add_sources, name="add-sources"),
    path("matching/", views.matching, name="source-matching"),
    path("uploads/<int:pk>/", views.source_upload, name="source-upload"),
    path("uploads/<int:pk>/steer/", views.steer_upload, name="steer-source-upload"),
    path("<int:pk>/", views.source, name="source"),
    path("<int:pk>/archive/", views.archive, name="source-archive"),
    path("<int:pk>/describe/", views.describe, name="describe-source"),
    path("<int:pk>/main/", views.change_main, name="source-main"),
    path("<int:pk>/pair/", views.pair, name="pair-proof"),
    path("<int:pk>/remove/", views.remove, name="remove-source"),
]
