"""Re2Math's metrics: a label other than a clear yes counts against the output. Pure.

Definitions: STATISTICS.md 1.1 and its section 0 (truth tables).
"""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import LabelledOutput, Measure, Metric
from benchmark.protocols.re2math.citing import cited_case, cited_is_among
from benchmark.protocols.re2math.schema import TOP, GapAnswer, ProofGap
from benchmark.settling.case import OpenCase

UNDEFINED = ""
ORACLE = "oracle"  # the cited source was handed over, so nothing was searched


def is_grounded(output: LabelledOutput) -> bool:
    """Ground = yes."""
    return output.labels.get("ground") == "yes"


def is_success(output: LabelledOutput) -> bool:
    """Ground = yes and Suff = yes."""
    return is_grounded(output) and output.labels.get("suff") == "yes"


def tool_label(output: LabelledOutput) -> str:
    """Tool as the paper's case tables print it: yes, no, or undefined ("") as soon as Ground or Suff is (weak
    Kleene: no and undefined is undefined). Scores do not use it: there, undefined counts 0."""
    parts = [output.labels.get(key, "") for key in ("ground", "suff")]
    if output.state != "answered" or UNDEFINED in parts:
        return UNDEFINED
    return "yes" if parts == ["yes", "yes"] else "no"


def cited_among(instance: Mapping[str, Any], output: Mapping[str, Any] | None) -> float | None:
    """1 if the cited source is among the first 20 candidates, otherwise 0; what only a person can decide is 0.

    None if the candidates were not recorded.
    """
    if output is None:
        return 0.0
    citation = ProofGap.model_validate(instance).z
    candidates = GapAnswer.model_validate(output).candidates
    return None if candidates is None else float(cited_is_among(citation, candidates[:TOP]))


def open_citations(instance: Mapping[str, Any], output: Mapping[str, Any]) -> list[OpenCase]:
    """Unless the cited source is certainly found: the first 20 candidates that may be it, each once."""
    citation = ProofGap.model_validate(instance).z
    candidates = (GapAnswer.model_validate(output).candidates or [])[:TOP]
    if cited_is_among(citation, candidates):
        return []
    cases = [case for source in candidates if (case := cited_case(citation, source))]
    return list({case.pair: case for case in cases}.values())


def reached(predicate: str, output: Mapping[str, Any]) -> bool:
    """An output that abstained is judged on its plan and its query, if it has them."""
    field = {"anchor_match": "planning_anchor", "query_match": "query"}.get(predicate)
    return field is not None and bool(str(output.get(field, "")).strip())


def bucket(output: LabelledOutput) -> str:
    """Where the output ends in the failure decomposition, which is also its stratum in an audit.

    success, grounded_insufficient and ungrounded as in the paper; abstained apart from ungrounded, which the
    paper merges; unavailable when no label decides. The buckets of a run add up to its outputs.
    """
    ground, suff = output.labels.get("ground", ""), output.labels.get("suff", "")
    if output.state != "answered" or output.states.get("ground") == "abstain":
        return "abstained"
    if not ground:
        return "unavailable"
    if ground != "yes":
        return "ungrounded"
    if suff == "yes":
        return "success"
    return "grounded_insufficient" if suff or output.states.get("suff") == "abstain" else "unavailable"


METRICS = (
    Metric(
        key="tool_acc",
        title="ToolAcc",
        definition="Share of outputs whose statement is grounded in the selected source and suffices for "
        "the gap. Uncertain labels and abstentions count against the system.",
        needs=("ground", "suff"),
        success=is_success,
    ),
    Metric(
        key="anchor_acc",
        title="AnchorAcc",
        definition="Share of outputs whose planned need names the same proof role as the stored anchor, planned "
        "on the raw track from the global context and the last five blocks.",
        needs=("anchor_match",),
        success=lambda output: output.labels.get("anchor_match") == "yes",
        optional=True,
    ),
    Metric(
        key="query_acc",
        title="QueryAcc",
        definition="Share of outputs whose query, written on the assisted track, targets the intended family of "
        "tools.",
        needs=("query_match",),
        success=lambda output: output.labels.get("query_match") == "yes",
        optional=True,
    ),
    Metric(
        key="ground_rate",
        title="GroundRate",
        definition="Share of outputs whose statement is grounded in the selected source.",
        needs=("ground",),
        success=is_grounded,
    ),
)

MEASURES = (
    Measure(
        key="cite_recall_20",
        title="CiteRecall@20",
        definition="Share of instances with the cited source among the first 20 candidates, as the source "
        "matcher sees it (DOI or arXiv id, then title and authors). What it would ask a person counts as not "
        "found, within bounds; an output that abstained later keeps its candidates.",
        value=cited_among,
        binary=True,
        not_under=(ORACLE,),
        reads_abstained=True,
        open_cases=open_citations,
    ),
)
