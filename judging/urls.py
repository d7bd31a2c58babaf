"""Pages of judging."""

from django.urls import path

from judging.prompts import views as prompts
from judging.reading import views as reading_views
from judging.runs import views

urlpatterns = [
    path("", views.judges, name="judges"),
    path("new/", views.new_judge, name="new-judge"),
    path("prompts/", prompts.prompts, name="prompts"),
    path("prompts/new/", prompts.new_prompt, name="new-prompt"),
    path("prompts/<int:pk>/", prompts.prompt, name="prompt"),
    path("<int:pk>/", views.judge, name="judge"),
    path("<int:pk>/outputs/<int:output>/", reading_views.judge_replies, name="judge-replies"),
    path(
        "<int:pk>/instances/<int:instance>/",
        reading_views.judge_instance_replies,
        name="judge-about-instance",
    ),
    path("runs/<int:pk>/", views.judge_run, name="judge-run"),
    path("runs/<int:pk>/injections/", reading_views.run_injections, name="run-injections"),
    path("runs/<int:pk>/reparse/", reading_views.reparse_run, name="reparse-run"),
    path("runs/<int:pk>/steer/", views.steer_run, name="steer-run"),
    path("runs/<int:pk>/adjust/", views.adjust, name="adjust-run"),
    path("runs/<int:pk>/retry/", views.retry_run, name="retry-run"),
]
