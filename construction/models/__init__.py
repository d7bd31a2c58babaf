"""The tables of construction."""

from construction.models.builds import (
    Build,
    BuildPaper,
    BuiltInstance,
    Candidate,
    Decision,
    Review,
    Step,
    StepCall,
)
from construction.models.sources import (
    Identity,
    MatchDecision,
    Outcome,
    Pairing,
    Publication,
    Reading,
    Source,
    SourceArchive,
    SourceFile,
    SourceState,
    SourceUpload,
    UploadedArchive,
)
