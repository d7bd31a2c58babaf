"""What graders are shown of a query and of a ranked list."""

from collections.abc import Mapping
from typing import Any

from benchmark.protocol import Part
from benchmark.protocols.theorem_search.schema import Query
from benchmark.protocols.theorem_search.showing import body, named


def instance_parts(payload: Mapping[str, Any]) -> list[Part]:
    """The query, and the theorems that are known to answer it, folded away."""
    query = Query.model_validate(payload)
    return [
        Part("Query", query.query),
        *(
            Part("Known answer", "\n\n".join(filter(None, (named(target), body(target)))), collapsed=True)
            for target in query.targets
        ),
    ]


def output_parts(payload: Mapping[str, Any], text: str, text_format: str) -> list[Part]:
    """The list in its order. Scores and the number of results would tell systems apart and are left out."""
    return [Part("Results", text, text_format)]


def prompt_fields(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any], text: str
) -> dict[str, str]:
    """Rankings are measured and graded by people: there is no predicate to ask a judge."""
    raise KeyError(f"theorem_search has no predicate {predicate!r}")
