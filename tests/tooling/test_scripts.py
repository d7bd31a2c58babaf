"""The scripts behind the Makefile run before anything is installed."""

import ast
import sys
from pathlib import Path

import pytest

from tools import console

TOOLS = Path(console.__file__).parent
INSIDE_THE_ENVIRONMENT = {"prepare.py"}


@pytest.mark.parametrize("path", sorted(TOOLS.glob("*.py")), ids=lambda path: path.name)
def test_a_script_imports_the_standard_library_only(path: Path) -> None:
    allowed = set(sys.stdlib_module_names) | {"tools"}
    if path.name in INSIDE_THE_ENVIRONMENT:
        allowed |= {"django", "search", "solving"}
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    assert names <= allowed


def test_a_refusal_is_one_line_and_exit_1(capsys: pytest.CaptureFixture[str]) -> None:
    def main() -> int:
        raise console.Refused("Type: apt-get install chromium")

    with pytest.raises(SystemExit) as left:
        console.run_main(main)
    assert left.value.code == 1
    assert capsys.readouterr().err == "Type: apt-get install chromium\n"
