"""`analyse retrieval`: P@k, Hit@k, MRR@k of ranked lists."""

from collections.abc import Mapping, Sequence
from typing import BinaryIO

import numpy as np

from stats.analyses.options import Options
from stats.scores.retrieval import MISS, hit_at, mrr_at, precision_at
from stats.tables.columns import Check, Form, Table, filled, read_table
from stats.tables.groups import first_rows, group_codes, refuse_many
from stats.tables.raw_rows import TableError

Document = dict[str, object]
DEFAULT_KS = (1, 10, 20)


def _rank(cell: str) -> str:
    text = cell.strip()
    if text and not (text.isascii() and text.isdigit() and 0 < int(text) < 10**9):
        raise ValueError(f"must be a whole number from 1, or empty for a miss, not {cell!r}")
    return text


CHECKS: Mapping[str, Check] = {"system": filled, "query": filled, "rank": _rank}


def read_ranks(stream: BinaryIO, *, form: Form = "csv", renaming: Mapping[str, str] | None = None) -> Table:
    """A table of `system, query, rank`. Raises TableError naming line and column."""
    return read_table(stream, CHECKS, form=form, renaming=renaming, required=tuple(CHECKS))


def retrieval_document(table: Table, *, ks: Sequence[int] = DEFAULT_KS, options: Options) -> Document:
    """One entry per system and k; every query of a system counts, misses too.

    `unranked_queries` are queries that other systems have a row for and this one has not. Raises TableError for a query
    that is ranked twice, and for more systems than an analysis resamples one by one.
    """
    if not ks or min(ks) < 1:
        raise ValueError("every k must be 1 or more")
    codes = group_codes(table, ("system", "query"))
    first = first_rows(codes)
    if len(first) < len(codes):
        row = int(np.setdiff1d(np.arange(len(codes)), first)[0])
        raise TableError("ranks the same query a second time", line=int(table.lines[row]), column="query")
    rank = table["rank"]
    ranks = np.array([int(text) if text else MISS for text in rank.values], dtype=np.int64)[rank.codes]
    queries = len(np.unique(table["query"].codes))
    systems = table["system"]
    found = np.unique(systems.codes).tolist()
    refuse_many(len(found), "system")
    level = options.confidence
    rows = []
    for code in sorted(found, key=lambda code: systems.values[code]):
        own = ranks[systems.codes == code]
        rows += [
            {
                "system": systems.values[code],
                "k": k,
                "n_queries": len(own),
                "unranked_queries": queries - len(own),
                "p_at_k": precision_at(own, k, level=level).as_json(),
                "hit_at_k": hit_at(own, k, level=level).as_json(),
                "mrr_at_k": mrr_at(own, k, level=level).as_json(),
            }
            for k in sorted(set(ks))
        ]
    return {"queries": queries, "systems": rows}
