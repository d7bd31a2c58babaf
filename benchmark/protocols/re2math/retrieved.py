"""The candidates of an output whose queries were frozen: what its query found, and nothing else. Pure."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from benchmark.protocol import NotFrozen, Retrieved
from benchmark.protocols.re2math.schema import TOP, GapAnswer


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
