"""`.venv` is rebuilt when, and only when, something that decides its content has changed."""

from pathlib import Path

import pytest

from tools.environment import PINS, REQUIREMENTS, fingerprint


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in {PINS, *REQUIREMENTS["dev"]}:
        (tmp_path / name).write_text("Django==5.2.19\n")
    return tmp_path


def test_the_same_pins_have_the_same_fingerprint(root: Path) -> None:
    assert fingerprint("dev", root) == fingerprint("dev", root)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "constraints.txt"])
def test_a_changed_pin_changes_the_fingerprint(root: Path, name: str) -> None:
    before = fingerprint("dev", root)
    (root / name).write_text("Django==5.2.20\n")
    assert fingerprint("dev", root) != before


def test_packages_for_tests_do_not_matter_to_the_demo(root: Path) -> None:
    before = fingerprint("run", root)
    (root / "requirements-dev.txt").write_text("pytest==9.2.0\n")
    assert fingerprint("run", root) == before


def test_a_copied_folder_has_another_fingerprint(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    copy = tmp_path_factory.mktemp("copy")
    for file in root.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    assert fingerprint("run", copy) != fingerprint("run", root)


@pytest.mark.slow
def test_every_requirement_is_pinned_exactly_and_every_constraint_too() -> None:
    project = Path(__file__).resolve().parents[2]
    for name in {PINS, *REQUIREMENTS["dev"]}:
        for line in (project / name).read_text(encoding="utf-8").splitlines():
            assert not line.strip() or line.startswith(("#", "-r ")) or "==" in line, f"{name}: {line}"
