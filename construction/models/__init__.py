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
from construction.models.sources import Source, SourceFile, SourceState

__all__ = [
    "Build",
    "BuildPaper",
    "BuiltInstance",
    "Candidate",
    "Decision",
    "Review",
    "Source",
    "SourceFile",
    "SourceState",
    "Step",
    "StepCall",
]
