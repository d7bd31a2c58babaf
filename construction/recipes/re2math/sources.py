"""What an entry of a bibliography says, and what kind of work it is, by its words."""

import re

from benchmark.citations.identifiers import arxiv_ids_in
from latex.structure.bibliography import Reference

_ITEM = re.compile(
    r"\\bibitem\s*(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\}){0,200}\}){0,300}\])?\s*\{[^{}]*\}\s*"
)
_FIELD = re.compile(
    r"(?:\b(?P<name>[a-z]{3,12})\s*=\s*|\\field\{(?P<field>[a-z]{3,12})\})"
    r"(?:\{(?P<braced>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\}){0,200}\}){0,2000})\}|\"(?P<quoted>[^\"]{0,2000})\"|(?P<bare>\d{1,6}))",
    re.IGNORECASE,
)
_BIBER_NAME = re.compile(
    r"\bfamily=\{(?P<family>[^{}]{1,100})\}(?:[^{}]|\{[^{}]*\}){0,100}?\bgiven=\{(?P<given>[^{}]{1,100})\}"
)
_PRINTED = (
    "title", "journal", "journaltitle", "booktitle", "series", "publisher", "school", "volume", "year", "date", "pages",
    "note",
)  # fmt: skip
_FORMS = {"title": "\\emph{%s}", "year": "(%s)", "date": "(%s)"}

# The first that holds decides; a thesis at a university press is a thesis.
_KINDS = (
    ("thesis", re.compile(r"\b(?:thesis|dissertation|habilitation)\b", re.IGNORECASE)),
    ("lecture_notes", re.compile(r"\blecture notes?\b(?! in )|\blectures (?:on|in)\b", re.IGNORECASE)),
    ("survey", re.compile(r"\bsurvey\b", re.IGNORECASE)),
    (
        "conference_paper",
        re.compile(r"\b(?:Proceedings|Proc\.? (?:of|Int)|Conference|Symposium|Workshop)\b"),
    ),
    (
        "book",
        re.compile(
            r"\b(?:Press|Springer|Birkh|Verlag|Wiley|Publish\w*|World Scientific|Graduate Texts|Graduate Studies"
            r"|Lecture Notes in|Grundlehren|Monographs?|edition|Chelsea|North-Holland|Academic)\b"
        ),
    ),
)
# A volume with a year or pages: "12 (1998)", "vol. 3", "no. 2, 101--130", and the pages alone.
_JOURNAL = re.compile(
    r"\b\d{1,4}\}?\s*,?\s*\((?:19|20)\d\d\)|\bvol(?:ume|\.)?\s*\d|\bno\.?~?\s*\d|\b\d{1,4}\s?(?:--?|–)\s?\d{1,4}\b",
    re.IGNORECASE,
)


def entry_text(reference: Reference) -> str:
    """An entry as a reader sees it, in LaTeX; one in a database is written in the order of printed ones."""
    if reference.form == "bibitem":
        return _ITEM.sub("", reference.text, count=1).strip()
    fields: dict[str, list[str]] = {}
    for found in _FIELD.finditer(reference.text):
        value = found["braced"] or found["quoted"] or found["bare"] or ""
        name = (found["name"] or found["field"]).lower()
        fields.setdefault(name, []).append(" ".join(value.strip("{}").split()))
    people = [person for value in fields.get("author", []) for person in value.split(" and ")]
    people += [f"{name['given']} {name['family']}" for name in _BIBER_NAME.finditer(reference.text)]
    authors = []
    for person in people:
        family, comma, given = person.partition(",")
        authors.append(f"{given.strip()} {family.strip()}" if comma else person.strip())
    parts = [", ".join(authors)]
    parts += [_FORMS.get(name, "%s") % value for name in _PRINTED for value in fields.get(name, [])[:1]]
    parts += [f"doi:{value}" for value in fields.get("doi", [])[:1]]
    parts += [f"arXiv:{value}" for value in fields.get("eprint", [])[:1]]
    return ", ".join(part for part in parts if part).replace(", (", " (")


def source_type(entry: str) -> str:
    """thesis, lecture_notes, survey, conference_paper, book, journal_paper, preprint, or unknown."""
    kind = next((name for name, words in _KINDS if words.search(entry)), "")
    if kind:
        return kind
    identifiers = arxiv_ids_in(entry)
    if _JOURNAL.search(re.sub(r"\d{4}\.\d{4,5}(?:v\d+)?", "", entry)):
        return "journal_paper"
    return "preprint" if identifiers or "preprint" in entry.lower() else "unknown"
