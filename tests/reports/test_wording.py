"""Figures say in words how they were made, and coefficients are told by the methods that know them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmark.rubrics import Rubric, question
from reports.core.cells import percent_cell
from reports.core.datasets import ExpertLabel
from reports.core.wording import DEFINITIONS, method_words, reason_sentence
from reports.scores.inputs import Inputs
from reports.scores.shape import METHODS
from stats.agreement.bundle import COEFFICIENTS
from stats.core.estimate import Reason
from stats.core.intervals import proportion
from tests.documents import agreement_document, score_document

FIRST = Path(__file__).parent / "data" / "first_artifacts"


def methods_of_intervals(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        yield from (document["method"],) if document.get("ci") else ()
        yield from (method for value in document.values() for method in methods_of_intervals(value))
    elif isinstance(document, list):
        yield from (method for value in document for method in methods_of_intervals(value))


def test_no_figure_of_the_samples_names_its_interval_by_a_code():
    found: set[str] = set()
    for path in sorted(FIRST.glob("*.json.gz")):
        inputs = Inputs.from_json(json.loads(gzip.decompress(path.read_bytes()))["inputs"])
        found |= set(methods_of_intervals(score_document(replace(inputs, methods=METHODS))))
    assert {"gwet_ac1, cluster jackknife", "icc_2_1, cluster jackknife"} <= found
    assert {method for method in found if method_words(method)[0] == method.replace("_", " ")} == set()
    assert {key for method in found if (key := method_words(method)[1])} <= DEFINITIONS.keys()


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("gwet_ac1, item jackknife", "items left out in turn"),
        ("icc_2_1, cluster jackknife", "problems or papers left out in turn"),
        ("icc_2_1", "from the F distribution"),
        ("spearman, cluster jackknife", "problems or papers left out in turn"),
        ("clopper_pearson_n_eff", "Clopper and Pearson on the effective number"),
        ("clopper_pearson", "Clopper and Pearson, exact"),
        ("davidson_newton, cluster jackknife", "Davidson’s model, problems or papers left out in turn"),
        ("fleiss_kappa bootstrap", "percentiles of resampled problems"),
    ],
)
def test_an_interval_is_named_by_how_it_was_made_and_not_by_its_coefficient(method, words):
    assert method_words(method)[0] == words


def test_counts_of_a_million_have_all_their_digits():
    assert percent_cell(proportion(1_234_567, 2_000_000)).counts == "1234567/2000000"


def test_a_coefficient_is_absent_from_what_was_frozen_before_it_was_known(monkeypatch):
    """And only there: every other figure of older methods stays."""
    rubric = Rubric("r", 1, "grade", "Sources", (question("ground", "Grounded?", "predicate"),))
    labels = [
        ExpertLabel(f"i{item}/aurora/1", "c", "ground", "", rater, value, "answered")
        for item, said in enumerate(("yy", "yn", "nn"))
        for rater, value in zip("ab", ({"y": "yes", "n": "no"}[one] for one in said), strict=True)
    ]
    before, now = (
        agreement_document(rubric, labels, {}, seed=1, methods=methods)["ground"]["coefficients"]
        for methods in (METHODS - 1, METHODS)
    )
    newest = {name for name, one in COEFFICIENTS.items() if one.since == METHODS}
    assert now.keys() - before.keys() == newest, (
        "a new coefficient has the new number of METHODS as its `since`"
    )
    monkeypatch.setitem(COEFFICIENTS, "gwet_ac1", replace(COEFFICIENTS["gwet_ac1"], since=METHODS))
    assert agreement_document(rubric, labels, {}, seed=1)["ground"]["coefficients"] == now
    frozen = agreement_document(rubric, labels, {}, seed=1, methods=METHODS - 1)["ground"]["coefficients"]
    assert before.keys() - frozen.keys() == {"gwet_ac1"}


def test_a_strength_without_an_interval_is_not_called_infinite():
    assert "No interval" in reason_sentence(Reason.SEPARATION, valued=True)
    assert "strengths are infinite" in reason_sentence(Reason.SEPARATION)
