"""docs/commands.md lists exactly the commands that the project has."""

import re
from pathlib import Path

from django.core.management import get_commands, load_command_class

from tests.floors import FLOORS

ROOT = Path(__file__).parents[2]
TEXTS = [
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "templates").rglob("*.html"),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
]


def own_commands() -> dict[str, str]:
    return {name: app for name, app in get_commands().items() if app in FLOORS}


def test_the_table_of_commands_has_every_command_once_with_a_line() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", (ROOT / "docs" / "commands.md").read_text("utf-8"), re.M)
    assert sorted(name for name, _ in rows) == sorted(own_commands())
    assert all(words.strip() for _, words in rows)


def test_every_command_says_what_it_does() -> None:
    for name, app in own_commands().items():
        assert load_command_class(app, name).help.strip(), name


def test_texts_for_readers_name_only_commands_that_exist() -> None:
    called = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in TEXTS
        for name in re.findall(r"manage\.py ([a-z_]+)", path.read_text("utf-8"))
    }
    assert len(called) > 40
    assert {(path, name) for path, name in called if name not in {*get_commands(), "help"}} == set()
