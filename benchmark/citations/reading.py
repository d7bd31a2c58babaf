"""A citation as its bibliography printed it, read into authors, title, year and place as far as that is certain.

Styles differ and braces are lost, so a title is read only where the style itself sets it off (a field, quotation
marks, a break or italics behind the authors). Where it does not, the title stays empty and the caller has the
whole text to look in.
"""

import re
from dataclasses import dataclass, field

from benchmark.citations.folding import words
from benchmark.citations.identifiers import arxiv_id, arxiv_ids_in, doi, dois_in
from benchmark.citations.names import PARTICLES, Authors, read_authors
from benchmark.citations.plaintext import BREAK, ITALIC, MARKS, TITLE, plain

_QUOTED = re.compile(r"“([^“”]{3,500})”|‘([^‘’]{10,500})’")
_BYSAME = "———"
_ROLES = re.compile(r"\(Authors?:\s*([^;)]{2,500})(?:;\s*Year:\s*(\d{4}))?\)\s*$")
_YEAR = re.compile(r"(?<![\d.:/–—-])(1[6-9]\d\d|20\d\d)(?![\dA-Za-z]|[./]\d|\s?[–—-]\s?\d)")
_YEAR_IN_BRACKETS = re.compile(r"\((?:[^()]{0,20}\s)?(1[6-9]\d\d|20\d\d)[a-z]?\)")
_ADDRESS = re.compile(r"(?:https?://|\bdoi:?\s?10\.|\b10\.\d{4,9}/)[^\s“”]*")
_DATED = re.compile(r"[\s,]*\(?(1[6-9]\d\d|20\d\d)[a-z]?\)?\s*[.,:]?\s*")
_PAGES = re.compile(r"(?<!\d)(\d{1,6})\s*(?:[-–—]\s*){1,3}(\d{1,6})(?!\d)")
_SURNAME = r"[^\W\d_][\w'’-]+(?:\s[^\W\d_][\w'’-]+){0,2}"
_INITIALS = r"(?:[^\W\d_]{1,2}\.[\s-]?){1,4}"
_INVERTED = re.compile(rf"(?:{_SURNAME},\s{_INITIALS}(?:,?\s?(?:and|&)\s|,\s)?)+")
_IN_ORDER = re.compile(rf"{_INITIALS}(?:[^\W\d_][\w'’-]+\s?){{1,3}}(?:Jr\.?|[IV]{{1,3}})?")
_PREPRINT = re.compile(
    r"\b(arxiv|preprint|to appear|in preparation|submitted|in press|hal-\d)", re.IGNORECASE
)
_THESIS = re.compile(r"\b(thesis|dissertation|habilitation\w*|diplom\w*|th[eè]se)\b", re.IGNORECASE)
_EDITION = re.compile(
    r"\b(?:(\d{1,2}|second|third|fourth|fifth)(?:st|nd|rd|th)?|revised|new)\s+ed(?:ition|n|\.)", re.IGNORECASE
)
_JOURNAL_BEGINS = re.compile(
    r"(?<=[,.?!])\s+(?=(?:in:?\s|to appear|preprint|arxiv|"
    r"(?:[A-Z][\w&]{0,14}\.\s?)|(?:The\s)?(?:Annals|Advances|Journal|Proceedings|Transactions|Bulletin|Memoirs|"
    r"Inventiones|Communications|Mathematische|American|Annales|Archive|Duke|Acta|SIAM|ACM|IEEE|Geometry|Selecta|"
    r"Topology|Compositio|Ergodic|Publications|ESAIM|Operations|Épiga|Algebra|Discrete|Theory|Moduli|Springer|Cambridge|Oxford|Princeton)\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Citation:
    """What is known of a work. `text` is the whole citation in plain characters; empty fields are unknown."""

    text: str
    title: str = ""
    authors: Authors = field(default_factory=Authors)
    year: int | None = None
    first_page: int | None = None
    dois: frozenset[str] = frozenset()
    arxiv_ids: frozenset[str] = frozenset()
    preprint: bool = False
    thesis: bool = False
    edition: str = ""


def read_citation(text: str, *, doi_field: str = "", arxiv_field: str = "") -> Citation:
    """A printed citation with the identifiers stored for it; a malformed stored identifier is ignored."""
    whole = plain(text)
    clean = _unmarked(whole)
    marked = _ADDRESS.sub(" ", whole)
    roles = _ROLES.search(marked)
    front, title, tail = _parts(marked)
    names = _DATED.sub(" ", _unmarked(front).replace("[author]", " "))
    authors = Authors() if _BYSAME in names else read_authors(names)
    behind = _unmarked(tail)
    # the year behind the authors, else one in brackets, else the last that reads like one
    after = behind or _unmarked(marked)
    dated = _YEAR.search(_unmarked(front)) or _YEAR_IN_BRACKETS.search(after)
    years = [dated[1]] if dated else _YEAR.findall(after)[-1:]
    year = int(years[0]) if years else None
    pages = _PAGES.findall(re.sub(r"\([^()]{0,20}\)", " ", behind))
    return Citation(
        text=clean,
        title=_unmarked(title).strip(" .,;:") if len(words(title)) > 1 else "",
        authors=read_authors(roles[1]) if roles else authors,
        year=int(roles[2]) if roles and roles[2] else year,
        first_page=int(pages[-1][0]) if pages else None,
        dois=frozenset(filter(None, {doi(doi_field)})) | dois_in(clean),
        arxiv_ids=frozenset(filter(None, {arxiv_id(arxiv_field)})) | arxiv_ids_in(clean),
        preprint=bool(_PREPRINT.search(behind)) or bool(arxiv_ids_in(clean)),
        thesis=bool(_THESIS.search(behind)),
        edition=_edition(behind),
    )


def plain_line(text: str) -> str:
    """LaTeX as plain characters in one line."""
    return _unmarked(plain(text))


def name_of_source(title: str) -> str:
    """The title of a source given in fields, as plain characters."""
    return _unmarked(plain(title)).strip(" .,;:")


def dois_of_source(identifier: str) -> frozenset[str]:
    """The DOIs in the identifier of a source given in fields."""
    return frozenset(filter(None, {doi(identifier)})) | dois_in(identifier)


def arxiv_ids_of_source(identifier: str) -> frozenset[str]:
    """The arXiv identifiers in the identifier of a source given in fields."""
    return frozenset(filter(None, {arxiv_id(identifier)})) | arxiv_ids_in(identifier)


def read_source(*, title: str, authors: str = "", year: int | None = None, identifier: str = "") -> Citation:
    """A source given in fields, as an output names the one it selected. `identifier` may be any text."""
    name, listed, mark = _unmarked(plain(title)), _unmarked(plain(authors)), _unmarked(plain(identifier))
    arxiv_ids = arxiv_ids_of_source(identifier)
    return Citation(
        text=" ".join(part for part in (listed, name, str(year or ""), mark) if part),
        title=name_of_source(title),
        authors=read_authors(listed),
        year=year,
        dois=dois_of_source(identifier),
        arxiv_ids=arxiv_ids,
        preprint=bool(arxiv_ids or _PREPRINT.search(mark)),
        thesis=bool(_THESIS.search(mark)),
        edition=_edition(name) or _edition(mark),
    )


def _parts(marked: str) -> tuple[str, str, str]:
    """(authors, title, rest) with "" for a title that the style does not set off."""
    if roles := _ROLES.search(marked):
        return "", marked[: roles.start()], ""
    if TITLE in marked:
        front, _, rest = marked.partition(TITLE)
        title, _, tail = rest.partition(BREAK)
        return front, title, tail
    if quoted := _QUOTED.search(marked):
        return marked[: quoted.start()], quoted[1] or quoted[2], marked[quoted.end() :]
    blocks = [block.strip() for block in marked.split(BREAK) if block.strip(f" .{ITALIC}")]
    # a first block that holds more than authors belongs to a style that breaks elsewhere
    if len(blocks) > 1 and ITALIC not in blocks[0].strip(f" {ITALIC}") and len(blocks[0]) <= 600:
        second = blocks[1].lstrip(f" {ITALIC}")
        title = _before_journal(second) if ITALIC in blocks[1][:2] else blocks[1].partition(ITALIC)[0]
        return blocks[0], title, " ".join([second[len(title) :], *blocks[2:]])
    # styles without breaks: authors, then the title in italics, or the title and then italics for the journal
    text = marked.replace(BREAK, " ").strip()
    front = _front(text)
    if not front:
        return "", "", text
    rest = text[len(front) :].lstrip(" ,.:;")
    if rest.startswith(ITALIC):
        title = _before_journal(rest.lstrip(f" {ITALIC}"))
    elif ITALIC in rest:
        title = _before_journal(rest.partition(ITALIC)[0])
    else:
        title = _before_journal(rest)
        if len(title) == len(rest):
            return front, "", rest
    return front, title, rest[rest.find(title) + len(title) :]


def _front(text: str) -> str:
    """The authors at the beginning: up to a colon, a dash, a year in brackets, a full stop or italics if what comes
    before reads like names; else as far as names with initials go.
    """
    if text.startswith(_BYSAME):
        return _BYSAME
    head = text[:600]
    for stop in (
        r":\s",
        r"\s[–—]\s",
        r"\.?\s?\(\d{4}[a-z]?\)[.,]?\s",
        r"(?<=[^\W\d_]{2})\.\s",
        rf"[.,]\s*{ITALIC}",
    ):
        found = re.search(stop, head)
        if found and _are_names(head[: found.start()]):
            return text[: found.end()].rstrip(f" {ITALIC}")
    if inverted := _INVERTED.match(head):
        return inverted.group()
    # as many comma-separated pieces as read like names with initials before the surname
    end = 0
    for piece in re.finditer(r"[^,]{1,120}(?:,\s|$)", head):
        names = re.split(r"\s(?:and|&)\s", piece.group().strip(" ,").removeprefix("and "))
        if not all(map(_IN_ORDER.fullmatch, names)):
            break
        end = piece.end()
    if not end and (first := re.match(r"([^,.]{3,40}),\s", head)) and 2 <= len(first[1].split()) <= 4:
        followed = _are_names(head[first.end() :].partition(",")[0])
        end = first.end() if _are_names(first[1]) and not followed else 0
    return head[:end]


def _are_names(text: str) -> bool:
    """Whether a text is names and nothing else: up to five words between commas, capitals except particles."""
    pieces = [piece.split() for piece in re.split(r",|\s(?:and|&|et)\s", text.strip(" .,"))]
    tokens = [token for piece in pieces for token in piece]
    return (
        bool(tokens)
        and all(len(piece) <= 5 for piece in pieces)
        and all(token[0].isupper() or token in PARTICLES or token in {"and", "&"} for token in tokens)
    )


def _before_journal(text: str) -> str:
    """The text up to where a journal's name begins behind a comma or full stop."""
    begins = _JOURNAL_BEGINS.search(text)
    title = text[: begins.start()] if begins else text
    return title.partition(ITALIC)[0].rstrip(" ,.")


def _edition(text: str) -> str:
    found = _EDITION.search(text)
    return found.group().lower() if found else ""


def _unmarked(text: str) -> str:
    return re.sub(rf"[{MARKS}\s]+", " ", text).strip()
