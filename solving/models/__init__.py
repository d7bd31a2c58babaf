"""The tables of solving."""

from solving.models.materials import Material
from solving.models.runs import Attempt, AttemptState, MemoryEntry, Solver, SolveRun
from solving.models.steps import AskStep, SolveCall, Step, ToolStep
