"""The documents of a folder: which one is the text, what it inputs, what pictures it shows, whether it is blank."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import latex
from benchmark.collecting.paths import TEXTS
from benchmark.importing.archives import MAX_BYTES, unpack
from benchmark.importing.folders import MAX_DOCUMENT_BYTES, decoded
from benchmark.importing.records import RecordError
from latex.pictures import picture_names
from latex.visible import visible

MOST_FILES = 5_000
PICTURES = (".pdf", ".png", ".jpg", ".jpeg", ".svg", ".eps")  # in the order in which pdfTeX looks for them
_MOST_INPUTS = 200
_INPUT = re.compile(r"\\(?:input|include)\s*(?:\{\s*([^{}\n]+?)\s*\}|[ ]([^\s{}\\%]+))")
_BIBLIOGRAPHY = re.compile(r"\\(?:bibliography|printbibliography)\b(?:\{[^{}\n]*\})?")
_PICTURE_FOLDERS = re.compile(r"\\graphicspath\s*\{((?:\s*\{[^{}\n]*\})+)\s*\}")
_TITLE = re.compile(r"\\title\s*(?:\[[^\]\n]*\])?\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_MARKDOWN_TITLE = re.compile(r"(?m)^#{1,2}\s+(.+?)\s*#*$")
_DEFINED = re.compile(
    r"\\(?:re)?newcommand\*?\s*\{?\s*\\([A-Za-z]+)|\\providecommand\*?\s*\{?\s*\\([A-Za-z]+)"
    r"|\\DeclareMathOperator\*?\s*\{?\s*\\([A-Za-z]+)|\\def\s*\\([A-Za-z]+)"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_OF_PACKAGES = re.compile(
    r"\\(?:NeedsTeXFormat|ProvidesPackage|RequirePackage|usepackage|documentclass)\s*(?:\[[^\]]*\]\s*)?\{[^{}]*\}"
    r"(?:\s*\[[^\]]*\])?|\\endinput\b.*"
)
_NO_CONTENT = re.compile(
    r"\\(?:title|author|date|section|subsection|chapter|paragraph|label|thanks|pagestyle|thispagestyle)\*?"
    r"\s*(?:\[[^\]\n]*\])?\s*\{(?:[^{}]|\{[^{}]*\})*\}"
    r"|\\(?:maketitle|tableofcontents|newpage|clearpage|noindent|bigskip|medskip|smallskip|today)\b"
    r"|\\(?:begin|end)\{[^{}\n]*\}|(?m:^#{1,6}\s.*$)"
)
_NO_ANSWER = re.compile(
    r"(?i)[\W_]*(n\s*/?\s*a|none|nothing|null|nil|empty|blank|to ?do|tbd|missing|(there is )?"
    r"no (answer|proof|solution|output|response|submission)( (was )?(found|given|available|provided|submitted))?"
    r"|not (available|attempted|submitted)|abstain(ed)?|timed? ?out)?[\W_]*"
)


@dataclass(frozen=True)
class Member:
    """One file of an upload. `path` is where it lay; for a file in a packed archive, `archive` is that one's path."""

    path: str
    file: Path
    archive: str = ""

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.path).suffix.lower()

    @property
    def shown(self) -> str:
        return f"{self.archive}: {self.path}" if self.archive else self.path


@dataclass(frozen=True)
class Text:
    """A document as it is imported, and where it came from.

    `missing` are the names of pictures that are not there, `left_out` other documents in this place that it does not
    input.
    """

    text: str
    text_format: str
    place: str
    missing: tuple[str, ...] = ()
    pictures: int = 0
    left_out: tuple[str, ...] = ()


def members_of(folder: Path, name: str) -> list[Member]:
    """The files below an unpacked folder, in the order of their paths.

    A folder around everything that is called like the upload, as a folder packed as a whole has it, is left out.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    wrapper = folder / PurePosixPath(name).stem
    if all(file.is_relative_to(wrapper) for file in files):
        folder = wrapper
    return [Member(str(file.relative_to(folder)), file) for file in files]


def with_archives(members: Sequence[Member], place: Path) -> list[Member]:
    """The files, and those in archives among them, which are unpacked below `place`.

    Raises RecordError for an archive that cannot be read, and if there are too many files in all.
    """
    found, left = list(members), MAX_BYTES
    for number, packed in enumerate(member for member in members if member.suffix == ".zip"):
        inner = place / f"archive-{number}"
        inner.mkdir()
        try:
            unpack(packed.file, inner, tree=True, most_members=MOST_FILES - len(found), most_bytes=left)
        except RecordError as error:
            name = f"{packed.path}: {error.field}" if error.field else packed.path
            raise RecordError(error.reason, field=name) from error
        for file in sorted(path for path in inner.rglob("*") if path.is_file()):
            left -= file.stat().st_size
            found.append(Member(str(file.relative_to(inner)), file, packed.path))
    return found


def text_of(members: Sequence[Member]) -> Text | None:
    """The one document among the files of an output or problem, with everything that it inputs; None without any.

    Files next to archives come first, and only then those in them. Raises RecordError where two could be meant.
    """
    every = [member for member in members if member.suffix in TEXTS]
    if not every:
        return None
    main = _main([document for document in every if not document.archive] or every)
    read = {main.file}
    text = content_of(main)
    text_format = TEXTS[main.suffix]
    if text_format == "plain" and ("\\begin{" in text or "$" in text):
        text_format = latex.guess_format(text)
    if text_format != "latex":
        left_out = tuple(document.shown for document in every if document.file not in read)
        return Text(text, text_format, main.shown, left_out=left_out)
    files = _Files(members)
    text = _with_inputs(text, main, files, read)
    if len(text.encode()) > MAX_DOCUMENT_BYTES:
        raise RecordError(
            f"larger than {MAX_DOCUMENT_BYTES:,} bytes with all that it inputs", field=main.shown
        )
    names = picture_names(text, "latex")
    folders = [
        folder for found in _PICTURE_FOLDERS.findall(text) for folder in re.findall(r"\{([^{}]*)\}", found)
    ]
    missing = [name for name in dict.fromkeys(names) if files.picture(name, main, folders) is None]
    left_out = tuple(document.shown for document in every if document.file not in read)
    return Text(text, text_format, main.shown, tuple(missing), len(names), left_out)


def _main(documents: Sequence[Member]) -> Member:
    """The document that the others belong to. Raises RecordError if there is not exactly one."""
    chosen = list(documents)
    sources = [document for document in chosen if document.suffix == ".tex"]
    for better in (
        [document for document in sources if "\\documentclass" in visible(content_of(document), "latex")],
        sources,
        [
            document
            for document in chosen
            if PurePosixPath(document.path).stem.lower() not in ("readme", "notes")
        ],
    ):
        if len(chosen) > 1:
            kept = set(better)
            chosen = [one for one in chosen if one in kept] or chosen
    named = [
        one
        for one in chosen
        if PurePosixPath(one.path).stem.lower() in ("main", "paper", "proof", "solution")
    ]
    if len(chosen) > 1 and len(named) != 1:
        inputs = {
            PurePosixPath(found[1] or found[2]).stem
            for one in chosen
            for found in _INPUT.finditer(visible(content_of(one), "latex"))
        }
        named = [one for one in chosen if PurePosixPath(one.path).stem not in inputs]
    if len(chosen) > 1 and len(named) == 1:
        chosen = named
    if len(chosen) > 1:
        names = ", ".join(PurePosixPath(one.path).name for one in chosen[:4])
        reason = f"{len(chosen)} documents could be the text here ({names}): leave one, or name them by {{attempt}}"
        raise RecordError(reason, field=chosen[0].shown)
    return chosen[0]


class _Files:
    """Files by their paths: a document asks for hundreds of pictures, next to as many files."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._places: dict[tuple[str, str], int] = {}
        # pictures by the last part of their paths, with and without ending
        self._named: dict[str, Member] = {}
        self._members = members
        self._archives = list(dict.fromkeys(member.archive for member in members if member.archive))
        for place, member in enumerate(members):
            self._places.setdefault((member.archive, member.path), place)
            if member.suffix in PICTURES:
                path = PurePosixPath(member.path)
                for name in (path.name, path.stem):
                    self._named.setdefault(name, member)

    def called(self, name: str, main: Member) -> Member | None:
        """The file that a document calls `name`: relative to itself, or to the root of an archive next to it."""
        path = PurePosixPath(name)
        if ".." in path.parts or name.startswith("/"):
            return None
        wanted = [(main.archive, str(PurePosixPath(main.path).parent / path))]
        wanted += [(archive, str(path)) for archive in self._archives]
        found = min((self._places[one] for one in wanted if one in self._places), default=None)
        return None if found is None else self._members[found]

    def picture(self, name: str, main: Member, folders: Sequence[str]) -> Member | None:
        """The file of a picture that a document calls `name`, in its own folder, those it lists, or an archive."""
        for folder in ("", *folders):
            for ending in ("", *PICTURES, "-eps-converted-to.pdf"):
                found = self.called(str(PurePosixPath(folder) / name) + ending, main)
                if found and found.suffix in PICTURES:
                    return found
        # Archives of figures are often packed with a folder of their own around them, or with none.
        return self._named.get(PurePosixPath(name).name)


def _with_inputs(text: str, main: Member, files: _Files, read: set[Path]) -> str:
    """The text with the files it inputs in place; one that is not there, or inputs itself, stays as it is written."""
    seen = visible(text, "latex")
    parts, done = [], 0
    found: list[tuple[re.Match[str], str, tuple[str, ...]]]
    found = [(match, match[1] or match[2], (".tex", "")) for match in _INPUT.finditer(seen)]
    stem = PurePosixPath(main.path).stem
    found += [(match, stem, (".bbl",)) for match in _BIBLIOGRAPHY.finditer(seen)]
    for match, name, endings in sorted(found, key=lambda each: each[0].start()):
        other = next((one for ending in endings if (one := files.called(name + ending, main))), None)
        if other is None or other.file in read or len(read) > _MOST_INPUTS:
            continue
        read.add(other.file)
        inner = _with_inputs(content_of(other), main, files, read)
        if match[0].startswith(("\\input", "\\include")) or "\\begin{thebibliography}" in inner:
            parts += [text[done : match.start()], inner]
            done = match.end()
    return "".join([*parts, text[done:]])


def content_of(member: Member) -> str:
    """The text of a file. Raises RecordError if it is too large, not UTF-8 or not storable."""
    with member.file.open("rb") as file:
        content = file.read(MAX_DOCUMENT_BYTES + 1)
    return decoded(content, member.shown).replace("\r\n", "\n")


def with_macros(text: str, text_format: str, macros: str) -> str:
    """The text with the definitions in front of it, if it is LaTeX and uses one; its own come later and win."""
    names = {name for found in _DEFINED.findall(macros) for name in found if name}
    if text_format != "latex" or names.isdisjoint(_COMMAND.findall(text)):
        return text
    lines = _OF_PACKAGES.sub("", visible(macros, "latex")).splitlines()
    return "\n".join([*(line.rstrip() for line in lines if line.strip()), "", text])


def title_of(text: str, text_format: str) -> str:
    """The title that a document gives itself, in one line; "" if it has none."""
    pattern = _MARKDOWN_TITLE if text_format == "markdown" else _TITLE
    found = pattern.search(visible(text, text_format))
    return " ".join(found[1].replace("\\\\", " ").split())[:500] if found else ""


def blank_reason(text: str, text_format: str) -> str:
    """Why a text is not an answer: "empty", "only a title", or the words given instead of one; "" for an answer."""
    seen = visible(text, text_format)
    if not seen.strip():
        return "empty"
    if len(seen) > 20_000:
        return ""
    body = seen.partition("\\begin{document}")[2] or seen
    content = _NO_CONTENT.sub(" ", body).strip()
    if not content:
        return "only a title or headings"
    if len(content) <= 80 and _NO_ANSWER.fullmatch(content):
        return f"only “{content}”"
    return ""
