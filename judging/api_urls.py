"""REST endpoints of judging."""

from django.urls import path

from judging.prompts import api as prompts
from judging.runs import api

urlpatterns = [
    path("prompts/", prompts.PromptList.as_view(), name="api-prompts"),
    path("prompts/<int:pk>/", prompts.PromptDetail.as_view(), name="api-prompt"),
    path("judges/", api.JudgeList.as_view(), name="api-judges"),
    path("judge-runs/", api.JudgeRunList.as_view(), name="api-judge-runs"),
    path("judge-runs/<int:pk>/", api.JudgeRunDetail.as_view(), name="api-judge-run"),
    path("judge-runs/<int:pk>/steer/", api.JudgeRunSteer.as_view(), name="api-steer-judge-run"),
    path("judge-runs/<int:pk>/retry/", api.JudgeRunRetry.as_view(), name="api-retry-judge-run"),
    path("judge-runs/<int:pk>/reparse/", api.JudgeRunReparse.as_view(), name="api-reparse-judge-run"),
    path("releases/<slug:release>/verdicts/", api.ReleaseVerdictList.as_view(), name="api-verdicts"),
]
