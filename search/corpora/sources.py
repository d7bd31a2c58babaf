"""Statements out of LaTeX sources: which files are documents, and the statements in each."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from benchmark.collecting.documents import MOST_FILES, Member, content_of, members_of, title_of
from benchmark.importing.archives import TARS, unpack, unpack_tar
from benchmark.importing.records import RecordError, record_errors
from canonical import sha256_of
from latex import Definitions, Outline, Span, expand, flatten, outline
from latex.limits import OutOfTime
from latex.visible import visible
from search.corpora.lines import StatementLine

SHORTEST = 8  # characters of a body; what is shorter says nothing (the paper on theorem search, 3.1)
LONGEST_CONTEXT = 4_000  # characters of an abstract or of a first section
LONGEST = (
    100_000_000  # characters of all files, each with what it inputs: files may input each other in many ways
)
_SECONDS = 120.0  # of processor time for one document; a book of 2 MB takes 10
_READ = (".tex", ".ltx", ".sty", ".cls")
_NO_STATEMENTS = {"exercise", "problem", "question", "step"}
_MAIN = {"main", "paper", "ms", "article", "book", "thesis"}
_MACRO_FILES = {"macros", "macro", "preamble", "commands", "notation", "definitions", "defs", "symbols"}
# What a statement does not need, whatever the author means by it: marks for an index, for Lean, for spacing.
_NOT_NEEDED = r"""
\newcommand{\xspace}{}\newcommand{\ignorespaces}{}\newcommand{\index}[1]{}\newcommand{\mathchoice}[4]{#1}
\newcommand{\uses}[1]{}\newcommand{\lean}[1]{}\newcommand{\proves}[1]{}\newcommand{\discussion}[1]{}
\newcommand{\leanok}{}\newcommand{\mathlibok}{}\newcommand{\notready}{}\newcommand{\texorpdfstring}[2]{#1}
"""
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_AUTHOR = re.compile(rf"\\author\s*(?:\[[^\]]*\]\s*)?{_GROUP}")
_THANKS = re.compile(rf"\\(?:thanks|footnote|inst|orcidlink|orcidID|email)\s*{_GROUP}")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\}(.*?)\\end\s*\{abstract\}", re.DOTALL)
_DATE = re.compile(r"\\date\s*\{[^{}]*?\b((?:1[89]|20)\d\d)\b[^{}]*\}")
_LABEL = re.compile(r"\\(?:ol)?label\s*\{([^{}]*)\}")


@dataclass(frozen=True)
class Skipped:
    """A file, or a statement in it, that is not imported; `line` is 0 for a file as a whole."""

    file: str
    line: int
    reason: str


@dataclass
class Sources:
    """What was read: the lines of a corpus with where each begins, and what was passed over."""

    lines: list[tuple[str, int, StatementLine]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def is_sources(path: Path) -> bool:
    """Whether a path is LaTeX: a folder, an archive or a .tex file."""
    return path.is_dir() or path.suffix.lower() in (".tex", ".zip", *TARS)


def read_sources(path: Path) -> Sources:
    """The statements of a folder, an archive or one file of LaTeX, in the order of their documents.

    A document is a file with a \\documentclass, with everything that it inputs, or a file that no other one inputs. Of
    two documents that share a file with statements, the first one has them. Raises RecordError for an archive that
    cannot be read.
    """
    name = re.sub(r"(?i)\.(tex|zip|tar|gz|tgz|bz2|xz)$", "", path.name).removesuffix(".tar") or "sources"
    if path.is_dir():
        return _read(members_of(path, path.name), path.resolve().name)
    if path.suffix.lower() == ".tex":
        return _read([Member(path.name, path)], name)
    with TemporaryDirectory() as place:
        folder = Path(place)
        if path.suffix.lower() == ".zip":
            unpack(path, folder, tree=True, most_members=MOST_FILES)
        else:
            unpack_tar(path, folder, most_members=MOST_FILES)
        return _read(members_of(folder, name), name)


def _read(members: list[Member], name: str) -> Sources:
    """The statements of these files. A document is a file that no other one inputs, named after `name`.

    Documents may share files. Each file's statements belong to the first document that reads it.
    """
    found, files = Sources(), dict[str, str]()
    for member in members:
        hidden = any(part.startswith(".") for part in PurePosixPath(member.path).parts)
        if member.suffix in _READ and not hidden:
            try:
                files[member.path] = content_of(member)
            except RecordError as error:
                found.skipped.append(Skipped(member.path, error.line, error.reason))
    if not files and not found.skipped:
        raise RecordError("there is no .tex file here")
    closures, length = {}, 0
    for path in files:
        if path.endswith((".tex", ".ltx")):
            flat = flatten(files, path)
            closures[path] = {piece.file for piece in flat.pieces} - {""}
            length += len(flat.text)
            if length > LONGEST:
                raise RecordError(
                    f"its files have more than {LONGEST:,} characters with all that each inputs"
                )
    by_others = {other for path, closure in closures.items() for other in closure if other != path}
    roots = closures.keys() - by_others
    whole = {path for path in roots if "\\documentclass" in visible(files[path], "latex")}
    macros = {}  # files that are all macros, by their suffix or name
    for path, text in files.items():
        place = PurePosixPath(path)
        if place.suffix == ".sty" or _MACRO_FILES & {place.stem.lower(), place.parent.name.lower()}:
            macros[path] = text
    having: dict[str, str] = {}  # files with statements, and the document that has them
    # First come those with a \documentclass, then those named like a main file, then the shorter names.
    for root in sorted(
        roots,
        key=lambda path: (path not in whole, PurePosixPath(path).stem.lower() not in _MAIN, len(path), path),
    ):
        flat = flatten(files, root)
        if root not in whole:
            others = [text for path, text in macros.items() if path not in closures[root]]
            flat = replace(flat, packages=(*others, *flat.packages))
        document = name if len(files) == 1 else f"{name}/{PurePosixPath(root).with_suffix('')}"
        found.skipped += [Skipped(root, 0, lost) for lost in flat.missing if lost.endswith(")")]
        before = len(found.lines)
        try:
            made = outline(flat, files, seconds=_SECONDS)
        except OutOfTime:
            found.skipped.append(Skipped(root, 0, f"takes longer than {_SECONDS:g} s to read"))
        else:
            _read_document(made, files, document, frozenset(having), found)
        own = dict.fromkeys([file for file, _, _ in found.lines[before:]], root)
        if not own and (again := sorted(having.keys() & closures[root])):
            found.skipped.append(Skipped(root, 0, f"its statements are those of {having[again[0]]}"))
        having = own | having
    return found


def _read_document(
    source: Outline, files: Mapping[str, str], document: str, taken: frozenset[str], found: Sources
) -> None:
    """Add the statements of one document but for those in files that another document has."""
    for note in source.notes:
        if "too large" in note:
            found.skipped.append(Skipped(source.flat.main, 0, f"{document}: {note}"))
    about = _about(source, document)
    places, keys = [heading.start for heading in source.headings], set[str]()
    for statement in source.statements:
        place = source.flat.places(statement.span.start, statement.span.end)[0]
        if place.file in taken:
            continue
        line = 1 + files[place.file].count("\n", 0, place.start)
        body = "\n".join(_needed(source, part) for part in source.stated(statement))
        own = _LABEL.search(body.partition("\\begin")[0])
        if own:
            body = body[: own.start()] + body[own.end() :]
        at = bisect_right(places, statement.span.start) - 1
        said: dict[str, object] = {
            "body": body.strip(),
            "kind": statement.kind[:50],
            "number": statement.number[:50],
            "note": _in_one_line(_needed(source, statement.title_span)) if statement.title_span else "",
            "label": " ".join(own[1].split()) if own else "",
            "section": _heading(source, at)[:1000] if at >= 0 else "",
        }
        said = {name: value for name, value in said.items() if value}
        named = re.sub(r"[^\w:.,+*'=()-]+", "-", str(said.get("label") or statement.kind))[:80]
        key = f"{document}/{named}-{sha256_of(said)[:10]}"
        if statement.kind in _NO_STATEMENTS:
            found.skipped.append(Skipped(place.file, line, f"{statement.kind}s are not imported"))
        elif len(body.strip()) < SHORTEST:
            found.skipped.append(
                Skipped(place.file, line, f"the statement has fewer than {SHORTEST} characters")
            )
        elif key in keys:
            title = f"{statement.head or statement.kind} {statement.number}".strip()
            found.skipped.append(Skipped(place.file, line, f"{title} is repeated word for word"))
        else:
            keys.add(key)
            try:
                stored = StatementLine.model_validate(about | said | {"key": key})
                found.lines.append((place.file, line, stored))
            except ValidationError as error:
                reasons = "; ".join(str(fault) for fault in record_errors(error, 0))
                found.skipped.append(Skipped(place.file, line, reasons))


def _about(source: Outline, document: str) -> dict[str, object]:
    """What a document says about itself."""
    text = source.flat.text
    seen = visible(text, "latex")
    abstract, year = _ABSTRACT.search(seen), _DATE.search(text)
    sections = [heading.start for heading in source.headings if heading.level in ("chapter", "section")]
    introduction = Span(sections[0], [*sections, len(text)][1]) if sections else None
    title = expand(title_of(text, "latex"), source.definitions, seen.find("\\begin{document}")).text
    authors = []
    for found in _AUTHOR.findall(text):
        for person in re.split(r"\\and\b|\\And\b|\\AND\b|,(?=\s*\S+[\s~]+\S)", _THANKS.sub("", found)):
            authors.append(" ".join(person.partition("\\\\")[0].replace("~", " ").split()))
    if not all(0 < len(name) <= 100 and not re.search(r"[$#&{}]|\\[A-Za-z]{2,}", name) for name in authors):
        authors = []  # one of them is not a plain name
    about = {
        "document": document,
        "title": (_in_one_line(title) or (_heading(source, 0) if source.headings else ""))[:1000],
        "authors": authors,
        "year": int(year[1]) if year else None,
        "abstract": _beginning(_needed(source, Span(*abstract.span(1)))) if abstract else "",
        "introduction": _beginning(_needed(source, introduction)) if introduction else "",
    }
    return {name: value for name, value in about.items() if value}


@cache
def _layout() -> Definitions:
    return outline(flatten({"": _NOT_NEEDED}, ""), {}).definitions


def _needed(source: Outline, span: Span) -> str:
    """A passage with its macros expanded, without comments and what a statement does not need."""
    return expand(source.expanded(span).text, _layout(), len(_NOT_NEEDED)).text


def _heading(source: Outline, at: int) -> str:
    heading = source.headings[at]
    return _in_one_line(expand(heading.title, source.definitions, heading.start).text)


def _in_one_line(text: str) -> str:
    line = _THANKS.sub("", _LABEL.sub("", text)).replace("\\\\", " ").replace("~", " ")
    return " ".join(line.split())


def _beginning(text: str) -> str:
    """The first characters of a passage, not in the middle of a word."""
    whole = text.partition("\\end{document}")[0].strip()
    return whole if len(whole) <= LONGEST_CONTEXT else whole[:LONGEST_CONTEXT].rsplit(" ", 1)[0]
