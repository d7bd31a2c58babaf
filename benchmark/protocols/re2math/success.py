"""By whose source a success was won: the cited one or another (Re2Math, appendix D.4, Table 12). Pure."""

from collections.abc import Mapping
from typing import Any

from benchmark.citations.identity import Identity
from benchmark.protocol import SuccessTypes
from benchmark.protocols.re2math.citing import cited_case, matches_cited
from benchmark.protocols.re2math.schema import GapAnswer, ProofGap
from benchmark.settling.case import OpenCase

_KEYS = {Identity.SAME: "cited", Identity.DIFFERENT: "alternative", Identity.ASK: "unclear"}


def source_type(instance: Mapping[str, Any], output: Mapping[str, Any]) -> str:
    """cited, alternative, or unclear where only a person can tell or no source is named."""
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
