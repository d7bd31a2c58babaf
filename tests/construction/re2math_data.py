"""The published Re2Math rows, and the sources whose citations are read by hand."""

import json
from functools import cache
from pathlib import Path

from benchmark.protocols.re2math.schema import ProofGap
from construction.recipes.re2math.blocks import before
from latex import Outline, Span, outline
from tests.latex.real_data import DATA
from tests.latex.sources import files_of, flat_of


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
def outline_of(name: str) -> Outline:
    return outline(flat_of(name), files_of(name))


def cut_otherwise_than_by_hand() -> tuple[int, list[str]]:
    """(citations read by hand, those whose blocks the program cuts at other places)."""
    path = Path(__file__).with_name("blocks_by_hand.json")
    rows = json.loads(path.read_text(encoding="utf-8"))["citations"]
    wrong = []
    for row in rows:
        at_most = 5 if row["is_whole"] else len(row["starts"])
        around, citation = Span(*row["around"]), Span(row["citation"], row["citation"] + 1)
        blocks, _ = before(outline_of(row["source"]), around, citation, at_most)
        if [block.span.start for block in blocks] != row["starts"]:
            wrong.append(f"{row['source']} {row['citation']}")
    return len(rows), wrong
