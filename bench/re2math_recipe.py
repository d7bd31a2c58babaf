"""The recipe of Re2Math: the published set again, blocks as by hand, citations of proofs, what is refused.

Selections are from the 860 published rows; blocks and citations are those of five visible sources. The naive way of
R2 is to take the anchors as they were published.
"""

from collections.abc import Iterator

from bench.frame import Figure, Spread, timed
from benchmark.citations.leakage import scan
from benchmark.protocols.re2math.citing import cited_source, passage_of_gap
from benchmark.protocols.re2math.schema import ProofGap
from construction.recipes.re2math.citations import cited_tools
from construction.recipes.re2math.recipe import Recipe, published
from construction.recipes.re2math.selection import select
from construction.recipes.re2math.witness import anchor_refused
from latex import render_checked
from tests.construction.re2math_data import (
    contexts_by_hand,
    cut_otherwise_than_by_hand,
    eval200,
    outline_of,
    published_rows,
    repaired_by_hand,
)
from tests.latex.sources import SOURCES


def figures() -> Iterator[Figure]:
    """R1 to R5 of the specification of construction."""
    rows, recipe = published_rows(), published(repaired_by_hand())
    chosen = select(rows, recipe).chosen
    wrong = sum(ours != theirs for ours, theirs in zip(chosen, eval200(), strict=True))
    yield Figure("R1: Eval-200 from 860 rows", timed(lambda: select(rows, recipe)), target=2.0)
    yield Figure("R1: ids of Eval-200 not at their place", _count(wrong), target=0, unit="of 200")
    at_fault = kept_at_fault = 0
    for row in rows:
        cited, nearby = cited_source(row.z), " ".join(row.x.local_context)
        if flags := scan(row.x.anchor_hint, cited, key=row.z.citation_key, nearby=nearby):
            at_fault += 1
        drop = anchor_refused(row.x.anchor_hint, cited, recipe, key=row.z.citation_key, nearby=nearby)
        kept_at_fault += bool(flags) and drop is None
    yield Figure(
        "R2: accepted anchors at fault", _count(kept_at_fault), _count(at_fault), "as published", 0, "of 860"
    )
    new = select(rows, Recipe(excluded=repaired_by_hand())).chosen
    twice = _duplicates([row for row in rows if row.instance_id in new])
    as_published = _duplicates([row for row in rows if row.instance_id in eval200()])
    yield Figure(
        "R2: duplicates in a selection", _count(len(twice)), _count(len(as_published)), "raw ids", 0, "of 200"
    )
    read, otherwise = cut_otherwise_than_by_hand()
    yield Figure(
        f"R3: {read} citations, blocks not as by hand",
        _count(len(otherwise) / read),
        target=0.03,
        unit="of 1",
    )
    reports = [render_checked("\n\n".join(made.texts), "latex").report for _, made in contexts_by_hand()]
    formulas, failing = sum(made.formulas for made in reports), sum(len(made.failures) for made in reports)
    yield Figure(
        f"R4: of {formulas} formulas of contexts, not set",
        _count(failing / formulas),
        target=0.005,
        unit="of 1",
    )
    missing = total = 0
    for name in SOURCES:
        found = outline_of(name)
        listed = {tool.citation.start for tool in cited_tools(found, recipe)}
        for citation in found.citations:
            if any(proof.span.start <= citation.span.start < proof.span.end for proof in found.proofs):
                total += 1
                missing += citation.span.start not in listed
    yield Figure(f"R5: of {total} citations in proofs, not listed", _count(missing), target=0, unit="")


def _duplicates(gaps: list[ProofGap]) -> list[str]:
    """The instances with the paper, passage and citation key of an earlier one."""
    passages = [str(passage_of_gap(gap)) for gap in gaps if passage_of_gap(gap)]
    return [one for number, one in enumerate(passages) if one in passages[:number]]


def _count(number: float) -> Spread:
    return Spread.of([number])
