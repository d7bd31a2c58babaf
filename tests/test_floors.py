"""Imports point down (docs/architecture.md)."""

from pathlib import Path

import pytest

from tests.floors import FLOORS, modules, violations

ROOT = Path(__file__).resolve().parents[1]


def test_no_module_of_the_house_imports_upwards_or_sideways() -> None:
    broken = [
        f"{path.relative_to(ROOT)} {violation}"
        for package, path in modules(ROOT)
        for violation in violations(package, path.read_text(encoding="utf-8"))
    ]
    assert broken == []


def test_every_floor_has_modules_to_look_at() -> None:
    assert {package for package, _ in modules(ROOT)} == set(FLOORS)


@pytest.mark.parametrize(
    ("package", "source", "violation"),
    [
        (
            "benchmark",
            "from annotation.models import Grade",
            "benchmark imports annotation, which is on a higher floor",
        ),
        ("annotation", "import judging.models", "annotation imports judging, its neighbour"),
        ("judging", "from annotation import queries", "judging imports annotation, its neighbour"),
        ("accounts", "from benchmark.models import Release", "accounts imports benchmark, its neighbour"),
        ("stats", "import latex", "stats imports latex, its neighbour"),
        ("stats", "from django.db import models", "stats is on the ground floor and imports django"),
        ("llm", "import celery.app", "llm is on the ground floor and imports celery"),
        (
            "reports",
            "from config.settings import SECRET_KEY",
            "reports imports config, which is on a higher floor",
        ),
        ("latex", "from tests.factories import UserFactory", "latex imports tests"),
        ("annotation", "import_module('judging.tasks')", "annotation imports judging, its neighbour"),
        (
            "annotation",
            "importlib.import_module('judging.tasks')",
            "annotation imports judging, its neighbour",
        ),
    ],
)
def test_a_planted_violation_is_found(package: str, source: str, violation: str) -> None:
    assert violations(package, source) == [f"line 1: {violation}"]


def test_an_import_inside_a_function_counts_too() -> None:
    source = "def late():\n    from reports.models import Artifact\n    return Artifact\n"
    assert violations("judging", source) == ["line 2: judging imports reports, which is on a higher floor"]


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("config", "from reports import views"),
        ("reports", "from annotation.models import Grade\nfrom judging.models import Verdict"),
        ("benchmark", "from accounts.actions import record"),
        ("annotation", "from annotation.core.phases import Phase\nfrom . import queries"),
        ("stats", "import numpy as np\nfrom stats.core.estimate import Estimate"),
    ],
)
def test_an_import_downwards_is_allowed(package: str, source: str) -> None:
    assert violations(package, source) == []
