"""Addresses of public records: anybody may read what is there."""

from django.urls import path

from reports.records.views import record_file

urlpatterns = [
    path("", record_file, name="record-list"),
    path("<path:path>", record_file, name="record-file"),
]
