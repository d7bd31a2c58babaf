"""Rendered texts, cached by the hash of renderer version, format and text. The cache may be emptied."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import latex
from benchmark.models import RenderedDocument


@dataclass(frozen=True)
class Rendered:
    """A text as blocks of safe HTML, and the report of its formulas (formulas, failures, notes)."""

    blocks: tuple[latex.Block, ...]
    report: Mapping[str, Any]


def rendered(text: str, text_format: str = "latex") -> Rendered:
    """The rendered text, from the cache if it was rendered before."""
    return rendered_all([(text, text_format)])[0]


def rendered_all(texts: Sequence[tuple[str, str]]) -> list[Rendered]:
    """The (text, format) pairs rendered, in order: one query to read the cache and one to fill it."""
    keys = [cache_key(text, text_format) for text, text_format in texts]
    found = {row.sha256: row for row in RenderedDocument.objects.filter(sha256__in=set(keys))}
    fresh = {
        key: _row(key, text, text_format)
        for key, (text, text_format) in zip(keys, texts, strict=True)
        if key not in found
    }
    if fresh:
        RenderedDocument.objects.bulk_create(fresh.values(), ignore_conflicts=True)
    rows = found | fresh
    return [_read(rows[key], text) for key, (text, _) in zip(keys, texts, strict=True)]


def cache_key(text: str, text_format: str) -> str:
    """The name of a rendered text; a new version of the renderer has new names."""
    return hashlib.sha256(f"{latex.RENDER_VERSION}\0{text_format}\0{text}".encode()).hexdigest()


def _row(key: str, text: str, text_format: str) -> RenderedDocument:
    document = latex.render(text, text_format)
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
