"""Rendered texts, cached by the hash of renderer version, format and text. The cache may be emptied."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from django.db.models import F

import latex
from accounts.statements import OneOf, Statement
from benchmark.models import RenderedDocument, TextFormat

_STORED = Statement(lambda: RenderedDocument.objects.filter(OneOf(F("sha256"), "keys")))


@dataclass(frozen=True)
class Rendered:
    """A text as blocks of safe HTML, and the report of its formulas (formulas, failures, notes)."""

    blocks: tuple[latex.Block, ...]
    report: Mapping[str, Any]


def rendered(text: str, text_format: str = "latex", prefix: str = "") -> Rendered:
    """The rendered text, from the cache if it was rendered before.

    `prefix` goes in front of every element id, for pages with several documents.
    """
    return rendered_all([(text, text_format, prefix)])[0]


def rendered_all(texts: Sequence[tuple[str, str] | tuple[str, str, str]]) -> list[Rendered]:
    """(text, format) or (text, format, prefix) rendered, in order: one query reads the cache, one fills it."""
    keys = [cache_key(*wanted) for wanted in texts]
    found = {row.sha256: row for row in _STORED.rows(keys=set(keys))}
    fresh = {key: _row(key, *wanted) for key, wanted in zip(keys, texts, strict=True) if key not in found}
    if fresh:
        RenderedDocument.objects.bulk_create(fresh.values(), ignore_conflicts=True)
    rows = found | fresh
    return [_read(rows[key], wanted[0]) for key, wanted in zip(keys, texts, strict=True)]


def cache_key(text: str, text_format: str, prefix: str = "") -> str:
    """The name of a rendered text; a new version of the renderer has new names."""
    parts = (latex.RENDER_VERSION, text_format, prefix, text)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _row(key: str, text: str, text_format: str, prefix: str = "") -> RenderedDocument:
    if text_format not in TextFormat.values:
        raise ValueError(f"{text_format!r} is no text format")
    document = latex.check_formulas(latex.render(text, cast(Any, text_format), prefix=prefix))
    return RenderedDocument(
        sha256=key, blocks=list(_stored(document.blocks)), report=document.report.as_json()
    )


def _stored(blocks: Iterable[latex.Block]) -> Iterable[dict[str, Any]]:
    """The blocks without the source, which whoever asks for them has at hand."""
    for block in blocks:
        values = asdict(block)
        del values["text"]
        yield values


def _read(row: RenderedDocument, text: str) -> Rendered:
    blocks = (
        latex.Block(**{**values, "within": tuple(values["within"]), "text": text}) for values in row.blocks
    )
    return Rendered(tuple(blocks), row.report)
