"""What somebody asks of an uploaded label file, as it is kept in its row. No rows here."""

from collections.abc import Mapping
from typing import Any

from stats.analyses.options import DEFAULT_SEED, Options
from stats.analyses.retrieval import DEFAULT_KS
from stats.analyses.running import Request


def as_row(asked: Request) -> dict[str, Any]:
    """The request as JSON."""
    return {
        "analysis": asked.analysis,
        "renaming": dict(asked.renaming),
        "positive": asked.positive,
        "question": asked.options.question,
        "rater_kind": asked.options.rater_kind,
        "confidence": asked.options.confidence,
        "seed": asked.options.seed,
        "level": asked.level,
        "systems": list(asked.systems),
        "k": list(asked.ks),
    }


def from_row(row: Mapping[str, Any]) -> Request:
    """The request of a row, or of JSON with the same keys. Raises ValueError for what makes no sense."""
    return Request(
        row.get("analysis", ""),
        Options(
            seed=row.get("seed", DEFAULT_SEED),
            confidence=row.get("confidence", 0.95),
            question=row.get("question") or None,
            rater_kind=row.get("rater_kind") or None,
        ),
        positive=row.get("positive", ""),
        level=row.get("level") or None,
        systems=tuple(row.get("systems", ())),
        ks=tuple(row.get("k", DEFAULT_KS)),
        renaming=dict(row.get("renaming", {})),
    )
