"""docs/trust.md says what is promised, tests/promises.toml which tests hold it; what is named must exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.promises import PROMISES

HERE = Path(__file__).parent
PAGE = (HERE.parent / "docs" / "trust.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]\d+) \| ", re.MULTILINE)
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
    assert ROW.findall(PAGE) == PROMISED
    assert list(PROMISES) == PROMISED


@pytest.mark.parametrize("row", PROMISED)
def test_the_tests_of_a_row_exist(row: str) -> None:
    assert PROMISES[row]
    assert [
        name for name in PROMISES[row] if name.split("::")[1] not in functions_in(name.split("::")[0])
    ] == []
