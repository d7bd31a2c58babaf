"""docs/trust.md says which test holds which promise; what it names must exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = (HERE.parent / "docs" / "trust.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]\d+) \| (.*) \| (.*) \|$", re.MULTILINE)
NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
PROMISED = [
    *(f"P{number}" for number in range(1, 17)),
    *(f"B{number}" for number in (*range(1, 19), 21, 22, 23, 24)),  # B19 and B20 cannot be hidden
    *(f"L{number}" for number in range(1, 21)),
    *(f"T{number}" for number in range(1, 16)),
    *(f"A{number}" for number in range(1, 9)),
]


@cache
def functions_in(name: str) -> frozenset[str]:
    """Names of the test functions of a file below tests/; empty if there is no such file."""
    path = HERE / name
    if not path.is_file():
        return frozenset()
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def test_every_promise_leak_fault_and_attack_has_its_row() -> None:
    assert [key for key, _, _ in ROW.findall(PAGE)] == PROMISED


@pytest.mark.parametrize(("key", "tests"), [(key, tests) for key, _, tests in ROW.findall(PAGE)])
def test_the_tests_of_a_row_exist(key: str, tests: str) -> None:
    named = NAMED.findall(tests)
    assert named, f"{key} names no test"
    assert [f"{file}::{test}" for file, test in named if test not in functions_in(file)] == []
