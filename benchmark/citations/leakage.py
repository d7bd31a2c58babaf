"""What an anchor gives away of the source it was made from: Re2Math's control of leakage (B.3), by program.

An anchor describes the role of the missing tool. It must not contain a citation key, a DOI or arXiv identifier, an
author of the citation, the name of a theorem or the source's title. A name counts where it means a person:
`a theorem of Borel` does, `Borel subgroup` and `Noetherian` do not. Deterministic; linear in the anchor's length.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmark.citations.flags import Leak, LeakFlag, Spans
from benchmark.citations.identifiers import places_of_arxiv_ids, places_of_dois
from benchmark.citations.naming import authors_named, other_names_named, theorems_named
from benchmark.citations.reading import Citation
from benchmark.citations.titles import content_words, singular
from benchmark.citations.wordspans import MAX_SCANNED, Word, joined, read_words
from latex import render_in_time
from latex.shown import read_shown

TITLE_WORDS = 4  # of the source's title in its order, if they are also TITLE_SHARE of it
TITLE_SHARE = 0.6
WHOLE_TITLE_WORDS = 3  # a title of so many content words must be there as a whole

_MARKS = (Leak.CITATION_KEY, Leak.DOI, Leak.ARXIV)
_CITE = re.compile(
    r"\\[A-Za-z]{0,12}cite[A-Za-z]{0,10}\*?(?:\s?\[[^\[\]]{0,200}\]){0,2}\s?(?:\{[^{}]{0,400}\}?)?"
)
_KEYS = re.compile(r"\\[A-Za-z]{0,12}cite[A-Za-z]{0,10}\*?(?:\s?\[[^\[\]]{0,200}\]){0,2}\s?\{([^{}]{1,400})")
_CUT_KEY = re.compile(r"^\s?([^\s{}\\]{2,60})\}")
_TOKEN = re.compile(r"(?<![\w$])[^\W_][\w:.+-]*[^\W_]")
_BRACKETED = re.compile(r"\[([^\[\]]{1,100})\]")


def scan(anchor: str, cited: Citation, *, key: str = "", nearby: str = "") -> tuple[LeakFlag, ...]:
    """Every leak of `cited` in the anchor, by place.

    `key` is the citation's key, `nearby` the text around the gap: keys that it cites are looked for as well. What only
    the page of the anchor shows in one piece (`Schau{}der`) is found there, and its place is the source of its block.
    """
    anchor = anchor[:MAX_SCANNED]
    flags = _leaks(anchor, cited, key, nearby)
    found = {_what(flag, anchor) for flag in flags}
    characters = list(anchor)
    for flag in flags:
        if flag.kind in _MARKS:  # of which the page shows what is within, such as [Kuo04]
            characters[flag.start : flag.end] = f"{',':{flag.end - flag.start}}"
    # What the page gives away too, each thing once and only what is certain.
    page = read_shown(render_in_time("".join(characters), "latex").blocks)
    for flag in _leaks(page.text, cited, key, nearby):
        what = _what(flag, page.text)
        # A row of letters in a formula is a product, not a word.
        if flag.certain and what not in found and not any(page.symbol[flag.start : flag.end]):
            found.add(what)
            start, end = page.span(flag.start, flag.end)
            words = page.text[flag.start : flag.end]
            reason = f"{flag.reason}; the page shows “{words}”"
            flags.append(replace(flag, start=start, end=end, reason=reason))
    return tuple(sorted(flags, key=lambda flag: (flag.start, flag.end, flag.kind)))


def _what(flag: LeakFlag, text: str) -> tuple[Leak, str]:
    """What a finding is about, the same for source and page: its words, however they are written."""
    return flag.kind, "" if flag.kind == Leak.TITLE else joined(read_words(text[flag.start : flag.end]))


def _leaks(anchor: str, cited: Citation, key: str, nearby: str) -> list[LeakFlag]:
    commands = [match.span() for match in _CITE.finditer(anchor)]
    marks = [LeakFlag(Leak.CITATION_KEY, start, end, "a \\cite command is left") for start, end in commands]
    inside = Spans(commands)
    known = cited_keys(nearby) | {key}
    # A key that is not a word: Tu83, RS-XVI. Keys like Wilson or dom count only in brackets.
    tokens = [
        token.span()
        for token in _TOKEN.finditer(anchor)
        if len(token[0]) > 2 and re.search(r"[A-Za-z]", token[0]) and re.search(r"[\d_:]", token[0])
    ]
    bracketed = [match.span(1) for match in _BRACKETED.finditer(anchor)]
    for start, end in tokens + bracketed:
        name = anchor[start:end]
        if name in known and start not in inside:
            whose = "this citation" if name == key else "another citation nearby"
            marks.append(LeakFlag(Leak.CITATION_KEY, start, end, f"the key of {whose}"))
    for kind, places in ((Leak.DOI, places_of_dois(anchor)), (Leak.ARXIV, places_of_arxiv_ids(anchor))):
        for identifier, start, end in places:
            marks.append(LeakFlag(kind, start, end, f"an identifier: {identifier}"))
    marked = Spans((flag.start, flag.end) for flag in marks)
    found = tuple(word for word in read_words(anchor) if word.start not in marked)
    flags = [
        *marks,
        *authors_named(found, cited.authors.names),
        *theorems_named(found, cited.title),
        *_title(found, cited.title),
    ]
    flags += other_names_named(found, flags, unknown=not cited.authors.names)
    return flags


def cited_keys(text: str) -> set[str]:
    """The keys of the \\cite commands of a text, including one whose beginning was cut off."""
    text = text[:MAX_SCANNED]
    lists = [*_KEYS.findall(text), *_CUT_KEY.findall(text)]
    return {key.strip() for keys in lists for key in keys.split(",")[:50]}


def _title(found: Sequence[Word], title: str) -> Iterator[LeakFlag]:
    """The longest stretch of the title's content words in its order, with at most one other word between two."""
    wanted = content_words(title)
    if len(wanted) < WHOLE_TITLE_WORDS:
        return
    content = [word for word in found if content_words(word.folded)]
    best: tuple[int, int, int] = (0, 0, 0)
    runs: dict[
        tuple[int, int], tuple[int, int]
    ] = {}  # (place in the anchor, in the title) -> (length, begin)
    for at, word in enumerate(content):
        for place, target in enumerate(wanted):
            if singular(word.folded) != target:
                continue
            before = [runs.get((at - gap, place - 1), (0, at)) for gap in (1, 2)]
            length, begin = max(before, key=lambda run: run[0])
            runs[at, place] = (length + 1, begin if length else at)
            if length + 1 > best[0]:
                best = (length + 1, runs[at, place][1], at)
    length, begin, end = best
    share = length / len(wanted)
    if (length >= TITLE_WORDS and share >= TITLE_SHARE) or (length >= WHOLE_TITLE_WORDS and share == 1):
        reason = f"{length} of {len(wanted)} content words of the source's title, in its order"
        yield LeakFlag(Leak.TITLE, content[begin].start, content[end].end, reason)
