"""Which file of a source is the paper."""

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

BEGIN = ""  # among the files that are read: here the document begins
MAX_DOCUMENTS = 20  # more than these are not compared, because each is read with all that it inputs


@dataclass(frozen=True)
class Scores:
    """What speaks for a file and against it, in points; the first four are those of Theorem Search's public code."""

    part: int = 1  # each of: title, abstract, sections, bibliography
    other_class: int = -5  # slides, letters, single pictures; replies to referees
    todo: int = -3  # theirs: 8, which one forgotten remark in a paper would cost it
    draft_name: int = -3
    bibliography_made: int = 2  # a .bbl of its name, which the archive of preprints asks for
    short: int = -3  # with all that it inputs, less than half as long as the longest
    margin: int = 1  # the best must be ahead by so much


SCORES = Scores()


@dataclass(frozen=True)
class Main:
    """The main file, and what decided: readme, only, score, or alike: the best input the same files."""

    path: str
    evidence: str
    scores: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Review:
    """No file was chosen: `code` and `sentence` say why; a person may choose among the candidates."""

    code: str
    sentence: str
    candidates: dict[str, int] = field(default_factory=dict)


_COMMENT = re.compile(r"(\\.)|%[^\n]*", re.DOTALL)
_FI = re.compile(r"\\fi(?![A-Za-z])")
_CLASS = re.compile(r"\\document(?:class|style)\s{0,9}(?:\[[^\[\]]{0,1000}\])?\s{0,9}\{([^{}]{0,200})\}")
_INPUT = re.compile(
    r"\\(?:input|include|subfile|subfileinclude|InputIfFileExists)(?![A-Za-z])\s{0,9}"
    r"(?:\{([^{}]{1,400})\}|([^\s{}\\]{1,400}))"
    r"|\\(?:sub)?(?:import|inputfrom|includefrom)\*?\s{0,9}\{([^{}]{0,400})\}\s{0,9}\{([^{}]{1,400})\}"
    r"|\\begin\{document\}"
)
_PARTS = (
    r"\\title\b|\\maketitle",
    r"\\begin\{abstract\}|\\abstract\b",
    r"\\section\b",
    r"\\bibliography\b|\\begin\{thebib",
)
_OTHER_CLASS = re.compile(r"beamer|slides|letter|standalone|poster|prosper|seminar")
_REPLY = re.compile(
    r"\b(?:dear (?:editor|referee)|(?:reply|response)s? to (?:the )?(?:referee|reviewer)|we thank the referees? for)",
    re.I,
)
_DRAFT_NAME = re.compile(
    r"(?:^|[^a-z])(?:draft|notes?|slides?|talk|old|backup|bak|copy|reply|response|referee|reviewer|rebuttal|cover"
    r"|letter|supp|supplement|supplementary|poster|figures?|diff|test|template|sample|example)(?:[^a-z]|$)"
)
_PLAIN = re.compile(
    r"\\input\s{0,9}\{?(?:amsppt|amstex|harvmac|eplain|amssym)|\\bye(?![A-Za-z])|\\magnification"
)


def main_file(files: Mapping[str, str]) -> Main | Review:
    """The main file of a source: what its 00README names, else the only document, else the one with the most points.

    Points are for a document with all that it inputs. A tie is decided only between documents that are made of the same
    files, such as one to be printed and one for the web. Documents that another file inputs are parts of that one.
    """
    chosen, ignored = _readme(files)
    if len(chosen) > 1:
        return Review("several_toplevel", "The source names several main files.", dict.fromkeys(chosen, 0))
    if chosen and chosen[0] not in files:
        return Review(
            "toplevel_missing", f"The source names {chosen[0][:200]!r} as its main file and does not have it."
        )
    live = {
        path: _live(text)
        for path, text in files.items()
        if path not in ignored and not path.lower().endswith((".sty", ".cls", ".bbl", ".bib"))
        and not posixpath.basename(path).startswith("00README")
    }  # fmt: skip
    inputs = {path: _inputs(path, text, live) for path, text in live.items()}
    # A document alone in a circle of inputs would be nobody's main file, so such a circle does not count.
    parts = {
        inner
        for path, found in inputs.items()
        for inner in found
        if inner and inner != path and path not in inputs[inner]
    }
    classes = {path for path, text in live.items() if _CLASS.search(text)}
    readers: dict[str, list[str]] = {}
    for path, found in inputs.items():
        for inner in found:
            readers.setdefault(inner, []).append(path)
    with_class = set(_reached(classes, readers))
    standing = [path for path in live if path in with_class and path not in parts]
    if len(standing) > MAX_DOCUMENTS:
        return Review(
            "too_many_documents",
            f"The source has {len(standing)} documents; at most {MAX_DOCUMENTS} are compared.",
            dict.fromkeys(standing, 0),
        )
    read = {path: _reached([path], inputs) for path in standing}
    read = {path: order for path, order in read.items() if BEGIN in order}
    texts = {path: "\n".join(live[name] for name in order if name) for path, order in read.items()}
    longest = max(map(len, texts.values()), default=0)
    points = {}
    for path, text in texts.items():
        named = _CLASS.search(text)
        if named and named[1].strip() not in ("subfiles", "amsppt"):
            points[path] = _points(path, text, named[1], files)
            points[path] += SCORES.short if 2 * len(text) < longest else 0
    if chosen and chosen[0] in points:
        return Main(chosen[0], "readme")
    if not points:
        if any(
            _PLAIN.search(text) or (_CLASS.search(text) or ("", ""))[1] == "amsppt" for text in live.values()
        ):
            return Review("plain_tex", "The source is plain TeX or AmS-TeX, which is not read.")
        return Review("no_main_file", "No file of the source is a LaTeX document.")
    if len(points) == 1:
        return Main(next(iter(points)), "only", points)
    ranked = sorted(points, key=lambda path: (-points[path], len(path), path))
    best = [path for path in ranked if points[ranked[0]] - points[path] < SCORES.margin]
    if len(best) == 1:
        return Main(best[0], "score", points)
    made_of = {frozenset(read[path][read[path].index(BEGIN) + 1 :]) - {path} for path in best}
    if len(made_of) == 1 and next(iter(made_of)):
        return Main(best[0], "alike", points)
    return Review("tie", "Several files may be the paper.", points)


def _reached(first: Iterable[str], inputs: Mapping[str, Iterable[str]]) -> list[str]:
    """These files with all that they input, each once, in the order in which TeX reads them."""
    order: dict[str, None] = {}
    waiting = list(first)
    while waiting:
        name = waiting.pop()
        if name not in order:
            order[name] = None
            waiting += reversed([inner for inner in inputs.get(name, ()) if inner not in order])
    return list(order)


def _readme(files: Mapping[str, str]) -> tuple[list[str], set[str]]:
    """(the main files that a 00README names, the files that it says to ignore)."""
    chosen, ignored = [], set()
    for path, text in files.items():
        if not path.startswith("00README"):
            continue
        pairs: list[tuple[str, str]] = []
        if path.endswith(".json"):
            try:
                told = json.loads(text)
                pairs = [(str(row["filename"]), str(row.get("usage"))) for row in told["sources"]]
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
        else:
            words = [line.split() for line in text.splitlines()]
            pairs = [(word[0], word[1].lower()) for word in words if len(word) >= 2]
        for name, use in pairs:
            if use in ("toplevelfile", "toplevel"):
                chosen.append(posixpath.normpath(name))
            elif use == "ignore":
                ignored.add(posixpath.normpath(name))
    return list(dict.fromkeys(chosen)), ignored


def _live(text: str) -> str:
    """The text without comments, without what \\iffalse hides, and up to its end."""
    text = _COMMENT.sub(lambda found: found[1] or "", text)
    kept, at = [], 0
    while (hidden := text.find("\\iffalse", at)) >= 0 and (end := _FI.search(text, hidden)):
        kept.append(text[at:hidden])
        at = end.end()
    text = "".join(kept) + text[at:]
    return text.partition("\\end{document}")[0].partition("\\endinput")[0]


def _inputs(path: str, text: str, files: Mapping[str, str]) -> dict[str, None]:
    """What a file inputs, in order, and BEGIN where it begins the document."""
    order: dict[str, None] = {}
    for found in _INPUT.finditer(text):
        name = found[1] or found[2] or posixpath.join(found[3] or "", found[4] or "")
        if not name:
            order[BEGIN] = None
        for folder in ("", posixpath.dirname(path)) if name else ():
            place = posixpath.normpath(posixpath.join(folder, name.strip().strip('"')))
            order |= {known: None for known in (place, place + ".tex") if known in files}
    return order


def _points(path: str, text: str, named: str, files: Mapping[str, str]) -> int:
    points = SCORES.part * sum(re.search(part, text) is not None for part in _PARTS)
    if _OTHER_CLASS.search(named) or _REPLY.search(text[:20_000]):
        points += SCORES.other_class
    if re.search(r"\\todo(?![A-Za-z])\s{0,9}[\[{]|\\begin\{todo", text):
        points += SCORES.todo
    stem = posixpath.splitext(path)[0]
    if _DRAFT_NAME.search(stem.lower()):
        points += SCORES.draft_name
    return points + (SCORES.bibliography_made if stem + ".bbl" in files else 0)
