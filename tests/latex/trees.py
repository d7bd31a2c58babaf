"""Trees of files in which a main file is to be found: visible sources next to files that could be mistaken for it."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.latex import sources
from tests.latex.real_data import DATA

_LETTER = "\\documentclass{letter}\\begin{document}Dear editor, we thank both referees.\\end{document}"
_SLIDES = "\\documentclass{beamer}\\title{Talk}\\begin{document}\\begin{frame}One.\\end{frame}\\end{document}"
_PICTURE = "\\documentclass{standalone}\\begin{document}$x$\\end{document}"
_NOTE = "\\documentclass{article}\\begin{document}A note.\\end{document}"
_SUBFILE = "\\documentclass[MAIN]{subfiles}\\begin{document}\\section{Part}Text.\\end{document}"
# What is put next to a source: path and text. MAIN is the name of its main file, TEXT what is in it.
_BESIDE: dict[str, dict[str, str]] = {
    "nothing else": {},
    "a reply to referees": {"reply.tex": _LETTER},
    "a reply written as an article": {"response_to_referees.tex": _NOTE},
    "slides": {"talk.tex": _SLIDES},
    "pictures that can be set alone": {"figures/one.tex": _PICTURE, "figures/two.tex": _PICTURE},
    "a subfile": {"parts/one.tex": _SUBFILE},
    "a draft of before": {"MAIN_old.tex": "TEXT"},
    "a commented copy": {"spare.tex": "%" + _NOTE},
    "a short note": {"note.tex": _NOTE},
    "a cover letter and slides": {"cover.tex": _LETTER, "slides.tex": _SLIDES},
    "a supplement": {"supplement.tex": _NOTE.replace("A note.", "\\section{More}" + "More words. " * 40)},
    "arXiv's list": {"zzz.tex": "TEXT", "00README.XXX": "MAIN.tex toplevelfile\nzzz.tex ignore\n"},
}


def trees() -> Iterator[tuple[dict[str, str], frozenset[str]]]:
    """Sixty trees with the files that are right; for print and for the web is the same book."""
    for name, (_, main, _) in sources.SOURCES.items():
        files = sources.files_of(name)
        stem = main.removesuffix(".tex")
        alike = {"hott-online.tex", "hott-ebook.tex", "print.tex", "web.tex"} | {
            path for path in files if path.startswith("hott-") and path.endswith(".tex")
        }
        right = frozenset({main} | (alike if main in alike else set()))
        for beside in _BESIDE.values():
            added = {
                path.replace("MAIN", stem): text.replace("MAIN", stem).replace("TEXT", files[main])
                for path, text in beside.items()
            }
            yield {**files, **added}, right


@cache
def open_logic() -> dict[str, str]:
    """The texts of Open Logic by the names of the ground truth."""
    folder = DATA / "openlogic" / "content"
    paths = sorted(folder.rglob("*.tex"))
    return {
        f"openlogic/{path.relative_to(folder).as_posix()}": path.read_bytes().decode("utf-8", "replace")
        for path in paths
    }


@cache
def open_logic_statements() -> dict[str, list[dict[str, Any]]]:
    """The statements of the ground truth by file."""
    found: dict[str, list[dict[str, Any]]] = {path: [] for path in open_logic()}
    for line in (sources.FOLDER / "openlogic.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["type"] == "statement":
            found[row["doc"]].append(row)
    return found
