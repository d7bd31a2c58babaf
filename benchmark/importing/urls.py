"""Pages of imports."""

from django.urls import URLPattern, path

from benchmark.collecting.views import format_page, format_template, import_mapping
from benchmark.importing import views as import_views
from benchmark.models import ImportKind

urlpatterns: list[URLPattern] = [
    path("", import_views.imports, name="imports"),
    path("new/", import_views.import_new, {"kind": ImportKind.FILES}, name="import-files"),
    path("formats/<slug:protocol>/", format_page, name="import-format"),
    path("formats/<slug:protocol>/<slug:kind>.<slug:ending>", format_template, name="import-template"),
    path("release/", import_views.import_new, {"kind": ImportKind.RELEASE}, name="import-release"),
    path("outputs/", import_views.import_new, {"kind": ImportKind.OUTPUTS}, name="import-outputs"),
    path("labels/", import_views.import_new, {"kind": ImportKind.LABELS}, name="import-labels"),
    path("files/<str:handle>/", import_views.import_page, name="import"),
    path("files/<str:handle>/mapping/", import_mapping, name="import-mapping"),
    path("files/<str:handle>/apply/", import_views.import_apply, name="import-apply"),
    path("files/<str:handle>/delete/", import_views.import_delete, name="import-delete"),
]
