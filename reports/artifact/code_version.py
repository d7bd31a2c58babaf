"""Which code computed a score: the source files it consists of, by hash, and the libraries beneath them.

Works in a copy without git. A module counts when it is reached by imports from the score or the protocol and
imports no Django: modules that do only read rows, and what they read is in the artifact itself.
"""

import ast
import hashlib
import platform
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FROM = ("reports.scores.document", "reports.comparison.choices", "reports.core.canonical")


@cache
def code_version(protocol: str) -> Mapping[str, str | Mapping[str, str]]:
    """Version of this package and of Python, source files with their SHA-256, libraries with their version."""
    files: set[Path] = set()
    outside: set[str] = set()  # top-level names of what the files import from elsewhere
    waiting = [*_FROM, f"benchmark.protocols.{protocol}"]
    seen = set(waiting)
    while waiting:
        place = ROOT.joinpath(*waiting.pop().split("."))
        sources = (file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file())
        path = next(sources, None)  # None for what is not ours or is a name inside a module
        # an app's package `models` imports Django only through its modules, but is rows like them
        if path is None or path.parent.name == "models":
            continue
        imported = _imported(path)
        if any(name.split(".")[0] == "django" for name in imported):
            continue
        files.add(path)
        for name in imported - seen:
            seen.add(name)
            waiting.append(name)
            if not (ROOT / name.split(".")[0]).is_dir():
                outside.add(name.split(".")[0])
    libraries = {
        name
        for library in outside - set(sys.stdlib_module_names)
        for name in _distributions().get(library, [])
    }
    return {
        "touchstone": tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"],
        "python": ".".join(platform.python_version_tuple()[:2]),
        "code": {
            path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(files)
        },
        "libraries": {name: version(name) for name in sorted(libraries)},
    }


@cache
def _imported(path: Path) -> set[str]:
    """The names that a module imports."""
    imported = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            # `from a import b` may mean the module a.b, so both
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return imported


_distributions = cache(
    packages_distributions
)  # it reads the list of files of every package that is installed
