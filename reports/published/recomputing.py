"""The published figures of a protocol, recomputed: what page, REST and command show."""

from functools import cache
from typing import Any

from accounts.refusal import Refused
from benchmark.published import published_facts, published_protocols
from reports.published.figures import published_document


@cache
def recomputed(protocol: str) -> dict[str, Any]:
    """The document of a protocol's published figures; facts and code are fixed while a process lives.

    Raises Refused naming the protocols that have published figures.
    """
    if protocol not in published_protocols():
        known = ", ".join(published_protocols())
        raise Refused(
            f"No published figures are kept for {protocol[:100]!r}; there are some for {known}.",
            code="no_published",
            field="protocol",
        )
    return published_document(protocol, published_facts(protocol))


def all_counts() -> list[dict[str, object]]:
    """Protocol, paper and counts of every protocol with published figures."""
    documents = [recomputed(name) for name in published_protocols()]
    return [{key: document[key] for key in ("protocol", "paper", "counts")} for document in documents]
