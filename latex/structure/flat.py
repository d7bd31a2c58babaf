"""A source of several files as one text, with every file that it inputs in its place."""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from latex.limits import MAX_SOURCE
from latex.reading.tokens import tokenize
from latex.vocabulary import words

MAX_INPUT_DEPTH = 25  # files within files
_INPUTS = frozenset(("input", "include", "subfile", "subfileinclude", "@input", "InputIfFileExists"))
_IMPORTS = frozenset(("import", "subimport", "inputfrom", "subinputfrom"))
_PACKAGES = {"usepackage": ".sty", "RequirePackage": ".sty", "documentclass": ".cls", "LoadClass": ".cls"}
_NAME = re.compile(r"[ \t]*\n?[ \t]*(?:\{([^{}]{1,400})\}|([^\s{}\\%]{1,400}))")
_FOLDER_AND_NAME = re.compile(r"\*?\s*\{([^{}]{0,400})\}\s*\{([^{}]{1,400})\}")
_BRANCHES = re.compile(r"\s*\{[^{}]*\}\s*\{[^{}]*\}")
_LIST = re.compile(r"\s*(?:\[[^\[\]]{0,2000}\])?\s*\{([^{}]{1,2000})\}")
_KNOWN = words("packages")
_OBEYED = re.compile(
    r"\\(?:endinput|includeonly|bibliography|addbibresource|"
    + "|".join(sorted(map(re.escape, {*_INPUTS, *_IMPORTS, *_PACKAGES})))
    + r")(?![A-Za-z])"
)


class Place(NamedTuple):
    """A half-open range of a file."""

    file: str
    start: int
    end: int


class _Piece(NamedTuple):
    """What the joined text holds from `at` on: `file` from `start` on; no file for a line end that was put in."""

    at: int
    file: str
    start: int


@dataclass(frozen=True)
class Flat:
    """The joined text. `packages` are the contents of the source's own packages and classes, in the order in which
    they are loaded; `bibliographies` names its .bib files, `missing` what it inputs and does not have."""

    main: str
    text: str
    pieces: tuple[_Piece, ...] = field(repr=False)
    packages: tuple[str, ...] = field(default=(), repr=False)
    bibliographies: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def places(self, start: int, end: int) -> list[Place]:
        """Where in the files a range of the text is: one place, or several where other files are input in it.

        The places' texts, one after the other, are the range.
        """
        found: list[Place] = []
        index = bisect_right(self.pieces, start, key=lambda piece: piece.at) - 1
        while start < end and index < len(self.pieces):
            piece = self.pieces[index]
            index += 1
            upto = min(end, self.pieces[index].at) if index < len(self.pieces) else end
            if piece.file and upto > start:
                offset = piece.start + start - piece.at
                found.append(Place(piece.file, offset, offset + upto - start))
            start = upto
        return found


def flatten(files: Mapping[str, str], main: str) -> Flat:
    """The source whose main file is `main`; `files` gives the text of each by its path. Raises KeyError if the main
    file is not among them."""
    joined = _Joined(files, main)
    joined.add(main, ())
    return Flat(
        main, "".join(joined.parts), tuple(joined.pieces), tuple(joined.packages),
        tuple(dict.fromkeys(joined.bibliographies)), tuple(dict.fromkeys(joined.missing)),
    )  # fmt: skip


class _Joined:
    def __init__(self, files: Mapping[str, str], main: str) -> None:
        self.files = files
        self.main = main
        self.folder = posixpath.dirname(main)
        self.parts: list[str] = []
        self.pieces: list[_Piece] = []
        self.length = 0
        self.packages: list[str] = []
        self.loaded: set[str] = set()
        self.bibliographies: list[str] = []
        self.missing: list[str] = []
        self.only: set[str] | None = None  # what \\includeonly allows
        self.has_class = False

    def put(self, file: str, start: int, end: int) -> None:
        if start < end:
            self.pieces.append(_Piece(self.length, file, start))
            self.parts.append(self.files[file][start:end])
            self.length += end - start

    def add(self, file: str, around: tuple[str, ...]) -> None:
        """Puts a file with all that it inputs; `around` are the files that it is input from."""
        text = self.files[file]
        folders = (self.folder, posixpath.dirname(file))
        done, upto = 0, len(text)
        # Of a file that is a document of its own, as with the package subfiles, the text counts and no preamble.
        is_part = bool(around) and self.has_class and "\\documentclass" in text
        whole = not is_part
        obeys = (
            is_part or _OBEYED.search(text) is not None
        )  # reading tokens is slow, and most files have none of these
        for token in tokenize(text) if obeys else ():
            if token.kind != "word" or token.start < done:
                continue
            name = token.text
            if name == "endinput":
                upto = token.start
                break
            if name == "begin" and not whole and text.startswith("{document}", token.end):
                done, whole = token.end + len("{document}"), True
            elif name == "end" and is_part and text.startswith("{document}", token.end):
                upto = token.start
                break
            elif name in _PACKAGES:
                self.has_class |= name == "documentclass"
                self.load(_PACKAGES[name], _LIST.match(text, token.end))
            elif name == "includeonly" and (found := _LIST.match(text, token.end)):
                self.only = {part.strip() for part in found[1].split(",")}
            elif name in ("bibliography", "addbibresource") and (found := _LIST.match(text, token.end)):
                self.bibliographies += self.named(found[1].split(","), ".bib", folders)
                if name == "bibliography" and (references := self.references()):
                    self.put(file, done, token.start)
                    self.add(references, (*around, file))
                    done = found.end()
            elif whole and (name in _INPUTS or name in _IMPORTS):
                pattern = _NAME if name in _INPUTS else _FOLDER_AND_NAME
                found = pattern.match(text, token.end)
                if found is None or "#" in found.group():
                    continue
                end = found.end()
                if name in _IMPORTS:
                    base = posixpath.dirname(file) if name.startswith("sub") else ""
                    inputs = self.named([found[2]], ".tex", (posixpath.join(base, found[1]), *folders))
                else:
                    asked = (found[1] or found[2]).strip().strip('"')
                    if name == "include" and self.only is not None and asked not in self.only:
                        continue
                    inputs = self.named([asked], ".tex", folders)
                if name == "InputIfFileExists":
                    if not inputs or (branches := _BRANCHES.match(text, end)) is None:
                        continue
                    end = branches.end()
                if not inputs:
                    self.missing.append((found[2] or found[1]).strip())
                elif inputs[0] in (*around, file) or len(around) >= MAX_INPUT_DEPTH:
                    self.missing.append(f"{inputs[0]} (it would be input within itself, or too deeply)")
                elif self.length + len(self.files[inputs[0]]) > MAX_SOURCE:
                    self.missing.append(f"{inputs[0]} (the text would be too long)")
                else:
                    self.put(file, done, token.start)
                    self.add(inputs[0], (*around, file))
                    done = end
        if whole:
            self.put(file, done, upto)
            if around and "%" in text[text.rfind("\n", 0, upto) + 1 : upto]:
                # A comment in a last line without its end would hide what follows the command that inputs the file.
                self.pieces.append(_Piece(self.length, "", 0))
                self.parts.append("\n")
                self.length += 1

    def named(self, names: list[str], ending: str, folders: tuple[str, ...]) -> list[str]:
        """Those of the files with these names that the source has, looked for in the folders in turn."""
        found = []
        for name in names:
            paths = [posixpath.normpath(posixpath.join(folder, name.strip())) for folder in folders]
            candidates = [path + extra for path in paths for extra in (ending, "")]
            found += [path for path in candidates if path in self.files][:1]
        return found

    def references(self) -> str:
        """The file that BibTeX made: that of the main file, or the only one."""
        made = [name for name in self.files if name.endswith(".bbl")]
        own = posixpath.splitext(self.main)[0] + ".bbl"
        chosen = own if own in made else made[0] if len(made) == 1 else ""
        return chosen if chosen and "\\bibitem" in self.files[chosen] else ""

    def load(self, ending: str, found: re.Match[str] | None) -> None:
        """Takes the packages that come with the source, after those that they load themselves."""
        for name in found[1].split(",") if found else []:
            if posixpath.basename(name.strip()) in _KNOWN:
                continue
            for path in self.named([name], ending, (self.folder, "")):
                if path in self.loaded or not path.endswith(ending):
                    continue
                self.loaded.add(path)
                inner = _Joined(self.files, path)
                inner.loaded = self.loaded
                inner.add(path, ())
                self.packages += [*inner.packages, "".join(inner.parts)]
