"""The sources of an output: whose the selected one is, how old they are, and those that a frozen query found. Pure."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from benchmark.citations.identifiers import arxiv_year
from benchmark.citations.identity import MATCHER_VERSION, Identity, Match
from benchmark.protocol import (
    NotFrozen,
    OutputFlag,
    ProgramJudge,
    ProgramReply,
    Retrieved,
    SourceDates,
    SuccessTypes,
)
from benchmark.protocols.re2math.citing import cited_case, citing_year, matches_cited, matches_citing
from benchmark.protocols.re2math.schema import TOP, GapAnswer, ProofGap, Source
from benchmark.settling.case import OpenCase

_VALUES = {Identity.SAME: "yes", Identity.DIFFERENT: "no", Identity.ASK: "uncertain"}
CITING = "citing_paper_source"
_KEYS = {Identity.SAME: "cited", Identity.DIFFERENT: "alternative", Identity.ASK: "unclear"}
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


def source_type(instance: Mapping[str, Any], output: Mapping[str, Any]) -> str:
    """By whose source a success was won (appendix D.4, Table 12): cited, alternative, or unclear where only a person
    can tell or no source is named."""
    source = GapAnswer.model_validate(output).selected_source
    if source is None:
        return "unclear"
    return _KEYS[matches_cited(ProofGap.model_validate(instance), source).identity]


def open_source(instance: Mapping[str, Any], output: Mapping[str, Any]) -> list[OpenCase]:
    """The selected source, if only a person can tell whether it is the cited one."""
    source = GapAnswer.model_validate(output).selected_source
    case = cited_case(ProofGap.model_validate(instance).z, source) if source else None
    return [case] if case else []


SUCCESS_TYPES = SuccessTypes(
    metric="tool_acc",
    titles={
        "alternative": "Alternative-source successes",
        "cited": "Cited-source successes",
        "unclear": "Source not told apart from the cited one",
    },
    key_of=source_type,
    veto="source_admissible",
    undecided="unclear",
    open_cases=open_source,
    settled={"same": "cited", "different": "alternative"},
)


def source_dates(instance: Mapping[str, Any], output: Mapping[str, Any]) -> SourceDates:
    """The latest year allowed for an output's sources, and the years of its candidates and of the selected one.

    No source may be younger than the citing paper (D.1). The year of a paper is what the file says, else that of its
    arXiv number, else unknown.
    """
    paper, answer = ProofGap.model_validate(instance).paper, GapAnswer.model_validate(output)
    chosen = answer.selected_source
    return SourceDates(
        latest=citing_year(paper) or arxiv_year(paper.paper_id),
        candidates=tuple((source.title, _year(source)) for source in answer.candidates or ()),
        selected=(chosen.title, _year(chosen)) if chosen else None,
    )


def _year(source: Source) -> int | None:
    return source.year or arxiv_year(source.identifier)


def with_retrieved(output: Mapping[str, Any], found: Retrieved) -> Mapping[str, Any]:
    """The payload with the sources among the first 20 results of its query, each once, as its candidates.

    Raises NotFrozen for a query that the artifact does not have, and for an output that lists other candidates.
    """
    answer = GapAnswer.model_validate(output)
    if not answer.query and not answer.candidates:
        return output
    results = found(answer.query) if answer.query else ()
    if results is None:
        raise NotFrozen("query", f"the frozen retrieval artifact has no results for {answer.query[:200]!r}")
    candidates = [asdict(source) for source in dict.fromkeys(results[:TOP])]
    listed = [source.model_dump() for source in answer.candidates or ()]
    if listed and listed != candidates:
        reason = "they are not what the frozen retrieval artifact found; leave them out, and it fills them in"
        raise NotFrozen("candidates", reason)
    return {**output, "candidates": candidates}
