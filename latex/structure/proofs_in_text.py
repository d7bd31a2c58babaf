"""Proofs that no environment makes: words in bold or italics that open one, and the box that closes it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from latex.reading.macros import MacroTable
from latex.reading.record import Heading, Passage
from latex.reading.tokens import spelled

_WORD = (
    r"(?:Proof|Sketch\s+of\s+(?:the\s+)?proof|Beweis|Preuve|D[ée]monstration|Dimostrazione|Demostraci[óo]n)"
)
_STYLE = r"\\(?:bf|it|em|sl|sc|bfseries|itshape|slshape|scshape|rm)\b\s*"
_STYLED = r"\\(?:textbf|textit|emph|textsc|textsl|underline|paragraph\*?|subparagraph\*?)\s*\{"
# A heading: the opening words in a style, at the beginning of a line.
_HEADING = re.compile(
    rf"^[ \t]*(?:\\(?:noindent|medskip|smallskip|bigskip|par|indent)\b\s*)*"
    rf"(?P<open>\{{\s*(?:{_STYLE})+|{_STYLED}(?:{_STYLE})*)"
    rf"(?:\\noindent\s*)?(?P<title>{_WORD}\b(?:[^{{}}\n]|\n(?![ \t]*\n)|\{{[^{{}}\n]*\}}){{0,200}}?)\s*\}}",
    re.MULTILINE,
)
_OPENS = re.compile(rf"^(?:\\[A-Za-z]+\s*|[{{\s])*{_WORD}\b")
_BOXES = "qed|qedsymbol|Box|square|blacksquare|endproof|proofend|eop|eproof|endpf|QED|qedbox"
_CLOSES = re.compile(rf"\\(?:{_BOXES})\b")
_AFTER_BOX = re.compile(r"[ \t]*\}?[ \t]*\$?\$?")
_DEFINED = re.compile(r"(?:command\*?\s*\{?|\\def|\\let|\\end)\s*$")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")


def proofs_in_text(
    text: str, passages: Sequence[Passage], headings: Sequence[Heading], macros: MacroTable
) -> list[Passage]:
    """Proofs outside of all environments. Each ends after its box, or before the next statement, proof or heading."""
    # Macros of the author's that print the word, and those that print the box.
    opening, closing = [], set(_BOXES.split("|"))
    for name, macro in macros.all():
        body = spelled(list(macro.body[:60]))
        if _OPENS.match(body):
            opening.append(name)
        elif _CLOSES.search(body) and len(macro.body) < 40:
            closing.add(name)
    begins = [(found.start("open"), found.end(), found["title"]) for found in _HEADING.finditer(text)]
    names = "|".join(map(re.escape, dict.fromkeys(["proof", *opening])))
    called = re.compile(
        rf"\\(?P<name>{names})(?![A-Za-z@])"
        r"(?:[ \t]*[{\[](?P<title>[^{}\[\]\n]{0,200}(?:\{[^{}\n]{0,100}\})?)[}\]])?"
    )
    for found in called.finditer(text):
        defined = macros.get(found["name"])
        titled = found["title"] and (defined is None or defined.parameters)
        if not _DEFINED.search(text, max(0, found.start() - 40), found.start()):
            end = found.end() if titled else found.end("name")
            begins.append((found.start(), end, found["title"] if titled else ""))
    live = text.find("\\begin{document}")
    outer = [passage for passage in passages if passage.inside is None]
    outer_starts = [passage.start for passage in outer]
    closed = rf"\\(?:{'|'.join(map(re.escape, sorted(closing)))})(?![A-Za-z@])"
    closes = re.compile(rf"(?:\\hfill\s*)?(?:\$\$?(?={closed}\s*\$))?{closed}")
    found_proofs: list[Passage] = []
    begins.sort()
    for number, (start, body_start, title) in enumerate(begins):
        next_passage = bisect_right(outer_starts, start)
        in_a_passage = next_passage > 0 and start < outer[next_passage - 1].end
        in_a_comment = _COMMENT.search(
            text, max(text.rfind("\n", max(0, start - 500), start) + 1, start - 500, 0), start
        )
        in_the_last = found_proofs and start < found_proofs[-1].end
        if start < live or in_a_passage or in_a_comment or in_the_last:
            continue
        heading = bisect_left(headings, start + 1, key=lambda found: found.start)
        limit = min(
            [len(text)]
            + [heading.start for heading in headings[heading : heading + 1]]
            + [passage.start for passage in outer[next_passage : next_passage + 1]]
            + [place for place, _, _ in begins[number + 1 : number + 2]]
        )
        box = closes.search(text, body_start, limit)
        body_end = box.start() if box else limit
        end = _AFTER_BOX.match(text, box.end()).end() if box else limit  # type: ignore[union-attr]
        while end > body_start and text[end - 1].isspace():
            end -= 1
        body_end = min(body_end, end)
        title = " ".join(title.split()).rstrip(".: ")
        found_proofs.append(
            Passage("", "Proof", title, 0, 0, "", start, body_start, True, None, body_end, end)
        )
    return found_proofs
