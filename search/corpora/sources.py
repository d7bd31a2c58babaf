"""Statements out of LaTeX sources: which files are documents, what they input, and the statements in each."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from benchmark.collecting.documents import MOST_FILES, Member, content_of, members_of, title_of
from benchmark.importing.archives import TARS, unpack, unpack_tar
from benchmark.importing.folders import MAX_DOCUMENT_BYTES
from benchmark.importing.records import RecordError, record_errors
from canonical import sha256_of
from latex.limits import Budget, Clock, LimitReached, OutOfTime
from latex.reading.definitions import DEFINITIONS
from latex.reading.latex_document import Task, new_engine
from latex.reading.macros import MacroTable
from latex.reading.stream import Stream
from latex.reading.tokens import Token, spelled, tokenize
from latex.visible import visible
from search.corpora.lines import StatementLine

SHORTEST = 8  # characters of a body; what is shorter says nothing (the paper on theorem search, 3.1)
LONGEST_CONTEXT = 4_000  # characters of an abstract or of a first section
_SECONDS = 120.0  # of processor time for one document; a book of 2 MB takes 10
_READ = (".tex", ".ltx", ".sty", ".cls")
_NO_STATEMENTS = {"exercise", "problem", "question", "step"}
_MAIN = {"main", "paper", "ms", "article", "book", "thesis"}
_MACRO_FILES = {"macros", "macro", "preamble", "commands", "notation", "definitions", "defs", "symbols"}
# What a statement does not need, whatever the author means by it: marks for an index, for Lean, for spacing.
_PRELUDE = r"""
\newcommand{\xspace}{}\newcommand{\ignorespaces}{}\newcommand{\index}[1]{}\newcommand{\mathchoice}[4]{#1}
\newcommand{\uses}[1]{}\newcommand{\lean}[1]{}\newcommand{\proves}[1]{}\newcommand{\discussion}[1]{}
\newcommand{\leanok}{}\newcommand{\mathlibok}{}\newcommand{\notready}{}\newcommand{\texorpdfstring}[2]{#1}
"""
# A macro made of these is a program; its name says more than its expansion.
_LOW_LEVEL = {
    "csname",
    "lccode",
    "catcode",
    "mathcode",
    "lowercase",
    "ifnum",
    "ifx",
    "futurelet",
    "expandafter",
}
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_OPTION = r"\[((?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\[\]]*\])*)\]"
_INPUT = re.compile(
    r"\\(?P<input>input|include|subfile|subfileinclude)\s*(?:\{\s*(?P<braced>[^{}\n]+?)\s*\}|[ ](?P<bare>[^\s{}\\%]+))"
    r"|\\(?:sub)?(?:import|inputfrom|includefrom)\*?\s*\{(?P<folder>[^{}\n]*)\}\s*\{(?P<imported>[^{}\n]+)\}"
    r"|\\(?P<package>usepackage|RequirePackage|documentclass|LoadClass)\s*(?:\[[^\]]*\]\s*)?\{(?P<packages>[^{}]+)\}"
)
_BODY = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_HEADING = re.compile(rf"\\[A-Za-z]{{0,12}}(?:chapter|section)\*?\s*(?:{_OPTION}\s*)?{_GROUP}")
_AUTHOR = re.compile(rf"\\author\s*(?:\[[^\]]*\]\s*)?{_GROUP}")
_THANKS = re.compile(rf"\\(?:thanks|footnote|inst|orcidlink|orcidID|email)\s*{_GROUP}")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\}(.*?)\\end\s*\{abstract\}", re.DOTALL)
_SECTION = re.compile(r"\\(?:section|chapter)\*?\s*(?=[\[{])|\\(?:bibliography|appendix)\b")
_DATE = re.compile(r"\\date\s*\{[^{}]*?\b((?:1[89]|20)\d\d)\b[^{}]*\}")
_OPENING = re.compile(rf"\s*\\begin\s*\{{([A-Za-z*@]+)\}}\s*(?:{_OPTION})?")
_CLOSING = re.compile(r"\\end\s*\{[A-Za-z*@]+\}\s*$")
_LABEL = re.compile(r"\\(?:ol)?label\s*\{([^{}]*)\}")
_NUMBERED = re.compile(r"(?P<kind>.*?)(?: (?P<number>[0-9A-Z][0-9A-Za-z.\-'*]*))?")


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


@dataclass(frozen=True)
class _Text:
    """A document with everything that it inputs in place; each piece with its file and the line it begins on."""

    text: str
    starts: tuple[int, ...]
    pieces: tuple[tuple[str, int], ...]

    def place(self, offset: int) -> tuple[str, int]:
        """The file and line of a character."""
        at = max(0, bisect_right(self.starts, offset) - 1)
        file, line = self.pieces[at]
        return file, line + self.text.count("\n", self.starts[at], offset)


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
    inputs = {path: [other for _, others in _inputs(path, files) for other in others] for path in files}
    by_others = {other for path, others in inputs.items() for other in others if other != path}
    roots = [path for path in files if path not in by_others and path.endswith((".tex", ".ltx"))]
    roots.sort(key=lambda path: _rank(path, files[path]))
    having: dict[str, str] = {}  # files with statements, and the document that has them
    for root in roots:
        shared = {path for path in having if path != root}
        document = name if len(files) == 1 else f"{name}/{PurePosixPath(root).with_suffix('')}"
        before = len(found.lines)
        try:
            _read_document(_flattened(root, files, shared), document, found)
        except OutOfTime:
            found.skipped.append(Skipped(root, 0, f"takes longer than {_SECONDS:g} s to read"))
        except RecordError as error:
            found.skipped.append(Skipped(root, error.line, error.reason))
        own = dict.fromkeys([file for file, _, _ in found.lines[before:]], root)
        if not own and (again := sorted(shared.intersection(_closure(root, inputs)))):
            found.skipped.append(Skipped(root, 0, f"its statements are those of {having[again[0]]}"))
        having = own | having
    return found


def _rank(path: str, text: str) -> tuple[bool, bool, int, str]:
    """Where a document comes among those that may share files: whole ones first, then what is called like one."""
    is_whole = "\\documentclass" in visible(text, "latex")
    return not is_whole, PurePosixPath(path).stem.lower() not in _MAIN, len(path), path


def _closure(root: str, inputs: Mapping[str, list[str]]) -> set[str]:
    seen, waiting = {root}, [root]
    while waiting:
        new = set(inputs[waiting.pop()]) - seen
        seen |= new
        waiting += new
    return seen


def _inputs(path: str, files: Mapping[str, str]) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Each command of a file that reads others, with those that are there: next to the file, or below the top."""
    here = PurePosixPath(path).parent
    for match in _INPUT.finditer(visible(files[path], "latex")):
        if match["package"]:
            ending = ".cls" if match["package"] in ("documentclass", "LoadClass") else ".sty"
            names = [name.strip() + ending for name in match["packages"].split(",")]
        else:
            names = [match["braced"] or match["bare"] or f"{match['folder']}/{match['imported'].strip()}"]
        there = []
        for name in names:
            for folder in (here, *here.parents):
                places = [_normal(folder / (name + ending)) for ending in ("", ".tex")]
                if known := next((place for place in places if place in files), None):
                    there.append(known)
                    break
        if there:
            yield match, there


def _normal(path: PurePosixPath) -> str:
    """A path without `.` and `..`; "" if it leads out of the sources."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _flattened(root: str, files: Mapping[str, str], without: set[str]) -> _Text:
    """The document with its inputs in place, each once, and without those that another document has.

    Files of macros come before a text that has no preamble. Raises RecordError if it becomes too long.
    """
    pieces: list[tuple[str, str, int]] = []
    read, size = set(without), 0

    def add(text: str, path: str, line: int) -> None:
        nonlocal size
        size += len(text.encode())
        if size > MAX_DOCUMENT_BYTES:
            raise RecordError(f"larger than {MAX_DOCUMENT_BYTES:,} bytes with all that it inputs")
        pieces.append((text, path, line))

    def put(path: str) -> None:
        read.add(path)
        text, done, end = files[path], 0, len(files[path])
        if path != root and (body := _BODY.search(visible(text, "latex"))):
            done, end = body.span(1)
        if path.endswith((".sty", ".cls")):
            add("\\makeatletter\n", path, 1)
        for match, others in _inputs(path, files):
            if (
                done <= match.start()
                and match.end() <= end
                and (new := [one for one in others if one not in read])
            ):
                add(text[done : match.start()], path, 1 + text.count("\n", 0, done))
                done = match.end()
                for other in new:
                    if len(read) < MOST_FILES and other not in read:
                        put(other)
                        add("\n", path, 1 + text.count("\n", 0, done))
        add(text[done:end], path, 1 + text.count("\n", 0, done))
        if path.endswith((".sty", ".cls")):
            add("\n\\makeatother\n", path, 1)

    if "\\documentclass" not in visible(files[root], "latex"):
        for path in files:
            if path != root and path not in read and _has_macros(path):
                put(path)
    put(root)
    starts = [0]
    for text, _, _ in pieces:
        starts.append(starts[-1] + len(text))
    joined = "".join(text for text, _, _ in pieces)
    return _Text(joined, tuple(starts[:-1]), tuple((path, line) for _, path, line in pieces))


def _has_macros(path: str) -> bool:
    found = PurePosixPath(path)
    return found.suffix == ".sty" or not _MACRO_FILES.isdisjoint(
        (found.stem.lower(), found.parent.name.lower())
    )


def _read_document(source: _Text, document: str, found: Sources) -> None:
    """Add the statements of one document. Raises OutOfTime."""
    text = source.text
    engine = new_engine(text, Task(clock=Clock(_SECONDS)))
    engine.in_preamble = "\\begin{document}" in visible(text, "latex")
    engine.read_text(text)
    macros = engine.macros
    prelude = Stream(tokenize(_PRELUDE), macros, Budget())
    while (token := prelude.next()) is not None:
        if token.text in DEFINITIONS:
            DEFINITIONS[token.text](prelude)
    for note in engine.notes:
        if "too large" in note:
            found.skipped.append(Skipped(source.pieces[-1][0], 0, f"{document}: {note}"))
    seen = visible(text, "latex")
    begin = max(0, seen.find("\\begin{document}"))
    headings = [(match.start(), match[2]) for match in _HEADING.finditer(seen, begin)]
    about: dict[str, object] = {"document": document}
    if title := _in_one_line(title_of(text, "latex") or (headings[0][1] if headings else ""), macros):
        about["title"] = title[:1000]
    if authors := _authors(text):
        about["authors"] = authors
    if year := _DATE.search(text):
        about["year"] = int(year[1])
    if abstract := _ABSTRACT.search(seen):
        about["abstract"] = _beginning(text[slice(*abstract.span(1))], macros)
    starts = [match.start() for match in _SECTION.finditer(seen, begin)]
    if starts:
        first = text[starts[0] : starts[1] if len(starts) > 1 else None]
        about["introduction"] = _beginning(first.partition("\\end{document}")[0], macros)
    about = {name: value for name, value in about.items() if value}
    places, keys = [start for start, _ in headings], dict[str, int]()
    for draft in engine.writer.blocks:
        if draft.kind != "theorem":
            continue
        file, line = source.place(draft.start)
        written = expanded(text[draft.start : draft.end], macros)
        opening = _OPENING.match(written)
        body = _CLOSING.sub("", written[opening.end() :] if opening else written)
        note = _in_one_line(opening[2] or "", macros) if opening else ""
        own = _LABEL.search(body.partition("\\begin")[0])
        if own:
            body = body[: own.start()] + body[own.end() :]
        body, label = body.strip(), " ".join(own[1].split()) if own else ""
        numbered = _NUMBERED.fullmatch(draft.label)
        at = bisect_right(places, draft.start) - 1
        said = {
            **about,
            "body": body,
            "kind": (numbered["kind"].lower() if numbered else "")[:50],
            "number": (numbered["number"] or "" if numbered else "")[:50],
            "note": note,
            "label": label,
            "section": _in_one_line(headings[at][1], macros)[:1000] if at >= 0 else "",
        }
        said = {name: value for name, value in said.items() if value != ""}
        digest = sha256_of({name: value for name, value in said.items() if name not in about})[:10]
        key = f"{document}/{_key_part(str(said.get('label') or said.get('kind') or 'statement'))}-{digest}"
        if said.get("kind") in _NO_STATEMENTS:
            found.skipped.append(Skipped(file, line, f"{said['kind']!s}s are not imported"))
        elif len(body) < SHORTEST:
            found.skipped.append(Skipped(file, line, f"the statement has fewer than {SHORTEST} characters"))
        elif key in keys:
            reason = f"{draft.label or 'a statement'} is repeated word for word"
            found.skipped.append(Skipped(file, line, reason))
        else:
            keys[key] = line
            try:
                found.lines.append((file, line, StatementLine.model_validate(said | {"key": key})))
            except ValidationError as error:
                reasons = "; ".join(str(fault) for fault in record_errors(error, 0))
                found.skipped.append(Skipped(file, line, reasons))


def expanded(source: str, macros: MacroTable) -> str:
    """LaTeX with the author's macros expanded and without comments; as it is written where they expand without end."""
    stream, out = Stream(tokenize(source), macros, Budget()), list[Token]()
    macros.open_group()
    try:
        while (token := stream.next()) is not None:
            macro = macros.get(token.text) if token.kind in ("word", "symbol") else None
            if macro is not None and not any(part.text in _LOW_LEVEL for part in macro.body):
                stream.expand(macro, token)
            elif macro is None and token.kind == "word" and token.text in DEFINITIONS:
                DEFINITIONS[token.text](stream)
            else:
                out.append(token._replace(text="\n\n") if token.kind == "par" else token)
    except LimitReached:
        return source
    finally:
        macros.close_group()
    return spelled(out)


def _in_one_line(source: str, macros: MacroTable) -> str:
    line = _THANKS.sub("", _LABEL.sub("", expanded(source, macros))).replace("\\\\", " ").replace("~", " ")
    return " ".join(line.split())


def _beginning(source: str, macros: MacroTable) -> str:
    """The first characters of a passage, not in the middle of a word."""
    whole = expanded(source, macros).strip()
    return whole if len(whole) <= LONGEST_CONTEXT else whole[:LONGEST_CONTEXT].rsplit(" ", 1)[0]


def _authors(text: str) -> list[str]:
    """The names that a document gives as its authors; none if one of them is no plain name."""
    names = []
    for found in _AUTHOR.findall(text):
        for person in re.split(r"\\and\b|\\And\b|\\AND\b|,(?=\s*\S+[\s~]+\S)", _THANKS.sub("", found)):
            names.append(" ".join(person.partition("\\\\")[0].replace("~", " ").split()))
    plain = all(0 < len(name) <= 100 and not re.search(r"[$#&{}]|\\[A-Za-z]{2,}", name) for name in names)
    return names if plain else []


def _key_part(text: str) -> str:
    return re.sub(r"[^\w:.,+*'=()-]+", "-", text)[:80]
