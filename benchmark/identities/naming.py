"""Names of models and makers in a reading. An ordinary word that is also a name needs a version or authorship."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from benchmark.identities.findings import EXCERPT, Finding, Kind
from benchmark.identities.needed import lowered, may_match, needed
from benchmark.identities.patterns import folded, table, with_fragments
from latex.folding import Reading, read

_GAP = r"[\s\-_.:/]{0,3}"
_NUMBER = r"[vkrVKR]?\d{1,3}(?:\.\d{1,2}){0,2}[a-z]{0,2}"
_VERSION = rf"(?:{_NUMBER}(?![\w^])|x\b)"
_SURE_VERSION = rf"(?:{_NUMBER}(?![^\W_]|\^)|x\b)"  # also in the name of a file: "gpt5_plot"
_SIZE = r"(?:\d{1,4}(?:\.\d)?[bB]\b)"

# The name is the author of something: words before it, or words behind it.
_MADE = (
    r"(?:generated|written|produced|proved|proven|solved|answered|drafted|composed|created|authored|provided|"
    r"made|given|verified|checked|assisted|formali[sz]ed|found|trained)"
)
_BEFORE = (
    r"(?:\b(?:as|i am|i'm|i,|am|this is|call(?:ed)? me|my name is|named|hello from|yours,?|regards,?|signed,?|"
    r"asked|using|ask(?:ing)?|prompted|model:|assistant:|author:|system:|solver:|used|with the help of|"
    r"thanks to|courtesy of|per)"
    rf"|\b{_MADE}(?: \w{{1,12}}){{0,2}} (?:by|with|using|via|from))\s*(?:the\s)?[\"'(]?\s*$"
)
_BEHIND = (
    r"(?:,? an? (?:ai|large language|language|chat)|\s(?:ai|llm|api|model|assistant|chatbot|pro|flash|ultra|"
    r"turbo|opus|sonnet|haiku|advanced|instruct|deep think|deep research)\b"
    r"|'s (?:answer|proof|solution|response|output|reasoning|attempt|guidelines|reply))"
)
_AUTHORS = re.compile(r"(?:^|[.\n(\[])\s*(?:--?-?|—)?\s*$")  # the name alone on its line, as a signature
_SURNAME = re.compile(r"\s(?:[A-Z]\.\s?|de |la |le |van |von |del )*[A-Z][a-z]+")
_ACRONYM = re.compile(r"\((?P<alone>[A-Z]{3,5})s?\)|\b(?P<acronym>[A-Z]{3,5})s? \((?P<long>[^()\n]{5,80})\)")
_MODEL = re.compile(r"transformer|pre-?trained|language model", re.IGNORECASE)
_LONGEST_PRODUCT = 4  # letters; a longer row of them that is a name is no accident
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # "DeepProver" is also written "Deep Prover"
_FREE = r"(?<![A-Za-z0-9])"


@dataclass(frozen=True)
class _Names:
    sure: tuple[tuple[str, frozenset[str]], ...]  # patterns, and what each needs
    doubtful: re.Pattern[str]
    letter_by_letter: re.Pattern[str]
    before: re.Pattern[str]
    behind: re.Pattern[str]
    numbered: frozenset[str]
    tiers: frozenset[str]


@cache
def _names() -> _Names:
    names = table()
    # "x.y" in a name is any version, and a blank or hyphen any gap
    sure = [
        "".join(
            _GAP + _SURE_VERSION if part.endswith("x.y") else _GAP if part in (" ", "-") else re.escape(part)
            for part in re.split(r"([\s\-]?x\.y|[\s\-])", name)
            if part
        )
        for name in names["unmistakable"]
    ]
    nobody = "|".join(map(re.escape, names["versions_of_nobody"]))
    cased = (
        *map(re.escape, names["cased"]),
        rf"\d\.\d[ -](?:{nobody})|(?:{nobody})[ -]\d\.\d",
        rf"(?:{'|'.join(map(re.escape, names['slugs']))})-\d[\w.\-]*",
        r"(?:Claude|Gemini|GPT|Grok|Llama|Kimi|Mistral|Qwen) [A-Z][a-z]+ \d{1,2}(?:\.\d)?(?!\d)",
    )
    any_case = (f"(?i:{pattern})" for pattern in (*sure, *map(with_fragments, names["forms"])))
    doubtful = "|".join(re.escape(name).replace(r"\ ", _GAP) for name in names["ambiguous"])
    before = "|".join(map(folded, names["authorship"]["before"]))
    behind = "|".join(map(folded, names["authorship"]["behind"]))
    spelt = "|".join(
        r"[\s.\-_*]{1,3}".join(map(re.escape, word))
        for word in ("ChatGPT", "Gemini", "Claude", "DeepSeek", "OpenAI")
    )
    return _Names(
        tuple((pattern, needed(pattern)) for pattern in (*any_case, *cased)),
        re.compile(rf"{_FREE}(?P<name>{doubtful})(?P<version>[\s\-]?{_VERSION}|-{_SIZE})?(?![A-Za-z])"),
        re.compile(rf"{_FREE}(?:{spelt}|G[\s.*_]{{1,2}}P[\s.*_]{{1,2}}T[\s.\-*_]{{1,3}}\d)(?![a-z])", re.IGNORECASE),
        re.compile(rf"{_BEFORE}|(?:^|(?<![a-z]))(?:{before})\s*[\"'(«„]?\s*$"),
        re.compile(rf"(?i:{_BEHIND}|\s?(?:{behind}))|[\s-](?:{'|'.join(names['sizes'])})\b"),
        frozenset(names["numbered_in_mathematics"]),
        frozenset(names["tiers"]),
    )  # fmt: skip


def _sure_in(text: str) -> Iterator[re.Match[str]]:
    """The sure names in a text. A pattern is tried at every word, so those that cannot match here are left out."""
    in_lower_case = lowered(text)
    possible = tuple(pattern for pattern, needs in _names().sure if may_match(needs, in_lower_case))
    return _sure(possible).finditer(text) if possible else iter(())


@lru_cache(maxsize=200)
def _sure(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{_FREE}(?:{'|'.join(patterns)})(?![a-z])")


def version() -> int:
    """The version of the patterns and their rules."""
    return int(table()["version"])


def named(reading: Reading, systems: Iterable[str], words: Iterable[str] = ()) -> Iterator[Finding]:
    """Findings of kind NAME. `systems`: names of the release's own systems, as their rows have them; `words`: added."""
    names = _names()
    defined = set()  # what the text says means something of its own: "a general probabilistic theory (GPT)"
    for found in _ACRONYM.finditer(reading.text):
        long = found["long"] or reading.text[max(0, found.start() - 80) : found.start()]
        initials = "".join(word[0] for word in re.findall(r"[A-Za-z]+", long)).upper()
        acronym = found["acronym"] or found["alone"]
        if not _MODEL.search(long) and re.search(".{0,2}".join(acronym), initials):
            defined.add(acronym)
    for found in _sure_in(reading.text):
        if not _is_product(reading, found):
            acronym = re.split(r"[^A-Z]", found[0], maxsplit=1)[0]
            yield _finding(reading, found.start(), found.end(), certain=acronym not in defined)
    for found in names.letter_by_letter.finditer(reading.text):
        yield _finding(reading, found.start(), found.end(), certain=not _is_product(reading, found))
    for found in names.doubtful.finditer(reading.text):
        if not _is_product(reading, found) and (certain := _name_certainty(reading.text, found)) is not None:
            certain = certain and found["name"] not in defined
            yield _finding(reading, found.start(), found.end(), certain=certain)
    for name in sorted({name.strip() for name in systems if len(name.strip()) > 2}):
        distinctive = bool(re.search(r"\d|[a-z][A-Z]|[A-Z]{2}|\w[\s\-_]\w", name))
        parts = re.split(r"[\s\-_.]+", name)
        pattern = _GAP.join(_CAMEL.sub(r"[\\s\\-_]?", re.escape(part)) for part in parts)
        flags = re.IGNORECASE if distinctive else re.NOFLAG
        for found in re.finditer(rf"{_FREE}{pattern}(?![A-Za-z0-9])", reading.text, flags):
            if not _is_product(reading, found):
                yield _finding(reading, found.start(), found.end(), certain=distinctive)
    for word in words:
        pattern = r"\s+".join(map(re.escape, read(word, "plain").text.split()))
        for found in re.finditer(rf"(?<!\w){pattern}(?!\w)", reading.text, re.IGNORECASE):
            yield _finding(reading, found.start(), found.end(), certain=True)


def _name_certainty(text: str, found: re.Match[str]) -> bool | None:
    """True: a model's name; False: perhaps; None: an ordinary word."""
    before, behind = text[max(0, found.start() - 60) : found.start()], text[found.end() : found.end() + 40]
    numbered = found["name"] in _names().numbered
    versioned = found["version"] and not found["name"][-1].isdigit()  # "o3 4" is a pair of numbers
    if versioned and (not numbered or (found["name"] in _names().tiers and "." in found["version"])):
        return True
    if _names().behind.match(behind) and not numbered:
        return True
    if found["version"] and found["version"].startswith("-"):
        return False
    person = _SURNAME.match(behind) is not None
    if not person and not numbered and _names().before.search(before.lower()):
        return True
    signature = _AUTHORS.search(before) and re.match(r"[ \t]*(?:\n|$)", behind)
    return False if signature and not numbered else None


def _is_product(reading: Reading, found: re.Match[str]) -> bool:
    """Whether every letter and digit stands for itself in a formula, so that GPT is the product of G, P and T."""
    places = [place for place in range(found.start(), found.end()) if reading.text[place].isalnum()]
    letters = sum(reading.text[place].isalpha() for place in places)
    return letters <= _LONGEST_PRODUCT and all(reading.symbol[place] for place in places)


def _finding(reading: Reading, start: int, end: int, *, certain: bool) -> Finding:
    first, last = reading.span(start, end)
    return Finding(Kind.NAME, first, last, " ".join(reading.text[start:end].split())[:EXCERPT], certain)
