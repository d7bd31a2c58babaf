"""Pages about somebody's own labels and plans; no study is read."""

from django.urls import URLPattern, path

from reports.analysing import upload_views as analyse
from reports.planning import views as planner

_FILE = "files/<str:handle>/"

urlpatterns: list[URLPattern] = [
    path("", analyse.analyse, name="analyse"),
    path(_FILE, analyse.analyse_file, name="analyse-file"),
    path(f"{_FILE}answer.json", analyse.analyse_json, name="analyse-json"),
    path(f"{_FILE}answer.txt", analyse.analyse_text, name="analyse-text"),
    path(f"{_FILE}delete/", analyse.analyse_delete, name="analyse-delete"),
    path("plan/", planner.plan, {"question": "plan-strata"}, name="plan-strata"),
    path("plan/agreement/", planner.plan, {"question": "plan-agreement"}, name="plan-agreement"),
    path("plan/comparison/", planner.plan, {"question": "plan-comparison"}, name="plan-comparison"),
    path("plan/proportion/", planner.plan, {"question": "plan-proportion"}, name="plan-proportion"),
]
