"""DOIs and arXiv identifiers: recognising them, and the normal form in which they are compared.

Syntax: the DOI Handbook 2.2 (a prefix `10.` with a registrant, a slash, any suffix) and arXiv's own page on
identifiers (https://info.arxiv.org/help/arxiv_identifier.html): `math.AG/0601001` until March 2007, then
`0704.0001` with four digits after the point until December 2014 and five since.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

MAX_IDENTIFIER = 300  # characters; no registered DOI in use comes near it
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,3}/[^\s\"<>{}\\^`|“”‘’]{1,250}")
_RESOLVER = re.compile(r"^(?:https?://)?(?:dx\.)?doi\.org/|^doi:\s*", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."
_OLD = r"(?P<archive>[a-z]{2,10}(?:-[a-z]{2,4})?)(?:\.[A-Za-z]{2})?/(?P<old>\d{7})"
_NEW = r"(?P<month>\d{4})\.(?P<number>\d{4,5})"
_ARXIV = re.compile(rf"(?:{_OLD}|{_NEW})(?:v\d{{1,3}})?", re.IGNORECASE)
_ARXIV_IN_TEXT = re.compile(
    rf"(?:arxiv\s{{0,3}}[:.]\s{{0,3}}|arxiv\.org/(?:abs|pdf)/|\barxiv\s|\[)(?:{_OLD}|{_NEW})(?![\d.]\d)",
    re.IGNORECASE,
)


def doi(text: str) -> str:
    """The DOI in lower case without resolver, "" if the text is not exactly one DOI.

    A DOI that a tool has written twice in a row, or with its own resolver's address behind it, counts as one.
    """
    bare = _RESOLVER.sub("", unquote(text.strip()[: 2 * MAX_IDENTIFIER])).rstrip(".,;").lower()
    if address := re.search(r"(?<=.)(?:https?://)", bare):
        bare = bare[: address.start()]
    half = len(bare) // 2
    if bare[:half] == bare[half:]:
        bare = bare[:half]
    return bare if _DOI.fullmatch(bare) else ""


def is_clean_doi(text: str) -> bool:
    """Whether the text is exactly one DOI, without resolver and not written twice."""
    return bool(_DOI.fullmatch(text)) and doi(text) == text.lower()


def dois_in(text: str) -> frozenset[str]:
    """The DOIs of a running text."""
    return frozenset(found for found, _, _ in places_of_dois(text))


def places_of_dois(text: str) -> Iterator[tuple[str, int, int]]:
    """The DOIs of a running text, each with the range that it is written in; a closing bracket or full stop behind one
    is not part of it."""
    for match in _DOI.finditer(text):
        bare = match.group().rstrip(".,;:'")
        while bare[-1:] in (")", "]") and bare.count(bare[-1]) > bare.count("(" if bare[-1] == ")" else "["):
            bare = bare[:-1].rstrip(".,;:'")
        if found := doi(bare):
            yield found, match.start(), match.start() + len(bare)


def arxiv_id(text: str) -> str:
    """The arXiv identifier without version and subject class, "" if the text is not exactly one.

    `math.AG/0601001v2` and `math/0601001` are one, `arXiv:2110.11087v2` is `2110.11087`; DOIs that arXiv
    itself gives out count. A number with an impossible month or length is not an identifier.
    """
    bare = text.strip()[:MAX_IDENTIFIER]
    from_doi = doi(bare)
    if from_doi.startswith(_ARXIV_DOI):
        bare = from_doi.removeprefix(_ARXIV_DOI)
    bare = re.sub(
        r"^(?:https?://)?(?:arxiv\.org/(?:abs|pdf)/|arxiv\s*:\s*)", "", bare, flags=re.IGNORECASE
    ).removesuffix(".pdf")
    match = _ARXIV.fullmatch(bare)
    return _known_form(match) if match else ""


def arxiv_year(text: str) -> int | None:
    """The year of an arXiv identifier: 2001.00001 is of 2020, math/9901001 of 1999. None if the text is none."""
    number = arxiv_id(text)
    if not number:
        return None
    year = int(number.rpartition("/")[2][:2])
    return 1900 + year if "/" in number and year >= 91 else 2000 + year


def arxiv_ids_in(text: str) -> frozenset[str]:
    """The arXiv identifiers of a running text."""
    return frozenset(found for found, _, _ in places_of_arxiv_ids(text))


def places_of_arxiv_ids(text: str) -> Iterator[tuple[str, int, int]]:
    """The arXiv identifiers of a running text, either labelled as such or in brackets as in citations, each with the
    range that its number is written in."""
    for match in _ARXIV_IN_TEXT.finditer(text):
        if found := _known_form(match):
            yield found, match.start("archive" if match["archive"] else "month"), match.end()


def _known_form(match: re.Match[str]) -> str:
    if match["old"]:
        year, month = int(match["old"][:2]), int(match["old"][2:4])
        real = 1 <= month <= 12 and (year >= 91 or (year, month) <= (7, 3))
        return f"{match['archive'].lower()}/{match['old']}" if real else ""
    year, month = int(match["month"][:2]), int(match["month"][2:])
    since_2015 = year >= 15
    real = 1 <= month <= 12 and (year, month) >= (7, 4) and len(match["number"]) == (5 if since_2015 else 4)
    return f"{match['month']}.{match['number']}" if real else ""
