"""What is measured: releases with their papers and instances, systems, runs and outputs.

A frozen release and a frozen run are held by guards in the database (migration 0002): nobody updates,
deletes or adds to what they contain."""

from benchmark.models.files import Attachment, CleanCopy, FileKind, OriginalFile
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
from benchmark.models.runs import (
    Abstention,
    Output,
    OutputState,
    ProtocolFlag,
    Run,
    Settlement,
    SettlementVerdict,
    System,
    TextFormat,
    UnreleasedOutput,
)
from benchmark.models.tuples import STORABLE, FrozenTuple, TupledRun, TupleFile, TupleFilePart
