"""Books and papers that others wrote, against counts by an independent scan: nothing they state is lost."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from latex import Document, render, render_checked
from tests.latex.real_data import DATA, papers

CONSTRUCTION = DATA / "construction"
pytestmark = pytest.mark.real_data
SOURCES = CONSTRUCTION / "sources"
_INPUT = re.compile(r"\\\\|%[^\n]*|\\(?:input|include|subfile)\s*\{(?P<name>[^{}]+)\}")
# What a formula may be shown as its source for: pictures, which no engine of formulas draws.
PICTURE = re.compile(r"diagram|tikz|shown as source|picture", re.IGNORECASE)


def flattened(path: Path, root: Path) -> str:
    """The text of a file with the files that it reads in their places."""

    def text_of(found: re.Match[str]) -> str:
        name = (found["name"] or "").strip()
        for place in (root / name, root / f"{name}.tex"):
            if name and place.is_file():
                return flattened(place, root)
        return found[0]

    return _INPUT.sub(text_of, path.read_text(encoding="utf-8", errors="replace"))


@cache
def scanned(name: str) -> dict[str, Counter[str]]:
    """How many statements and proofs each document has, by the scan."""
    found: dict[str, Counter[str]] = {}
    for line in (CONSTRUCTION / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["doc"], Counter())[row["type"]] += 1
    return found


def shown(document: Document) -> Counter[str]:
    html = document.html
    return Counter(statement=html.count('<div class="thm '), proof=html.count('class="proof-head"'))


@pytest.mark.slow
def test_of_the_book_no_statement_proof_or_formula_is_lost() -> None:
    document = render(flattened(SOURCES / "book" / "main.tex", SOURCES / "book"), "latex")
    # 661 statements as the scan counts them, and 86 remarks and examples, which it does not.
    expected = sum(scanned("hott").values(), Counter[str]())
    assert expected == {"statement": 661, "proof": 349}
    assert shown(document) == {"statement": 661 + 86, "proof": 349}
    assert document.report.formulas > 18_000
    # One display is shown as source: its products lie in one another, each written four times by \\mathchoice.
    (long,) = [failure for failure in document.report.failures if not PICTURE.search(failure.reason)]
    assert long.reason == "the formula is longer than 20000 characters"


@pytest.mark.parametrize(
    ("name", "folder"), [("roetz22", "PaperStrong22"), ("benning-crit", "critical-points-gaussian-rf")]
)
def test_of_a_paper_in_several_files_nothing_is_lost(name: str, folder: str) -> None:
    document = render(flattened(SOURCES / folder / "ms.tex", SOURCES / folder), "latex")
    (expected,) = scanned(f"paper-{name}").values()
    assert shown(document) >= expected
    assert {f.reason for f in document.report.failures if not PICTURE.search(f.reason)} == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "folder"), [("pfr", SOURCES / "pfr"), ("flt", SOURCES / "FLT"), ("openlogic", DATA)]
)
def test_of_no_chapter_a_statement_or_proof_is_lost(name: str, folder: Path) -> None:
    lost = {}
    for scanned_path, expected in scanned(name).items():
        path = scanned_path.replace("openlogic/", "openlogic/content/")
        text = (folder / path).read_text(encoding="utf-8", errors="replace")
        if not (found := shown(render(text, "latex"))) >= expected:
            lost[path] = (dict(expected), dict(found))
    assert lost == {}


def test_of_the_solutions_every_formula_is_shown_or_named() -> None:
    for name, text in papers().items():
        document = render(text, "latex")
        begun = len(
            re.findall(r"\\begin\{(?:theorem|lemma|proposition|corollary|definition|remark|claim)\}", text)
        )
        assert shown(document)["statement"] >= begun, name
        assert shown(document)["proof"] == text.count("\\begin{proof}"), name
        assert document.report.formulas == len(document.formulas) + len(document.report.failures)


@pytest.mark.slow
def test_a_worker_loses_nothing_of_the_book_either() -> None:
    """It takes 5 s of processor time where nothing else runs; a worker allows 9."""
    text = flattened(SOURCES / "book" / "main.tex", SOURCES / "book")
    document = render_checked(text, "latex", seconds=60)
    assert shown(document) == {"statement": 661 + 86, "proof": 349}
