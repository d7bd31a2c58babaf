"""The verbs of this app. Each is keyword-only, atomic, and writes its audit row."""

from benchmark.actions.describing import describe_release
from benchmark.actions.freezing import freeze_release, freeze_run
from benchmark.actions.identities import (
    add_identity_word,
    find,
    remove_identity_word,
    scan_identities,
    scan_outputs,
)
from benchmark.actions.outputs import OutputsReport, import_outputs
from benchmark.actions.releases import ImportReport, import_release
from benchmark.actions.tuples import declare_tuple
from benchmark.actions.uploading import apply_import, delete_import, store_import

__all__ = [
    "ImportReport",
    "OutputsReport",
    "add_identity_word",
    "apply_import",
    "declare_tuple",
    "delete_import",
    "describe_release",
    "find",
    "freeze_release",
    "freeze_run",
    "import_outputs",
    "import_release",
    "remove_identity_word",
    "scan_identities",
    "scan_outputs",
    "store_import",
]
