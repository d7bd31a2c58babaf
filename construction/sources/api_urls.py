"""REST endpoints of sources."""

from django.urls import path

from construction.sources import api

urlpatterns = [
    path("", api.SourceList.as_view(), name="api-sources"),
    path("uploads/", api.UploadList.as_view(), name="api-source-uploads"),
    path("uploads/<int:pk>/", api.UploadDetail.as_view(), name="api-source-upload"),
    path("uploads/<int:pk>/archives/", api.UploadArchives.as_view(), name="api-source-upload-archives"),
    path("uploads/<int:pk>/add/", api.UploadAdd.as_view(), name="api-source-upload-add"),
    path("manifest/", api.ManifestCheck.as_view(), name="api-source-manifest"),
    path("matching/", api.MatchList.as_view(), name="api-source-matching"),
    path("matching/<int:pk>/", api.MatchDecide.as_view(), name="api-source-match"),
    path("statements.jsonl", api.StatementsExport.as_view(), name="api-source-statements"),
    path("<int:pk>/", api.SourceDetail.as_view(), name="api-source"),
    path("<int:pk>/files/", api.SourceFiles.as_view(), name="api-source-files"),
    path("<int:pk>/outline/", api.SourceOutline.as_view(), name="api-source-outline"),
    path("<int:pk>/main/", api.SourceMain.as_view(), name="api-source-main"),
    path("<int:pk>/pairs/", api.SourcePairs.as_view(), name="api-source-pairs"),
]
