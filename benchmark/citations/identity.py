"""Whether two citations are one work: same, different, or a question for a person. Never a guessed yes.

The order is Re2Math's (C.2): DOI or arXiv identifier, then normalised title and authors, then a person. An identifier
is only believed if the titles next to it do not contradict it, because stored identifiers are often wrong. Cases on
which people would disagree (a thesis and the paper from it, two editions, a note and the long paper under one title)
are left to a person.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from benchmark.citations.folding import word_set, words
from benchmark.citations.names import Likeness, compare_lists
from benchmark.citations.reading import Citation
from benchmark.citations.titles import TitleMatch, compare_titles, content_words

MATCHER_VERSION = 1
YEARS_IN_PRINT = 2  # between a paper's first appearance online and in a volume
YEARS_TO_PRINT = 12  # between a preprint and its journal
WORDS_OF_A_CITATION = 6  # content words from which a text must hold more than names and a number
SHORT_TITLE = 3  # content words up to which a title alone does not tell works of one author apart
_NOTICES = word_set(
    "erratum errata corrigendum corrigenda correction addendum retraction comment comments reply "
    "response appendix supplement supplementary announcement review translation"
)


class Identity(StrEnum):
    """The answer."""

    SAME = "same"
    DIFFERENT = "different"
    ASK = "ask"


@dataclass(frozen=True)
class Match:
    """The answer with its `reason` in words and the `evidence` by name: doi, arxiv, title, authors, years, pages."""

    identity: Identity
    reason: str
    evidence: tuple[tuple[str, str], ...] = ()


def same_work(one: Citation, other: Citation) -> Match:
    """Compare two citations. Symmetric."""
    title = compare_titles(one.title, other.title)
    authors = compare_lists(one.authors, other.authors)
    pairs = {
        "doi": _side_by_side(sorted(one.dois), sorted(other.dois)),
        "arxiv": _side_by_side(sorted(one.arxiv_ids), sorted(other.arxiv_ids)),
        "title": title.value,
        "authors": authors.value,
        "years": _side_by_side(one.year, other.year),
        "first pages": _side_by_side(one.first_page, other.first_page),
    }
    evidence = tuple((name, value) for name, value in pairs.items() if value)
    by_identifier = _by_identifier(one, other, title, authors)
    identity, reason = by_identifier or _by_title(one, other, title, authors)
    return Match(identity, reason, evidence)


def certainly_other(one: Citation, other: Citation) -> bool:
    """Whether `same_work` says DIFFERENT regardless of the authors: a tenth of the work, for long lists of sources."""
    if one.dois & other.dois or one.arxiv_ids & other.arxiv_ids:
        return False
    title = compare_titles(one.title, other.title)
    return title == TitleMatch.OTHER_PART or (title == TitleMatch.FAR and not _same_place(one, other))


def _by_identifier(
    one: Citation, other: Citation, title: TitleMatch, authors: Likeness
) -> tuple[Identity, str] | None:
    for kind, left, right in (("DOI", one.dois, other.dois), ("arXiv id", one.arxiv_ids, other.arxiv_ids)):
        if len(left) > 1 or len(right) > 1:
            if left & right:
                return Identity.ASK, f"a {kind} in common, but one side gives several"
            continue
        if left and left == right:
            if title in (TitleMatch.FAR, TitleMatch.OTHER_PART) or _notice(one) != _notice(other):
                return Identity.ASK, f"the same {kind}, but the titles contradict it"
            if authors == Likeness.NONE and title != TitleMatch.EQUAL:
                return Identity.ASK, f"the same {kind}, but the authors contradict it"
            if title == TitleMatch.UNKNOWN and _texts_contradict(one, other):
                return Identity.ASK, f"the same {kind}, but the citations have little else in common"
            return Identity.SAME, f"the same {kind}"
        if left and right and title in (TitleMatch.EQUAL, TitleMatch.UNKNOWN):
            return Identity.ASK, f"two different {kind}s, and the titles do not tell the works apart"
    return None


def _by_title(one: Citation, other: Citation, title: TitleMatch, authors: Likeness) -> tuple[Identity, str]:
    if title == TitleMatch.UNKNOWN:
        # a title could not be read; the other's title may still be missing from the whole text
        if _texts_contradict(one, other) and (one.title or other.title):
            return Identity.DIFFERENT, "hardly a word of one title stands in the other citation"
        if authors == Likeness.NONE and _years_apart(one, other):
            return Identity.DIFFERENT, "other authors and another year"
        return Identity.ASK, "a title could not be read"
    if title == TitleMatch.OTHER_PART:
        return Identity.DIFFERENT, "different parts of one series"
    if title in (TitleMatch.FAR, TitleMatch.OTHER_LANGUAGE):
        if authors == Likeness.NONE:
            return Identity.DIFFERENT, "other titles and other authors"
        if _same_place(one, other):
            return Identity.ASK, "other titles, but the same year and page"
        if title == TitleMatch.OTHER_LANGUAGE and not (
            authors == Likeness.UNKNOWN and _years_apart(one, other)
        ):
            return Identity.ASK, "titles in two languages, perhaps a translation"
        return Identity.DIFFERENT, "other titles"
    if authors == Likeness.NONE:
        if _same_place(one, other):
            return Identity.ASK, "other authors, but the same year and page"
        return Identity.DIFFERENT, "other authors"
    if title != TitleMatch.EQUAL:
        return Identity.ASK, "titles that are close but not equal"
    # The titles agree word for word; what could still tell the works apart.
    if _notice(one) != _notice(other) or one.thesis != other.thesis or one.edition != other.edition:
        return Identity.ASK, "the same title, but one is a thesis, a notice or another edition"
    if authors == Likeness.UNKNOWN:
        if _same_place(one, other):
            return Identity.SAME, "the same title, year and first page"
        return Identity.ASK, "the same title, but the authors of one are not given"
    if authors in (Likeness.TYPING, Likeness.OVERLAP):
        return Identity.ASK, "the same title, but the authors agree only in part"
    if one.first_page and other.first_page and one.first_page != other.first_page:
        return Identity.ASK, "the same title and authors at two places"
    allowed = YEARS_TO_PRINT if one.preprint or other.preprint else YEARS_IN_PRINT
    if one.year is not None and other.year is not None and abs(one.year - other.year) > allowed:
        return Identity.ASK, "the same title and authors, but years too far apart"
    if len(content_words(one.title)) <= SHORT_TITLE and one.year != other.year:
        return Identity.ASK, "the same authors and a title too short to be certain in different years"
    return Identity.SAME, "the same title and authors"


def _texts_contradict(one: Citation, other: Citation) -> bool:
    """Whether less than a third of one title, or text, occurs in the other, which is long enough to contain one."""
    known, text = (one.title or one.text, other.text) if one.title else (other.title or other.text, one.text)
    wanted, there = _letters_only(known), _letters_only(text)
    return len(there) >= WORDS_OF_A_CITATION and len(wanted) > 1 and 3 * len(wanted & there) < len(wanted)


def _letters_only(text: str) -> set[str]:
    """The content words of a text without addresses, identifiers and numbers."""
    tokens = (token for token in text.split() if "/" not in token and not re.search(r"\d", token))
    return {word for word in content_words(" ".join(tokens)) if len(word) > 2}


def _years_apart(one: Citation, other: Citation) -> bool:
    return one.year is not None and other.year is not None and abs(one.year - other.year) > YEARS_TO_PRINT


def _same_place(one: Citation, other: Citation) -> bool:
    return (
        one.year is not None
        and one.year == other.year
        and one.first_page is not None
        and one.first_page == other.first_page
        and one.first_page > 1
    )


def _notice(citation: Citation) -> frozenset[str]:
    """Words by which a title says that it belongs to another work."""
    return _NOTICES.intersection(words(citation.title)[:3])


def _side_by_side(left: object, right: object) -> str:
    shown = [", ".join(value) if isinstance(value, list) else str(value or "") for value in (left, right)]
    return " / ".join(part or "-" for part in shown) if any(shown) else ""
