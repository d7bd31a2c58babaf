"""What somebody asks of a label table, as JSON: in the row of an upload, and in REST. No rows here."""

from collections.abc import Mapping
from typing import Any

from stats.analyses.options import DEFAULT_SEED, Options
from stats.analyses.retrieval import DEFAULT_KS
from stats.analyses.running import ANALYSES, COMMON, Request

_TUPLES = ("systems", "first", "second")


def as_row(asked: Request) -> dict[str, Any]:
    """The request as JSON: the analysis, and the options that it takes."""
    found = {
        **{name: getattr(asked.options, name) for name in ("question", "rater_kind", "confidence", "seed")},
        **{name: getattr(asked, name) for name in ("positive", "level", "by", "exchangeable", "orders")},
        **{name: list(getattr(asked, name)) for name in _TUPLES},
        "order": list(asked.options.order),
        "score_range": None if asked.score_range is None else list(asked.score_range),
        "k": list(asked.ks),
        "renaming": dict(asked.renaming),
    }
    takes = (*ANALYSES[asked.analysis].takes, *COMMON)
    return {"analysis": asked.analysis, **{name: found[name] for name in takes}}


def from_row(row: Mapping[str, Any]) -> Request:
    """The request of a row, or of JSON with the same keys. Raises ValueError for what makes no sense."""
    score_range = row.get("score_range")
    return Request(
        row.get("analysis", ""),
        Options(
            seed=row.get("seed", DEFAULT_SEED),
            confidence=row.get("confidence", 0.95),
            question=row.get("question") or None,
            rater_kind=row.get("rater_kind") or None,
            order=tuple(row.get("order", ())),
        ),
        positive=row.get("positive", ""),
        level=row.get("level") or None,
        ks=tuple(row.get("k", DEFAULT_KS)),
        renaming=dict(row.get("renaming", {})),
        by=row.get("by", ""),
        exchangeable=bool(row.get("exchangeable", False)),
        orders=row.get("orders", "agree"),
        score_range=(score_range[0], score_range[1]) if score_range else None,
        **{name: tuple(row.get(name, ())) for name in _TUPLES},
    )
