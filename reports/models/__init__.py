"""Frozen artifacts, uploaded label files, exclusion rules, links of the chain of history, printed reports."""

from reports.models.artifacts import Artifact
from reports.models.exclusions import ExclusionRule
from reports.models.history import HistoryLink
from reports.models.printing import ReportJob, ReportState
from reports.models.uploads import LabelUpload, UploadState

__all__ = [
    "Artifact",
    "ExclusionRule",
    "HistoryLink",
    "LabelUpload",
    "ReportJob",
    "ReportState",
    "UploadState",
]
