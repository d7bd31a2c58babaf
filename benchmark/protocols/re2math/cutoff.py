"""The date cut-off of retrieval (Re2Math, D.1): no source may be younger than the citing paper. Pure.

The year of a paper is what the file says, else that of its arXiv number, else unknown.
"""

from collections.abc import Mapping
from typing import Any

from benchmark.citations.identifiers import arxiv_year
from benchmark.protocol import SourceDates
from benchmark.protocols.re2math.citing import citing_year
from benchmark.protocols.re2math.schema import GapAnswer, ProofGap, Source


def source_dates(instance: Mapping[str, Any], output: Mapping[str, Any]) -> SourceDates:
    """The latest year allowed for an output's sources, and the years of its candidates and of the selected one."""
    paper, answer = ProofGap.model_validate(instance).paper, GapAnswer.model_validate(output)
    chosen = answer.selected_source
    return SourceDates(
        latest=citing_year(paper) or arxiv_year(paper.paper_id),
        candidates=tuple((source.title, _year(source)) for source in answer.candidates or ()),
        selected=(chosen.title, _year(chosen)) if chosen else None,
    )


def _year(source: Source) -> int | None:
    return source.year or arxiv_year(source.identifier)
