"""Scans before a release: whether texts that a model wrote reveal it, and whether an anchor gives a tool away.

Programs did the same to each reply; here it is done to the lines as they are now, repairs included.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.identities.scan import scan
from construction.builds.emission import Line
from construction.builds.repairs import editable
from construction.models import Build
from construction.pipeline import get_pipeline

LONGEST = 20_000  # characters of a text that are looked at: nobody writes more into one string


@dataclass(frozen=True)
class ScanFinding:
    """Something to look at before a release: in which candidate, in which string, and what."""

    candidate: int
    name: str
    path: str
    kind: str
    words: str


def scan_lines(build: Build, lines: Sequence[Line]) -> list[ScanFinding]:
    """Findings in the strings of these lines that a model or a person wrote."""
    pipeline = get_pipeline(build.protocol)
    recipe = pipeline.recipe(build.recipe)
    findings: list[ScanFinding] = []
    for line in lines:
        name = f"{line.candidate.paper.source.key} {line.candidate.key}"
        for path, text in editable({"line": line.line, "provenance": line.provenance}).items():
            if line.provenance[path]["places"]:
                continue
            for found in scan(text[:LONGEST], "latex", [build.model]):
                words = f"{found.evidence[:160]}{'' if found.certain else ' (perhaps)'}"
                kind = f"identity: {found.kind}"
                findings.append(ScanFinding(line.candidate.pk, name, path, kind, words))
            if drop := pipeline.leak(line.line, path, text, recipe):
                findings.append(ScanFinding(line.candidate.pk, name, path, drop.code, drop.sentence))
    return findings
