"""`make test` reads pytest's summary, and counts as failure whatever is not a pass."""

import pytest

from tests.conftest import KNOW_NO_DATABASE, LONGEST
from tools.suite import Outcome, read_counts


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("....\n3 passed in 0.10s\n", {"passed": 3}),
        ("1 failed, 22 passed, 2 skipped in 4s (0:00:04)\n", {"failed": 1, "passed": 22, "skipped": 2}),
        ("prints 7 passed as text\n=== 2 passed, 1 error in 1.00s ===\n", {"passed": 2, "error": 1}),
        ("ImportError while loading conftest\n", {}),
        ("", {}),
    ],
)
def test_the_last_line_with_counts_is_the_summary(output: str, counts: dict[str, int]) -> None:
    assert read_counts(output) == counts


@pytest.mark.parametrize("word", ["failed", "error", "errors", "skipped", "xfailed", "xpassed"])
def test_a_run_with_anything_but_passes_is_not_good(word: str) -> None:
    assert not Outcome("run", 0, {"passed": 10, word: 1}).is_good


def test_a_run_without_a_single_pass_is_not_good() -> None:
    assert not Outcome("run", 0, {}).is_good


def test_a_run_whose_process_failed_is_not_good() -> None:
    assert not Outcome("run", 3, {"passed": 10}).is_good


def test_a_run_of_passes_is_good() -> None:
    assert Outcome("run", 0, {"passed": 10}).is_good


def test_every_file_that_the_suite_begins_with_or_runs_once_is_there() -> None:
    assert [path for path in (*KNOW_NO_DATABASE, *LONGEST) if not path.exists()] == []
