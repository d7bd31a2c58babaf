"""The columns of Re2Math's case studies (appendix F of the paper). Pure."""

from benchmark.case_columns import label_of
from benchmark.citations.identity import Identity
from benchmark.protocol import Case, CaseColumn
from benchmark.protocols.re2math.citing import matches_cited
from benchmark.protocols.re2math.metrics import MEASURES, ORACLE, cited_among, open_citations, tool_label
from benchmark.protocols.re2math.schema import GapAnswer, ProofGap
from benchmark.protocols.re2math.sources import open_source

_NEEDED = ("ground", "suff")
_IDENTITY = {Identity.SAME: "yes", Identity.DIFFERENT: "no"}
_SETTLED = {"same": "yes", "different": "no", "": "uncertain"}


def _cite(case: Case) -> str:
    """yes, no, or uncertain where a person still has to look at a candidate."""
    answer = GapAnswer.model_validate(case.output)
    if case.labelled.state != "answered" and not answer.candidates and not answer.query:
        return ""  # it abstained before it searched; a search that found nothing is a no
    if cited_among(case.instance, case.output):
        return "yes"
    said = {case.answers.get(asked.pair, "") for asked in open_citations(case.instance, case.output)}
    return "yes" if "same" in said else "uncertain" if "" in said else "no"


def _is_cited(case: Case) -> str:
    source = GapAnswer.model_validate(case.output).selected_source
    if source is None:
        return ""
    if asked := open_source(case.instance, case.output):
        return _SETTLED[case.answers.get(asked[0].pair, "")]
    return _IDENTITY[matches_cited(ProofGap.model_validate(case.instance), source).identity]


def _tool(case: Case) -> str:
    return tool_label(case.labelled)


CASE_COLUMNS = (
    CaseColumn(
        "query_text",
        "Query asked",
        "The query that the system wrote.",
        lambda case: GapAnswer.model_validate(case.output).query,
        is_text=True,
        of_abstained=True,
    ),
    CaseColumn(
        "plan",
        "Plan",
        "Whether the need that was planned on the raw track, from the five-block window, is the stored anchor.",
        label_of("anchor_match"),
        needs=("anchor_match",),
        track="raw",
        of_abstained=True,
    ),
    CaseColumn(
        "query",
        "Query",
        "Whether the query of the assisted track targets the intended family of tools.",
        label_of("query_match"),
        needs=("query_match",),
        track="assisted",
        of_abstained=True,
    ),
    CaseColumn(MEASURES[0].key, "Cite", MEASURES[0].definition, _cite, of_abstained=True),
    CaseColumn(
        "ground",
        "Ground",
        "Whether the source supports the statement.",
        label_of("ground"),
        needs=("ground",),
    ),
    CaseColumn(
        "suff", "Suff", "Whether the statement suffices for the gap.", label_of("suff"), needs=("suff",)
    ),
    CaseColumn(
        "tool",
        "Tool",
        "Ground and Suff together; undefined as soon as one of them is. A score counts undefined as no.",
        _tool,
        needs=_NEEDED,
    ),
    CaseColumn(
        "oracle",
        "Oracle",
        "Tool where the cited source was handed over (raw track, condition oracle).",
        _tool,
        needs=_NEEDED,
        track="raw",
        condition=ORACLE,
    ),
    CaseColumn(
        "source",
        "Selected source",
        "The title of the selected source.",
        lambda case: (
            source.title if (source := GapAnswer.model_validate(case.output).selected_source) else ""
        ),
        is_text=True,
        of_abstained=True,
    ),
    CaseColumn(
        "cited",
        "Cited",
        "Whether the selected source is the one that the authors cited; uncertain: a person has to look. A success "
        "through another source counts in full.",
        _is_cited,
    ),
)
