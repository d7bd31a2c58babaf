"""Pages of this app."""

from django.urls import URLPattern, path

from benchmark.abstaining.views import abstain
from benchmark.describing import views as describing_views
from benchmark.files import views as files_views
from benchmark.releases import views
from benchmark.reproduction import views as reproduction_views
from benchmark.settling.views import settling
from benchmark.tuples import views as tuples_views

urlpatterns: list[URLPattern] = [
    path("", views.releases, name="releases"),
    path("<slug:name>/", views.release, name="release"),
    path("<slug:name>/freeze/", views.freeze, name="release-freeze"),
    path("<slug:name>/describe/", describing_views.describe, name="release-describe"),
    path("<slug:name>/tuples/", tuples_views.tuples, name="release-tuples"),
    path("<slug:name>/tuples/<slug:frozen>/<slug:entry>/", tuples_views.tuple_file, name="tuple-file"),
    path("<slug:name>/reproduction/", reproduction_views.reproduction_page, name="release-reproduction"),
    path("<slug:name>/source-questions/", settling, name="settling"),
    path("<slug:name>/croissant.json", describing_views.croissant_file, name="release-croissant"),
    path("<slug:name>/instances.jsonl", describing_views.instances_file, name="release-instances-file"),
    path("<slug:name>/outputs.jsonl", describing_views.outputs_file, name="release-outputs-file"),
    path("<slug:name>/files/", files_views.attach, name="attach"),
    path("<slug:name>/files/<int:pk>/", files_views.read, name="attachment"),
    path("<slug:name>/files/<int:pk>/original/", files_views.original, name="attachment-original"),
    path("<slug:name>/files/<int:pk>/remove/", files_views.remove, name="attachment-remove"),
    path("<slug:name>/outputs/<int:pk>/abstain/", abstain, name="abstain"),
    path("<slug:name>/instances/<path:key>/", views.instance, name="instance"),
]
