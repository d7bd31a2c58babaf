"""Words that docs, templates and docstrings avoid, each with what to write instead: python -m tools.english [PATH ...].

The list is a floor: a text without these words can still be hard to read. It grows when a reader stumbles.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "accounts", "algebra", "annotation", "bench", "benchmark", "canonical", "config", "judging", "latex", "llm", "work",
    "construction", "reports", "retrieval", "search", "solving", "stats", "tests", "tools",
)  # fmt: skip
# Not `solvers`: a recipe is known by the hash of its code, so a corrected docstring would be another recipe.
DEFINITIONS = ("reports", "core", "definitions.toml")  # the words at the foot of pages and reports
AVOID = {
    r"stands?(?! (?:for|out|alone)\b)|stood": "is, lies, is written",
    r"beside": "next to, besides, along with",
    r"mend(?:s|ed|ing)?": "fix, repair",
    r"anew": "again",
    r"small letters": "lowercase letters",
    r"whoever": "the person who, anyone who",
    r"of (?:ours|yours)": "our, your",
    r"t(?:ake|akes|aken|ook|aking) back": "withdraw, return, release",
    r"is said|are said": "name who says it",
    r"ways? out": "name the thing itself",
    r"whence|thereby|thereof|therein|hitherto|henceforth|hereby|whilst": "a plainer word",
    r"put right": "corrected",
}
_PATTERN = re.compile(
    r"(?<![\w-])(?:" + "|".join(f"(?P<w{n}>{word})" for n, word in enumerate(AVOID)) + r")(?![\w-])", re.I
)
_INSTEAD = list(AVOID.values())


def found(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, word, what to write instead) for every avoided word."""
    for match in _PATTERN.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[0], _INSTEAD[int((match.lastgroup or "w0")[1:])]


def prose(path: Path) -> str:
    """The prose of a file with everything else blanked, so that lines keep their numbers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return _blank(text, r"```.*?```|`[^`\n]*`|\]\([^)\n]*\)")
    if path.suffix == ".toml":
        return text
    if path.suffix == ".html":
        return _blank(
            text, r"{%(?!\s*(?:blocktrans|translate)).*?%}|{{.*?}}|{#.*?#}|<script.*?</script>|<[^>]*>"
        )
    lines = [""] * (text.count("\n") + 1)
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node) is not None
        ):
            statement = node.body[0]
            source = text.split("\n")[statement.lineno - 1 : statement.end_lineno]
            lines[statement.lineno - 1 : statement.end_lineno] = source
    return _blank("\n".join(lines), r"`[^`\n]*`")


def files() -> Iterator[Path]:
    """Every file whose prose is checked."""
    yield from sorted(ROOT.glob("*.md"))
    for folder in ("docs", "templates", *PACKAGES):
        yield from files_below(ROOT / folder)
    yield from filter(Path.is_file, [ROOT.joinpath(*DEFINITIONS)])


def files_below(path: Path) -> list[Path]:
    """The file itself, or the documents, templates and modules in a folder."""
    if path.is_file():
        return [path]
    found = (each for each in path.rglob("*") if each.suffix in (".md", ".html", ".py"))
    # A prompt is known by the hash of its file, so a corrected word would be another version of it.
    return sorted(each for each in found if each.parent.name != "prompts")


def _blank(text: str, pattern: str) -> str:
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S)


def main(paths: list[str]) -> int:
    """Print every avoided word in the files and folders, all when none is named; exit 1 if there is one."""
    count = 0
    named = [file for name in paths for file in files_below(Path(name).resolve())]
    for path in named if paths else files():
        for line, word, instead in found(prose(path)):
            print(f"{path.relative_to(ROOT)}:{line}: {word!r}; better: {instead}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
