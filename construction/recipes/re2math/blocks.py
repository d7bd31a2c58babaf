"""The blocks of a proof before a citation: sentences, displays, list items and nested environments, with offsets.

A block ends where the next one begins; the one that holds the citation is left out whole. Nothing is taken from
outside of the proof.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from construction.recipes.passages import Drop
from construction.recipes.re2math.recipe import Recipe
from latex import Outline, Span

_HIDDEN = re.compile(r"\\(?:.|\n)|%[^\n]*")  # a comment, unless its sign is escaped
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]{1,60})\}")
_ITEM = re.compile(r"\\item(?![A-Za-z])")
_LISTS = frozenset(("enumerate", "itemize", "description", "list", "inparaenum", "asparaenum", "compactenum"))
_BREAK = re.compile(r"\n[ \t\r]*\n\s*|\\par(?![A-Za-z])\s*")
# A full stop, what may close behind it, white space; then a capital, a formula or a command.
_STOP = re.compile(
    r"[.?!](?:'{1,2}|[)\]\u201d])?(?:\s|~)+(?=[A-Z$\\\u00c0-\u00de]|``|\(?[A-Z])|[.?!](?=\s*\Z)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|e\.\s?g|i\.\s?e|cf|resp|vs|viz|etc|Thm|Theor|Prop|Lem|Cor|Def|Rem|Ex|Sec|Sect|Ch|Chap|Eq|Eqs|Fig|Figs"
    r"|Ref|Refs|No|Nr|Vol|pp|p|ed|eds|al|St|Dr|Prof|Mr|Mrs|approx|w\.r\.t|a\.e|a\.s|s\.t|wrt|App|Appx))\Z"
)
# Marks that print nothing, so that the text goes on behind them.
_MARK = re.compile(
    r"\\(?:label|index|indexdef|vspace|hspace|uses|lean|phantomsection)\*?\{(?:[^{}]|\{[^{}]{0,200}\}){0,400}\}"
    r"|\\(?:leanok|mathlibok|notready|qedhere|qed|noindent|medskip|smallskip|bigskip|centering|indent)(?![A-Za-z])"
    r"|\\mbox\s?\{\s*\}"
)
_LIST_ENDS = re.compile(
    r"\\(?:begin|end)\s*\{(?:" + "|".join(sorted(_LISTS)) + r")\*?\}(?:\[[^\[\]]{0,300}\])?"
)
_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_WHITE = " ~\n\r\t"
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}[ \t]*")
_REFERENCE = re.compile(r"\\(ref|eqref|autoref|cref|Cref|thref)\*?\s*\{([^{}]{1,400})\}")
_NAMING = frozenset(("autoref", "cref", "Cref", "thref"))


@dataclass(frozen=True)
class Block:
    """`kind` is "sentence", "display", "item" or "environment"."""

    kind: str
    span: Span


@dataclass(frozen=True)
class Context:
    """What is before a citation: `blocks` and, as they are shown, `texts`; `own` is the block of the citation."""

    blocks: tuple[Block, ...]
    texts: tuple[str, ...]
    own: Span


def context(
    outline: Outline, around: Span, citation: Span, recipe: Recipe, *, is_restated: bool = False
) -> Context | Drop:
    """The blocks of `around`, usually a proof's body, before the citation's own.

    There may be none only where the citation opens the proof and the tool is restated.
    """
    blocks, own = before(outline, around, citation, recipe.max_blocks)
    if not blocks and not is_restated:
        return Drop("empty_local_context", "Nothing of the proof stands before the citation.")
    return Context(blocks, shown(outline, [block.span for block in blocks]), own)


def before(outline: Outline, around: Span, citation: Span, at_most: int) -> tuple[tuple[Block, ...], Span]:
    """The last blocks before the one that holds the citation, and that one."""
    blocks = list(segments(outline, around))
    own = bisect_right(blocks, citation.start, key=lambda block: block.span.start) - 1
    if own >= 0 and citation.start < blocks[own].span.end:
        return tuple(blocks[max(0, own - at_most) : own]), blocks[own].span
    return tuple(blocks[max(0, own + 1 - at_most) : own + 1]), citation


def segments(outline: Outline, around: Span) -> Iterator[Block]:
    """All blocks of a range, in order."""
    text = _HIDDEN.sub(
        lambda found: "~" * len(found[0]) if found[0][0] == "%" else found[0],
        outline.flat.text[around.start : around.end],
    )
    text = _MARK.sub(lambda found: "~" * len(found[0]), text)
    whole: list[tuple[int, int, str]] = []
    inline: list[tuple[int, int]] = []
    first = bisect_left(outline.formulas, around.start, key=lambda formula: formula.start)
    last = bisect_right(outline.formulas, around.end - 1, key=lambda formula: formula.start)
    for formula in outline.formulas[first:last]:
        place = (formula.start - around.start, min(formula.end, around.end) - around.start)
        if formula.display:
            whole.append((*place, "display"))
        else:
            inline.append(place)
    whole += _environments(text)
    whole.sort(key=lambda place: (place[0], -place[1]))
    text = _LIST_ENDS.sub(lambda found: "~" * len(found[0]), text)
    closed: list[tuple[int, int]] = []  # where no sentence ends; those that meet are one
    for start, end in sorted([*inline, *_groups(text)]):
        if closed and start < closed[-1][1]:
            closed[-1] = closed[-1][0], max(end, closed[-1][1])
        else:
            closed.append((start, end))
    at = 0
    for start, end, kind in whole:
        if start < at:
            continue  # within the one before
        yield from _sentences(text, at, start, closed, around.start)
        yield Block(kind, Span(around.start + start, around.start + end))
        at = end
    yield from _sentences(text, at, len(text), closed, around.start)


def _environments(text: str) -> Iterator[tuple[int, int, str]]:
    """The outermost environments: lists item by item, others whole. One that does not end counts for nothing."""
    open_at: list[tuple[str, int]] = []
    items: list[int] = []
    for found in re.finditer(rf"{_ENVIRONMENT.pattern}|{_ITEM.pattern}", text):
        if found[1] == "begin":
            open_at.append((found[2], found.start()))
        elif found[1] is None:
            if len(open_at) == 1:
                items.append(found.start())
        elif open_at and open_at[-1][0] == found[2]:
            name, start = open_at.pop()
            if open_at:
                continue
            if name.rstrip("*") in _LISTS and items:
                for item, upto in zip(items, [*items[1:], found.start()], strict=True):
                    yield item, item + len(text[item:upto].rstrip()), "item"
            else:
                yield start, found.end(), "environment"
            items = []


def _groups(text: str) -> list[tuple[int, int]]:
    """The outermost groups in braces, and what is in the brackets of a command."""
    found, depth, start = [], 0, 0
    for mark in re.finditer(r"\\(?:[A-Za-z]+\*?(?:\[[^\[\]\n]{0,300}\])?|.|\n)|[{}]", text):
        if mark[0] == "{":
            start = start if depth else mark.start()
            depth += 1
        elif mark[0] == "}":
            depth = max(0, depth - 1)
            if not depth:
                found.append((start, mark.end()))
        elif not depth and mark[0][-1] == "]":
            found.append(mark.span())
    return found


def _sentences(
    text: str, start: int, end: int, closed: Sequence[tuple[int, int]], offset: int
) -> Iterator[Block]:
    """The sentences of a stretch without displays and environments. A blank line ends one too."""
    ends = []
    for found in [*_STOP.finditer(text, start, end), *_BREAK.finditer(text, start, end)]:
        at = found.start() + (found[0][0] in ".?!")
        before_it = bisect_right(closed, (found.start(), len(text))) - 1
        if before_it >= 0 and found.start() < closed[before_it][1]:
            continue
        if found[0][0] == "." and _ABBREVIATION.search(text, max(start, at - 12), at - 1):
            continue
        ends.append(found.end())
    at = start
    for upto in [*sorted(ends), end]:
        words = text[at:upto]
        if re.search(r"\w|[$\\][(]?", _COMMAND.sub("", words)) or "cite" in words:
            left = at + len(words) - len(words.lstrip(_WHITE))
            yield Block("sentence", Span(offset + left, offset + at + len(words.rstrip(_WHITE))))
        at = max(at, upto)


def shown(outline: Outline, spans: Iterable[Span]) -> tuple[str, ...]:
    """Passages as they are in an instance: macros expanded, labels left out, references printed."""
    labels = {label.name: label for label in outline.labels}

    def printed(found: re.Match[str]) -> str:
        known = [labels.get(name.strip()) for name in found[2].split(",")]
        numbers = [label.number for label in known if label is not None and label.number]
        if not numbers or len(numbers) < len(known):
            return found[0]
        first = known[0]
        joined = ", ".join(numbers)
        if first is not None and found[1] in _NAMING and first.kind != "eq":
            return f"{first.kind if found[1] != 'Cref' else first.kind.capitalize()} {joined}"
        return joined if found[1] == "ref" or first is None else f"({joined})"

    return tuple(
        _REFERENCE.sub(printed, _LABEL.sub("", outline.expanded(span).text)).strip() for span in spans
    )
