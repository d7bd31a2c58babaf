"""What a reader of the page would not see: comments, phantoms, white or tiny text, targets, alternative texts,
invisible characters, and fields for authors. A name inside is certain; other words there are a suspicion."""

import re
from collections.abc import Callable, Iterator

from benchmark.identities.findings import EXCERPT, Finding, Kind
from latex.reading.characters import INVISIBLE

_GROUP = r"\{(?P<inside>[^{}]{0,400}(?:\{[^{}]{0,200}\}[^{}]{0,200}){0,4})\}"
_CONCEALED = {
    "latex": (
        r"(?<!\\)(?:\\\\)*%(?P<inside>[^\n]+)",
        r"<!--(?P<inside>.{1,2000}?)(?:-->|\Z)",
        rf"\\[vh]?phantom\s*{_GROUP}",
        rf"\\textcolor\s*(?:\[[^\]\n]{{0,20}}\])?\{{(?:white|1,1,1|FFFFFF)\}}\s*{_GROUP}",
        r"\\color\s*\{white\}(?P<inside>[^{}\n]{1,400})",
        r"\\(?:tiny|fontsize\{[01](?:\.\d)?(?:pt)?\}\{[^{}]{0,9}\}\\selectfont)\b(?P<inside>[^{}\n]{1,400})",
        rf"\\(?:scalebox\{{0?\.0\d*\}}|resizebox\{{0[^{{}}]{{0,9}}\}}\{{[^{{}}]{{0,9}}\}}|transparent\{{0\}})\s*{_GROUP}",
        r"\\href\s*\{(?P<inside>[^{}\n]{1,400})\}",
        rf"\\(?:label|hypertarget|pdfbookmark|index|marginpar|special)\s*{_GROUP}",
        r"\\begin\{comment\}(?P<inside>.{1,2000}?)\\end\{comment\}",
        r"\\iffalse\b(?P<inside>.{1,2000}?)\\fi\b",
    ),
    "markdown": (
        r"<!--(?P<inside>.{1,2000}?)(?:-->|\Z)",
        r"!\[(?P<inside>[^\]\n]{1,400})\]\(",
        r"\]\((?P<inside>[^()\s]{1,400}(?:\s\"[^\"\n]{0,200}\")?)\)",
        r"(?m:^)\[[^\]\n]{1,100}\]:\s*(?P<inside>[^\n]{1,400})",
        r"<(?P<inside>[^<>\s]{1,100}(?:@|://)[^<>\s]{1,200})>",
        r"<[a-z]{1,10}\s(?P<inside>[^<>\n]{1,400})>",
        rf"\\[vh]?phantom\s*{_GROUP}",
        rf"\\textcolor\s*\{{white\}}\s*{_GROUP}",
        r"\\color\s*\{white\}(?P<inside>[^{}\n]{1,400})",
    ),
    "plain": (),
}  # fmt: skip
_METADATA = {
    "latex": (
        rf"\\(?:author|thanks|email|address|affiliation|affil|institute|curraddr|dedicatory)\s*(?:\[[^\]\n]{{0,99}}\])?{_GROUP}",
        r"pdf(?:author|creator|producer|subject|keywords)\s*=\s*\{?(?P<inside>[^{},\n]{1,200})",
        rf"\\pdfinfo\s*{_GROUP}",
    ),
    "markdown": (
        r"(?m:^)(?:author|model|system|generator|created[_-]by|engine|solver)\s?:\s*(?P<inside>[^\n]{1,200})",
    ),
    "plain": (r"(?m:^)(?:author|model|system|generator|solver)\s?:\s*(?P<inside>[^\n]{1,200})",),
}  # fmt: skip
_COMMAND = re.compile(r"\\(?P<inside>[A-Za-z]{4,60})(?![A-Za-z])")
_UNSEEN = re.compile(f"{INVISIBLE.pattern}{{4,}}")
_TAGS = re.compile("[\U000e0020-\U000e007e]{2,}")
_WORDS = re.compile(r"[A-Za-z]{3}|[^\W\d_a-zA-Z]{2}")
_NOBODY = re.compile(r"\W*(?:anonymous|anon|n/?a|unknown|author|authors?|the authors?)?\W*", re.IGNORECASE)

Tells = Callable[[str], bool]


def _compiled(table: dict[str, tuple[str, ...]]) -> dict[str, tuple[re.Pattern[str], ...]]:
    return {
        name: tuple(re.compile(row, re.DOTALL | re.IGNORECASE) for row in rows)
        for name, rows in table.items()
    }


_HIDING, _FIELDS = _compiled(_CONCEALED), _compiled(_METADATA)


def concealed(source: str, text_format: str, tells: Tells) -> Iterator[Finding]:
    """Findings of kinds HIDDEN and METADATA. `tells` says whether a text reveals who wrote it."""
    for pattern in _HIDING[text_format]:
        for found in pattern.finditer(source):
            if _WORDS.search(found["inside"]) and tells(found["inside"]):
                yield _finding(Kind.HIDDEN, found, found["inside"], certain=True)
    for pattern in _FIELDS[text_format]:
        for found in pattern.finditer(source):
            if not _NOBODY.fullmatch(found["inside"]):
                yield _finding(Kind.METADATA, found, found["inside"], certain=tells(found["inside"]))
    for found in _TAGS.finditer(source):
        spelt = "".join(chr(ord(sign) - 0xE0000) for sign in found[0])
        yield _finding(Kind.HIDDEN, found, f"invisible letters: {spelt}", certain=tells(spelt))
    for found in _UNSEEN.finditer(source):
        if not _TAGS.search(found[0]):
            yield _finding(Kind.HIDDEN, found, f"{len(found[0])} invisible characters", certain=False)


def named_commands(source: str, text_format: str, names: Tells) -> Iterator[Finding]:
    """Commands that are called after who wrote the text: pages have the source of each formula, to be copied."""
    if text_format == "plain":
        return
    commands = {found["inside"] for found in _COMMAND.finditer(source)}
    if names("\n".join(sorted(commands))):
        telling = {command for command in commands if names(command)}
        for found in _COMMAND.finditer(source):
            if found["inside"] in telling:
                yield _finding(Kind.HIDDEN, found, found[0], certain=True)


def _finding(kind: Kind, found: re.Match[str], words: str, *, certain: bool) -> Finding:
    return Finding(kind, found.start(), found.end(), " ".join(words.split())[:EXCERPT], certain)
