"""The published Re2Math rows, and the sources whose citations are read by hand."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from benchmark.protocols.re2math.schema import ProofGap
from construction.recipes.re2math.blocks import Context, before, context
from construction.recipes.re2math.recipe import Recipe
from latex import Outline, Span
from tests.latex.real_data import DATA
from tests.latex.sources import outline_of


@cache
def published_rows() -> tuple[ProofGap, ...]:
    lines = (DATA / "re2math" / "benchmark_dataset_full.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(ProofGap.model_validate_json(line) for line in lines)


@cache
def repaired_by_hand() -> frozenset[str]:
    return frozenset((DATA / "construction" / "manual_fix_ids.txt").read_text(encoding="utf-8").split())


@cache
def eval200() -> tuple[str, ...]:
    golden = json.loads((DATA / "construction" / "eval200_golden.json").read_text(encoding="utf-8"))
    return tuple(golden["raw_ids_quota40_cap2"])


@cache
def read_by_hand() -> tuple[dict[str, Any], ...]:
    path = Path(__file__).with_name("blocks_by_hand.json")
    return tuple(json.loads(path.read_text(encoding="utf-8"))["citations"])


def cut_otherwise_than_by_hand() -> tuple[int, list[str]]:
    """(citations read by hand, those whose blocks the program cuts at other places)."""
    wrong = []
    for row in read_by_hand():
        at_most = 5 if row["is_whole"] else len(row["starts"])
        blocks, _ = before(outline_of(row["source"]), Span(*row["around"]), citation_of(row), at_most)
        if [block.span.start for block in blocks] != row["starts"]:
            wrong.append(f"{row['source']} {row['citation']}")
    return len(read_by_hand()), wrong


def citation_of(row: dict[str, Any]) -> Span:
    return Span(row["citation"], row["citation"] + 1)


def contexts_by_hand() -> Iterator[tuple[Outline, Context]]:
    """The program's contexts of the citations that were read by hand."""
    for row in read_by_hand():
        found = outline_of(row["source"])
        made = context(found, Span(*row["around"]), citation_of(row), Recipe(), is_restated=True)
        assert isinstance(made, Context)
        yield found, made
