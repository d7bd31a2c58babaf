"""Frozen artifacts and their public records, kept scores, uploaded label files, exclusion rules, the chain of history,
printed reports."""

from reports.models.artifacts import Artifact
from reports.models.exclusions import ExclusionRule
from reports.models.history import HistoryLink
from reports.models.kept import KeptScore
from reports.models.printing import ReportJob, ReportPer, ReportState
from reports.models.records import PublicRecord
from reports.models.uploads import LabelUpload, UploadState
