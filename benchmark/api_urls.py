"""REST endpoints of this app."""

from django.urls import URLPattern, path

from benchmark.describing import api as describing_api
from benchmark.importing import api as importing_api
from benchmark.releases import api
from benchmark.settling import api as settling_api
from benchmark.tuples import api as tuples_api

urlpatterns: list[URLPattern] = [
    path("releases/", api.ReleasesView.as_view(), name="api-releases"),
    path("releases/<slug:name>/", api.ReleaseView.as_view(), name="api-release"),
    path("releases/<slug:name>/freeze/", api.FreezeView.as_view(), name="api-release-freeze"),
    path("releases/<slug:name>/instances/", api.InstancesView.as_view(), name="api-release-instances"),
    path(
        "releases/<slug:name>/description/",
        describing_api.DescriptionView.as_view(),
        name="api-release-description",
    ),
    path("releases/<slug:name>/tuples/", tuples_api.TuplesView.as_view(), name="api-release-tuples"),
    path("releases/<slug:name>/years/", tuples_api.YearsView.as_view(), name="api-release-years"),
    path(
        "releases/<slug:name>/tuples/<slug:frozen>/<slug:entry>/",
        tuples_api.TupleFileView.as_view(),
        name="api-tuple-file",
    ),
    path(
        "releases/<slug:name>/croissant/",
        describing_api.CroissantView.as_view(),
        name="api-release-croissant",
    ),
    path(
        "releases/<slug:name>/instances.jsonl",
        describing_api.InstancesFileView.as_view(),
        name="api-release-instances-file",
    ),
    path(
        "releases/<slug:name>/outputs.jsonl",
        describing_api.OutputsFileView.as_view(),
        name="api-release-outputs-file",
    ),
    path(
        "releases/<slug:name>/reproduction/",
        describing_api.ReproductionView.as_view(),
        name="api-release-reproduction",
    ),
    path(
        "releases/<slug:name>/source-questions/",
        settling_api.QuestionsView.as_view(),
        name="api-source-questions",
    ),
    path(
        "releases/<slug:name>/source-questions/<slug:pair>/",
        settling_api.QuestionView.as_view(),
        name="api-source-question",
    ),
    path(
        "releases/<slug:name>/settlements/<int:pk>/",
        settling_api.SettlementView.as_view(),
        name="api-settlement",
    ),
    path("imports/", importing_api.ImportsView.as_view(), name="api-imports"),
    path("imports/<str:handle>/", importing_api.ImportView.as_view(), name="api-import"),
    path("imports/<str:handle>/mapping/", importing_api.MappingView.as_view(), name="api-import-mapping"),
    path("imports/<str:handle>/apply/", importing_api.ApplyView.as_view(), name="api-import-apply"),
    path("systems/", api.SystemsView.as_view(), name="api-systems"),
    path("systems/<slug:slug>/", api.SystemView.as_view(), name="api-system"),
    path("outputs/", api.OutputsView.as_view(), name="api-outputs"),
    path("outputs/<int:pk>/", api.OutputView.as_view(), name="api-output"),
]
