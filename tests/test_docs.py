"""What the documents name exists: files, links, commands, programs, names in the code, rooms."""

import importlib
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import get_commands

from tools import rooms

pytestmark = pytest.mark.no_database
ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PACKAGES = tuple(sorted(path.parent.name for path in ROOT.glob("*/__init__.py")))
FOLDERS = (*PACKAGES, "deploy", "docs", "sample", "static", "templates")
ENDINGS = (
    "py",
    "md",
    "toml",
    "js",
    "css",
    "html",
    "tex",
    "tsv",
    "csv",
    "json",
    "jsonl",
    "conf",
    "ini",
    "yaml",
)
# a file with its ending or a folder with its slash; words in capitals (NAME, ID) are left for the reader to fill in
PATH = re.compile(rf"(?<![\w/.-])(?:[\w.-]+/)+(?:[\w.-]+\.(?:{'|'.join(ENDINGS)})\b)?")
PLACEHOLDER = re.compile(r"(?:^|/)[A-Z]+\b|\.vN\.")
COMMAND = re.compile(r"manage\.py +([a-z]\w*)")
TARGET = re.compile(r"(?:^|`|\$ )make ([a-z][a-z-]*)", re.MULTILINE)
MODULE = re.compile(r"python3? -m ([a-z][\w.]*)")
NAME = re.compile(rf"`((?:{'|'.join(PACKAGES)})(?:\.\w+)+)(?:\([^`]*\))?`")
FOREIGN_MODULES = {"venv", "pip"}
LABEL = re.compile(r"(?<![\w*`])\*([A-Z][^*\n]{2,60})\*(?![\w*])")
NO_LABELS = {"Kuo condensation"}  # words of others that a document quotes in italics


def missing_paths(text: str, folder: Path) -> list[str]:
    """Files and folders that a text names and that are neither below the project, its tests nor `folder`."""
    named = {match[0] for match in PATH.finditer(_without_addresses(text))}
    return sorted(name for name in named if _is_ours(name) and not _is_there(name, folder))


def missing_links(text: str, folder: Path) -> list[str]:
    """Targets of relative links that do not exist."""
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    return sorted(target for target in targets if "://" not in target and not (folder / target).exists())


def missing_commands(text: str) -> list[str]:
    """Words after `manage.py` that are not commands of any app."""
    return sorted(set(COMMAND.findall(text)) - {*get_commands(), "help"})


def missing_programs(text: str) -> list[str]:
    """Targets of make, and modules behind `python -m`, that do not exist."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [f"make {name}" for name in TARGET.findall(text) if f"\n{name}:" not in makefile]
    modules = [name.rstrip(".") for name in MODULE.findall(text) if name.rstrip(".") not in FOREIGN_MODULES]
    return sorted([*targets, *(name for name in modules if importlib.util.find_spec(name) is None)])


def missing_names(text: str) -> list[str]:
    """Dotted names in code spans, such as `benchmark.protocol.Protocol`, that nothing in the code has."""
    named = {name for name in NAME.findall(text) if name.split(".")[-1] not in ENDINGS}
    return sorted(name for name in named if not _is_defined(name))


def missing_labels(text: str) -> list[str]:
    """Words in italics that begin with a capital, as documents quote the interface, and that no page has."""
    fenced = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    named = {part for words in LABEL.findall(fenced) for part in words.split(" → ")}
    return sorted(words for words in named - NO_LABELS if _folded(words) not in _interface())


@cache
def _interface() -> str:
    """Everything that can be written on a page: templates, scripts, definitions, and the code of forms and messages."""
    places = [(ROOT / "templates", "*.html"), (ROOT / "static" / "js", "*.js")]
    code = [package for package in PACKAGES if package not in ("bench", "tests", "tools")]
    places += [(ROOT / package, ending) for package in code for ending in ("*.py", "*.toml")]
    return _folded(
        " ".join(path.read_text("utf-8") for folder, name in places for path in folder.rglob(name))
    )


def _folded(words: str) -> str:
    return " ".join(words.replace("’", "'").lower().split())


def _without_addresses(text: str) -> str:
    return re.sub(r"https?://\S+|\]\([^)]*\)|^ +Index .*$", " ", text, flags=re.MULTILINE)


def _is_ours(name: str) -> bool:
    first, last = name.split("/")[0], name.rstrip("/").split("/")[-1]
    return first in FOLDERS and not PLACEHOLDER.search(name) and (name.endswith("/") or "." in last)


def _is_there(name: str, folder: Path) -> bool:
    sixth = name.replace("benchmark/protocols/closed_forms", "tests/sixth_protocol/closed_forms")
    return any((place / sixth).exists() for place in (ROOT, ROOT / "tests", folder))


def _is_defined(name: str) -> bool:
    """Whether a module, something in a module, or a model with its app (`annotation.Answer`) is called so."""
    parts = name.split(".")
    if len(parts) == 2 and parts[1].lower() in apps.all_models.get(parts[0], {}):
        return True
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        try:
            found: object = importlib.import_module(module)
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part, None)
        return found is not None
    return False


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_document_names_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert missing_paths(text, path.parent) == []
    assert missing_links(text, path.parent) == []
    assert missing_commands(text) == []
    assert missing_programs(text) == []
    assert missing_names(text) == []
    if (
        path.parent == ROOT / "docs" or path.name == "README.md"
    ):  # decisions and changes speak of earlier pages
        assert missing_labels(text) == []


def test_each_prompt_has_a_row() -> None:
    page = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ")]
    for path in sorted(ROOT.glob("benchmark/protocols/*/prompts/*.md")):
        protocol = path.parent.parent.name
        named = any(row.split()[0] == protocol and f"`{path.stem}`" in row for row in rows)
        assert named, f"docs/prompts.md has no row for {path.stem} of {protocol}"


def test_what_does_not_exist_is_named() -> None:
    text = (
        "See `stats/core/nothing.py`, tests/nowhere/ and [that](nothing.md). `manage.py fly R` and `make dinner`, "
        "or python -m bench.nothing. `benchmark.protocol.Nothing` and `annotation.Nobody` decide. "
        "Press *Studies → Fly away*."
    )
    assert missing_labels(text) == ["Fly away"]
    assert missing_paths(text, ROOT / "docs") == ["stats/core/nothing.py", "tests/nowhere/"]
    assert missing_links(text, ROOT / "docs") == ["nothing.md"]
    assert missing_commands(text) == ["fly"]
    assert missing_programs(text) == ["bench.nothing", "make dinner"]
    assert missing_names(text) == ["annotation.Nobody", "benchmark.protocol.Nothing"]


def test_what_exists_and_what_a_reader_fills_in_are_left_alone() -> None:
    text = (
        "`stats/core/scale.py`, tests/stats/, `annotation/test_pages.py` below the tests, "
        "`benchmark/protocols/PROTOCOL/published.toml` and `reports/ID/file/`, [here](latex.md#top), "
        "[there](https://example.org/x.md). `manage.py score`, `make demo`, python -m tools.english. "
        "`benchmark.protocol.Protocol`, `annotation.Answer`, `latex.render(text)`."
    )
    assert missing_paths(text, ROOT / "docs") == []
    assert missing_links(text, ROOT / "docs") == []
    assert missing_commands(text) == missing_programs(text) == missing_names(text) == []


def test_the_rooms_in_the_document_are_those_of_the_docstrings() -> None:
    text = rooms.DOCUMENT.read_text(encoding="utf-8")
    assert rooms.with_rooms(text) == text, "python -m tools.rooms writes them"


def test_a_document_without_a_place_for_the_rooms_is_refused() -> None:
    with pytest.raises(ValueError, match="one place for the rooms, it has 0"):
        rooms.with_rooms("# Architecture\n")
