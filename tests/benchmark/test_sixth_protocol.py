"""A sixth protocol is one folder: it is copied into a copy of the project and used through its real commands."""

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.protocols import protocol_names
from tests.deployment import SQLITE, migrated_once

ROOT = Path(__file__).resolve().parents[2]
SIXTH = ROOT / "tests" / "sixth_protocol"
PLACE = "benchmark/protocols/closed_forms"
NEEDED = (
    "accounts", "algebra", "annotation", "benchmark", "canonical", "config", "construction", "judging", "latex", "llm",
    "reports", "retrieval", "search", "solvers", "solving", "stats", "static", "templates", "tests", "tools", "work",
    "manage.py", "pyproject.toml", "sample",
)  # fmt: skip


class Copy:
    """A copy of the project's files under git, with a database of its own."""

    def __init__(self, folder: Path) -> None:
        self.root, self.runtime = folder / "project", folder / "runtime"
        for name in NEEDED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            self.root.mkdir(exist_ok=True)
            copy(ROOT / name, self.root / name)  # what Python has compiled of them, too
        self.git("init", "--quiet")
        (self.root / ".git" / "info" / "exclude").write_text("__pycache__/\n", encoding="ascii")
        self.git("add", "--all")
        self.git("-c", "user.name=t", "-c", "user.email=t@test", "commit", "--quiet", "-m", "five")

    def git(self, *words: str) -> str:
        return self._run(["git", *words])

    def manage(self, *words: str) -> str:
        return self._run([sys.executable, "manage.py", *words])

    def contract(self) -> str:
        chosen = ["tests/benchmark/test_protocols.py", "-k", "closed_forms", "-q", "-p", "no:cacheprovider"]
        return self._run([sys.executable, "-m", "pytest", *chosen])

    def _run(self, command: list[str]) -> str:
        environment = {
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "TOUCHSTONE_DEMO": "1",
            "TOUCHSTONE_RUNTIME_DIR": str(self.runtime),
        }
        done = subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    made = Copy(tmp_path_factory.mktemp("sixth"))
    shutil.copytree(SIXTH / "closed_forms", made.root / PLACE, ignore=shutil.ignore_patterns("__pycache__"))
    return made


@pytest.mark.slow
def test_it_is_imported_graded_and_scored_by_the_commands_of_all(copy):
    file = str(SIXTH / "release.jsonl")
    copy.runtime.mkdir()
    shutil.copyfile(migrated_once("").folder / SQLITE, copy.runtime / SQLITE)
    copy.manage("migrate", "--verbosity", "0")
    copy.manage("import_release", "closed_forms", file, "--release", "sums")
    copy.manage("import_outputs", str(SIXTH / "outputs.jsonl"), "--release", "sums", "--system", "aurora")
    copy.manage("import_labels", str(SIXTH / "labels.csv"), "--release", "sums")
    found = json.loads(copy.manage("score", "--release", "sums", "--json"))
    accuracy = found["judge"]["systems"]["aurora"]["metrics"]["accuracy"]["estimate"]
    assert (accuracy["k"], accuracy["n"]) == (2, 2)
    (round_,) = found["experts"]
    graded = round_["questions"]["equal"]["systems"]["aurora"]["majority"]["estimate"]
    assert (graded["k"], graded["n"]) == (1, 2)
    brevity = found["measured"]["systems"]["aurora"]["brevity"]
    # "$(n^2+n)/2$" has 11 letters, "$n^2+1$" has 7, the third sum has no answer
    assert brevity["estimate"]["value"] == pytest.approx((1 / 2.1 + 1 / 1.7 + 0) / 3)
    assert (brevity["estimate"]["n"], brevity["missing"]) == (3, 1)


@pytest.mark.slow
def test_it_fulfils_the_contract_of_all(copy):
    assert "." * 10 in copy.contract()


def test_adding_it_touches_one_new_folder_as_the_recipe_shows(copy):
    touched = {line[3:] for line in copy.git("status", "--porcelain").splitlines()}
    assert touched == {f"{PLACE}/"}
    copy.git("add", "--all")
    shown = copy.git("diff", "--cached", "--stat=100").strip()
    assert _lines(shown) <= _lines((ROOT / "docs" / "adding-a-protocol.md").read_text("utf-8")), shown


def _lines(text: str) -> set[str]:
    return {" ".join(line.split()) for line in text.splitlines()}


PACKAGES = (
    "accounts",
    "algebra",
    "annotation",
    "benchmark",
    "config",
    "construction",
    "judging",
    "latex",
    "llm",
    "reports",
    "retrieval",
    "search",
    "solvers",
    "solving",
    "stats",
    "work",
)


def modules() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not {"protocols", "recipes", "migrations"} & set(path.parts):
                yield path


def compared_names(source: str, names: set[str]) -> list[int]:
    """Lines of Python on which the name of a protocol is compared with, matched, or looked up in a table."""
    found = []
    for node in ast.walk(ast.parse(source)):
        places: list[ast.AST] = []
        if isinstance(node, ast.Compare):
            places = [node.left, *node.comparators]
        elif isinstance(node, ast.match_case):
            places = [node.pattern]
        elif isinstance(node, ast.Dict):
            keys = [key for key in node.keys if key is not None]
            named = sum(isinstance(key, ast.Constant) and key.value in names for key in keys)
            places = (
                keys if 2 * named >= len(keys) else []
            )  # else it is a record, one of whose fields is called so
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "startswith"
        ):
            places = list(node.args)
        words = [part for place in places for part in ast.walk(place) if isinstance(part, ast.Constant)]
        found += [part.lineno for part in words if part.value in names]
    return found


def test_no_code_outside_its_folder_asks_which_protocol_it_is():
    names = set(protocol_names())
    asked = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in modules()
        for line in compared_names(path.read_text("utf-8"), names)
    ]
    assert asked == []


@pytest.mark.parametrize(
    "source",
    [
        "if protocol == 'proofs': pass",
        "x = release.benchmark.protocol in ('proofs', 'lemmas')",
        "x = 'proofs' != name",
        "match name:\n    case 'lemmas': pass",
        "x = {'proofs': 1}[name]",
        "x = {'proofs': 1, None: 2}[name]",
        "x = name.startswith('proofs')",
    ],
)
def test_a_planted_question_is_found(source):
    assert compared_names(source, {"proofs", "lemmas"})


def test_no_template_or_script_asks_which_protocol_it_is():
    asked = re.compile(rf"[\"'`](?:{'|'.join(protocol_names())})[\"'`]")
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static" / "js").rglob("*.js")]
    assert files
    assert [str(path) for path in files if asked.search(path.read_text("utf-8"))] == []
