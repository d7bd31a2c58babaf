"""Whose source an output selected: the cited one, or, against the rules, the citing paper. Pure."""

from collections.abc import Mapping
from typing import Any

from benchmark.citations.identity import MATCHER_VERSION, Identity, Match
from benchmark.protocol import OutputFlag, ProgramJudge, ProgramReply
from benchmark.protocols.re2math.citing import matches_cited, matches_citing
from benchmark.protocols.re2math.schema import GapAnswer, ProofGap

_VALUES = {Identity.SAME: "yes", Identity.DIFFERENT: "no", Identity.ASK: "uncertain"}
CITING = "citing_paper_source"
_QUESTIONS = {"cited_source_match": matches_cited, CITING: matches_citing}


def decide(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any] | None, text: str
) -> ProgramReply:
    """yes: the same work; uncertain: a person has to look; unavailable where the output names no source."""
    if predicate not in _QUESTIONS:
        raise ValueError(f"the sources program does not answer {predicate!r}")
    source = GapAnswer.model_validate(output or {}).selected_source
    if source is None:
        return ProgramReply("", "The output names no source.", state="unavailable")
    match: Match = _QUESTIONS[predicate](ProofGap.model_validate(instance), source)
    return ProgramReply(_VALUES[match.identity], match.reason.capitalize(), evidence=dict(match.evidence))


def flag_output(instance: Mapping[str, Any], output: Mapping[str, Any]) -> list[OutputFlag]:
    """Whether the selected source is, or may be, the citing paper (C.2)."""
    found = decide(CITING, instance, output, "")
    if found.value not in ("yes", "uncertain"):
        return []
    return [OutputFlag(CITING, found.value == "yes", found.reason)]


SOURCES = ProgramJudge(
    name="sources",
    version=MATCHER_VERSION,
    predicates=tuple(_QUESTIONS),
    decide=decide,
    title="Source matcher: the cited source, the citing paper",
)
