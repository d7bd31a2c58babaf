"""The house of docs/architecture.md as a table, and what an import must not do in it."""

import ast
from collections.abc import Iterator
from pathlib import Path

FLOORS = {
    "config": 4,
    "reports": 3,
    "annotation": 2,
    "judging": 2,
    "search": 2,
    "construction": 2,
    "solving": 2,
    "benchmark": 1,
    "work": 1,
    "accounts": 1,
    "algebra": 0,
    "canonical": 0,
    "stats": 0,
    "latex": 0,
    "llm": 0,
    "retrieval": 0,
    "solvers": 0,
}
DJANGO = {"django", "rest_framework", "drf_spectacular", "allauth", "csp", "celery", "kombu"}
# The audit trail, and how a verb refuses; the items that a reviewer holds, whose references a search must not find;
# the prompts of recipes and how texts are framed in them.
# Every other pair of neighbours stays apart.
ON_ONE_FLOOR = {
    ("benchmark", "accounts"), ("work", "accounts"), ("search", "annotation"), ("solvers", "llm"),
}  # fmt: skip


def violations(package: str, source: str) -> list[str]:
    """What the module's imports break: "line 3: annotation imports judging", and so on; empty when nothing."""
    found = []
    for line, target in _imports(ast.parse(source)):
        reason = _refusal(package, target)
        if reason:
            found.append(f"line {line}: {reason}")
    return found


def modules(root: Path) -> Iterator[tuple[str, Path]]:
    """(package, file) for every module of the house."""
    for package in FLOORS:
        for path in sorted((root / package).rglob("*.py")):
            yield package, path


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, top-level package) of every absolute import, those inside functions included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module.split(".")[0]
        elif isinstance(node, ast.Call) and (name := _imported_by_name(node)):
            yield node.lineno, name.split(".")[0]


def _imported_by_name(call: ast.Call) -> str | None:
    """The module of `import_module("...")` and its like when the name is written out."""
    function = call.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if called not in {"import_module", "__import__", "import_string"} or not call.args:
        return None
    argument = call.args[0]
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None


def _refusal(package: str, target: str) -> str | None:
    if target == "tests":
        return f"{package} imports tests"
    if FLOORS[package] == 0 and target in DJANGO:
        return f"{package} is on the ground floor and imports {target}"
    if target == package or target not in FLOORS:
        return None
    if FLOORS[target] > FLOORS[package]:
        return f"{package} imports {target}, which is on a higher floor"
    if FLOORS[target] == FLOORS[package] and (package, target) not in ON_ONE_FLOOR:
        return f"{package} imports {target}, its neighbour"
    return None
