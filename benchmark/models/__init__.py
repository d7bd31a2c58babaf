"""What is measured: releases with their papers and instances, systems, runs and outputs.

A frozen release and a frozen run are held by guards in the database (migration 0002): nobody updates,
deletes or adds to what they contain."""

from benchmark.models.files import Attachment, CleanCopy, FileKind, OriginalFile
from benchmark.models.flags import ProtocolFlag
from benchmark.models.identities import (
    IdentityDecision,
    IdentityScan,
    IdentityVerdict,
    IdentityWord,
    RedactedOutput,
)
from benchmark.models.imports import ImportKind, ImportState, ImportUpload
from benchmark.models.releases import Benchmark, Instance, Paper, Release, ReleaseDescription
from benchmark.models.rendering import RenderedDocument
from benchmark.models.runs import Abstention, Output, OutputState, Run, System, TextFormat, UnreleasedOutput
from benchmark.models.settling import Settlement, SettlementVerdict
from benchmark.models.tuples import STORABLE, FrozenTuple, TupledRun, TupleFile, TupleFilePart

__all__ = [
    "STORABLE",
    "Abstention",
    "Attachment",
    "Benchmark",
    "CleanCopy",
    "FileKind",
    "FrozenTuple",
    "IdentityDecision",
    "IdentityScan",
    "IdentityVerdict",
    "IdentityWord",
    "ImportKind",
    "ImportState",
    "ImportUpload",
    "Instance",
    "OriginalFile",
    "Output",
    "OutputState",
    "Paper",
    "ProtocolFlag",
    "RedactedOutput",
    "Release",
    "ReleaseDescription",
    "RenderedDocument",
    "Run",
    "Settlement",
    "SettlementVerdict",
    "System",
    "TextFormat",
    "TupleFile",
    "TupleFilePart",
    "TupledRun",
    "UnreleasedOutput",
]
