"""Rules that make one label of several (STATISTICS.md 1.5, 2A table A, 3 iv)."""

import pytest

from stats.raters.aggregate import strict_majority, totals, unanimous

MARKS = ("correct", "inconclusive", "incorrect")

# 2A, table A: (correct, inconclusive, incorrect) per problem.
GPT = ["120", "210", "005", "500", "400", "230", "004", "005", "140", "500"]
AGENTIC = ["003", "003", "005", "032", "400", "023", "004", "005", "500", "500"]
RMA = ["300", "300", "005", "500", "400", "500", "400", "230", "500", "500"]
OPUS = ["003", "003", "005", "005", "004", "005", "004", "005", "005", "320"]
ALETHEIA = {"2": "300", "5": "400", "7": "400", "8": "320", "9": "500", "10": "500"}


def problems(matrix):
    rows = matrix if isinstance(matrix, dict) else {str(at): row for at, row in enumerate(matrix, 1)}
    return {
        name: [mark for mark, count in zip(MARKS, row, strict=True) for _ in range(int(count))]
        for name, row in rows.items()
    }


@pytest.mark.parametrize(
    ("matrix", "all_labels", "conservative"),
    [
        (GPT, (20, 10, 14), (3, 4, 3)),
        (ALETHEIA, (24, 2, 0), (5, 1, 0)),
        (OPUS, (3, 2, 39), (0, 1, 9)),
        (AGENTIC, (14, 5, 25), (3, 2, 5)),
        (RMA, (36, 3, 5), (8, 1, 1)),
    ],
)
def test_first_proof_totals_and_the_conservative_rule_reproduce(matrix, all_labels, conservative):
    labels = problems(matrix)
    everything = [mark for marks in labels.values() for mark in marks]
    assert tuple(totals(everything, MARKS).values()) == all_labels
    verdicts = [unanimous(marks, otherwise="inconclusive") for marks in labels.values()]
    assert tuple(totals((verdict for verdict in verdicts if verdict), MARKS).values()) == conservative


@pytest.mark.parametrize(
    ("matrix", "expected"), [(GPT, (4, 3, 3)), (OPUS, (1, 0, 9)), (AGENTIC, (3, 1, 6)), (RMA, (8, 1, 1))]
)
def test_the_strict_majority_differs_as_the_table_says(matrix, expected):
    verdicts = [strict_majority(marks, otherwise="inconclusive") for marks in problems(matrix).values()]
    assert tuple(totals(verdicts, MARKS).values()) == expected


def test_no_labels_give_no_verdict():
    assert unanimous([], otherwise="inconclusive") is None
    assert strict_majority([], otherwise="no") is None


def test_half_is_no_majority():
    assert strict_majority(["yes", "no"], otherwise="tie") == "tie"


def test_a_label_outside_the_declared_categories_is_refused():
    with pytest.raises(ValueError, match="maybe"):
        totals(["yes", "maybe"], ["yes", "no"])
