"""Pages of judging."""

from django.urls import path

from judging import views

urlpatterns = [
    path("", views.judges, name="judges"),
    path("new/", views.new_judge, name="new-judge"),
    path("<int:pk>/", views.judge, name="judge"),
    path("runs/<int:pk>/", views.judge_run, name="judge-run"),
    path("runs/<int:pk>/steer/", views.steer_run, name="steer-run"),
    path("runs/<int:pk>/adjust/", views.adjust, name="adjust-run"),
    path("runs/<int:pk>/retry/", views.retry_run, name="retry-run"),
]
