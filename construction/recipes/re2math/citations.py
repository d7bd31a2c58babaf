"""The citations of proofs: which of them use a tool, scored by the words around them, and which papers to look at."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmark.citations.identifiers import arxiv_ids_in, dois_in
from construction.recipes.passages import Drop
from construction.recipes.re2math.blocks import Block, segments
from construction.recipes.re2math.recipe import Points, Recipe
from latex import Outline, Span
from latex.structure.outline import Citation

_TOOLS = (
    r"(?:theorems?|lemmas?|lemmata|propositions?|corollar(?:y|ies)|inequalit(?:y|ies)|criteri(?:on|a)"
    r"|estimates?|principle|formula|claim|results?|bounds?)"
)
_LOCATOR = re.compile(
    r"\b(?:Thm|Prop|Lem|Cor|Theorems?|Lemmas?|Propositions?|Corollar(?:y|ies)|Claim|Section|Chapter|Eq|Equation"
    r"|Sec|Ch|Example|Remark)\b\.?[~\s]*(?:\\S)?[(]?[A-Z]?[.\-]?[IVXLC]*[.\d]|\\S\s*\d|§\s*\d",
    re.IGNORECASE,
)
_WORDS = {
    "tool_word": re.compile(rf"\b{_TOOLS}\b", re.IGNORECASE),
    "trigger_word": re.compile(
        r"\b(?:by|using|use|apply|applying|applies|via|from|invoke|invoking|thanks to|due to|according to)\b",
        re.IGNORECASE,
    ),
    "locator": _LOCATOR,
    "obtained": re.compile(r"\b(?:obtain|deduce|yields?|conclude|get|gives?)\b", re.IGNORECASE),
    "result_flow": re.compile(
        r"\b(?:then|hence|therefore|thus|it follows|follows? from|implies|states? that|immediate)\b",
        re.IGNORECASE,
    ),
    "implication": re.compile(r"\bif\b[^.]{3,600}?\bthen\b", re.IGNORECASE),
    "method": re.compile(r"\b(?:methods?|approach|techniques?|strategy|ideas? of|argument)\b", re.IGNORECASE),
    "background": re.compile(
        r"\b(?:introduced|history|survey|background|literature|overview|first studied|we refer)\b",
        re.IGNORECASE,
    ),
    "comparison": re.compile(
        r"\b(?:compare|cf\.|generali[sz]es?|improves?|unlike|in contrast|similar to|another proof)",
        re.IGNORECASE,
    ),
    "see": re.compile(r"\b(?:see|for (?:more )?details)\b", re.IGNORECASE),
}
_REMARKS = frozenset(("remark", "example", "notation", "convention"))

# What the scout looks for in a paper as a whole, with the points of a hit.
_SCOUT = (
    (
        "tool_before_citation",
        re.compile(
            rf"\b{_TOOLS}\b(?:(?!\\[a-z]{{0,20}}cite)[^\x00]){{0,120}}\\[a-z]{{0,20}}cite", re.IGNORECASE
        ),
        2.5,
    ),
    (
        "citation_before_tool",
        re.compile(
            rf"\\[a-z]*cite[a-z]*\*?(?:\[[^\[\]]{{0,200}}\])?\{{[^{{}}]{{0,400}}\}}[^\\]{{0,80}}\b{_TOOLS}\b",
            re.IGNORECASE,
        ),
        2.0,
    ),
    (
        "using_citation",
        re.compile(
            r"\b(?:by|using|apply|via|from|invoke)\b(?:(?!\\[a-z]{0,20}cite)[^\x00]){0,60}\\[a-z]{0,20}cite",
            re.IGNORECASE,
        ),
        2.0,
    ),
)
_NOT_RESEARCH = re.compile(
    r"\b(?:survey|lecture notes?|lectures on|thesis|dissertation|monograph|book|chapter|erratum|errata|corrigendum"
    r"|correction to|editorial)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class CitedTool:
    """A key that a proof cites. `passage` is the block it is in, `proof` the index of the innermost proof.

    `code` and `sentence` say why it goes no further, and are "" for the best of a paper.
    """

    key: str
    note: str
    citation: Span
    passage: Span
    proof: int
    score: float
    reasons: tuple[Points, ...]
    entry: str
    code: str = ""
    sentence: str = ""


@dataclass(frozen=True)
class Triage:
    """What a paper shows at a glance, and why it is left out, if it is."""

    score: float
    reasons: tuple[Points, ...]
    drop: Drop | None


def triage(outline: Outline, title: str, recipe: Recipe) -> Triage:
    """Whether a paper is worth reading: research with a bibliography, proofs, and tools that are cited in them."""
    cited = {key for citation in outline.citations for key in citation.keys}
    in_proofs = {key for citation, _ in _in_proofs(outline) for key in citation.keys}
    begin = max(0, outline.flat.text.find("\\begin{document}"))
    text = outline.flat.text[begin : begin + recipe.scouted]
    reasons = []
    for rule, pattern, points in _SCOUT:
        hits = sum(1 for _, _ in zip(range(recipe.hits_of_a_kind), pattern.finditer(text), strict=False))
        if hits:
            reasons.append(Points(rule, points * hits))
    for rule, holds in (
        ("proofs", bool(outline.proofs)),
        ("proofs_and_citations", bool(outline.proofs and cited)),
        ("8_keys", len(cited) >= 8),
        ("15_keys", len(cited) >= 15),
    ):
        if holds:
            reasons.append(Points(rule, 0.5))
    score = sum(points for _, points in reasons)
    drop = None
    if found := _NOT_RESEARCH.search(title):
        drop = Drop("not_a_research_paper", f"Its title says {found[0]!r}.")
    for code, noun, count, least in (
        ("few_entries", "entries in its bibliography", len(outline.bibliography), recipe.min_entries),
        ("few_proofs", "proofs", len(outline.proofs), recipe.min_proofs),
        ("few_statements", "statements", len(outline.statements), recipe.min_statements),
        ("few_cited", "works cited", len(cited), recipe.min_cited),
        ("few_cited_in_proofs", "works cited in proofs", len(in_proofs), recipe.min_cited_in_proofs),
    ):
        if drop is None and count < least:
            drop = Drop(code, f"It has {count} {noun}, and {least} are wanted.")
    if drop is None and score < recipe.min_scout_score:
        drop = Drop("no_tools_cited", f"The scout gives it {score:g} of {recipe.min_scout_score:g} points.")
    return Triage(score, tuple(reasons), drop)


def cited_tools(outline: Outline, recipe: Recipe) -> tuple[CitedTool, ...]:
    """Every key cited in a proof, in the order of the text; all but the best of the paper with a code."""
    entries = {entry.key: entry.text for entry in outline.bibliography}
    remarks = [made.span for made in outline.statements if made.kind in _REMARKS]
    blocks: dict[int, list[Block]] = {}
    found: list[CitedTool] = []
    in_proofs = list(_in_proofs(outline))
    in_remarks = _innermost(remarks, [citation.span.start for citation, _ in in_proofs])
    seen: set[tuple[str, Span]] = set()
    said: dict[Span, list[str]] = {}  # the rules that hold in a passage, whatever it cites
    for (citation, index), remark in zip(in_proofs, in_remarks, strict=True):
        if index not in blocks:
            blocks[index] = list(segments(outline, outline.proofs[index].body))
        at = bisect_right(blocks[index], citation.span.start, key=lambda block: block.span.start) - 1
        block = Block("sentence", citation.span)
        if at >= 0 and blocks[index][at].span.end > citation.span.start:
            block = blocks[index][at]
        is_aside = block.kind == "item" or remark is not None
        for key in dict.fromkeys(citation.keys):
            entry = entries.get(key)
            if block.span not in said:
                passage = outline.text_of(block.span)[: recipe.scored]
                said[block.span] = [rule for rule, pattern in _WORDS.items() if pattern.search(passage)]
            reasons = tuple(_reasons(said[block.span], citation.note, is_aside, entry or "", recipe))
            code, sentence = "", ""
            if entry is None:
                code, sentence = "unknown_key", f"The bibliography has no entry {key}."
            elif not entry.strip():
                code, sentence = "no_bibliography_entry", f"The entry {key} is empty."
            elif (key, block.span) in seen:
                code, sentence = "duplicate", "The passage cites it once more."
            seen.add((key, block.span))
            score = sum(points for _, points in reasons)
            found.append(
                CitedTool(
                    key,
                    citation.note,
                    citation.span,
                    block.span,
                    index,
                    score,
                    reasons,
                    entry or "",
                    code,
                    sentence,
                )
            )
    best = sorted(
        (tool for tool in found if not tool.code), key=lambda tool: (-tool.score, tool.citation.start)
    )
    kept = set(best[: recipe.kept_of_a_paper])
    beyond = f"{recipe.kept_of_a_paper} others of its paper have more points."
    return tuple(
        tool if tool.code or tool in kept else replace(tool, code="beyond_the_best", sentence=beyond)
        for tool in found
    )


def _reasons(said: list[str], note: str, is_aside: bool, entry: str, recipe: Recipe) -> Iterator[Points]:
    weights = dict(recipe.points)
    holding = list(said)
    if _LOCATOR.search(note):
        holding.append("locator_in_citation")
    if is_aside:
        holding.append("list_or_remark")
    if entry:
        holding.append("bibliography")
    if dois_in(entry) or arxiv_ids_in(entry):
        holding.append("identifier")
    return (Points(rule, weights[rule]) for rule in holding)


def _in_proofs(outline: Outline) -> Iterator[tuple[Citation, int]]:
    """Each citation within a proof, with the innermost one around it."""
    around = _innermost(
        [proof.span for proof in outline.proofs], [made.span.start for made in outline.citations]
    )
    return ((citation, at) for citation, at in zip(outline.citations, around, strict=True) if at is not None)


def _innermost(spans: Sequence[Span], places: Sequence[int]) -> list[int | None]:
    """For each place, in order, the index of the last span that began and has not ended."""
    order = sorted(range(len(spans)), key=lambda index: spans[index].start)
    found: list[int | None] = []
    open_ones: list[int] = []
    upto = 0
    for place in places:
        while upto < len(order) and spans[order[upto]].start <= place:
            open_ones.append(order[upto])
            upto += 1
        while open_ones and spans[open_ones[-1]].end <= place:
            open_ones.pop()
        found.append(open_ones[-1] if open_ones else None)
    return found
