"""The analyses by name, as the command, the page and the worker call them."""

import io

import pytest

from stats.analyses.options import Options
from stats.analyses.running import ANALYSES, Request, renaming, run, text, whole_numbers
from stats.tables.raw_rows import TableError

LABELS = "item,who,value\na,anna,yes\na,ben,no\nb,anna,yes\nb,ben,yes\n"
MAP = {"item": "subject", "who": "rater"}


def test_an_analysis_reads_renamed_columns_and_has_a_text_form():
    document = run(io.BytesIO(LABELS.encode()), "csv", Request("agreement", renaming=MAP))
    assert document["questions"][""]["percent"]["value"] == 0.5  # of two items they agree on one
    assert "2 items" in text("agreement", document)


def test_a_request_that_makes_no_sense_is_refused_before_anything_is_read():
    with pytest.raises(ValueError, match="no analysis 'mood'"):
        Request("mood")
    with pytest.raises(ValueError, match="which value counts"):
        Request("audit")
    with pytest.raises(ValueError, match="unknown level"):
        Request("agreement", level="cosmic")


def test_an_unknown_column_is_refused_by_name():
    with pytest.raises(TableError, match="unknown column 'item'"):
        run(io.BytesIO(LABELS.encode()), "csv", Request("agreement"))


@pytest.mark.parametrize(("first", "sign"), [("", ";"), ("sep=;\n", ";"), ("", "\t"), ("sep=\t\r\n", "\t")])
def test_semicolons_and_tabs_separate_cells_as_commas_do(first, sign):
    found = [
        run(io.BytesIO(table.encode()), "csv", Request("agreement", renaming=MAP))["questions"]
        for table in (LABELS, first + LABELS.replace(",", sign))
    ]
    assert found[0] == found[1]


def test_every_analysis_says_what_it_does_and_which_columns_it_reads():
    assert all(analysis.line and analysis.columns for analysis in ANALYSES.values())
    assert ANALYSES["retrieval"].columns == ("system", "query", "rank")


def test_numbers_and_renamings_are_read_from_text():
    assert whole_numbers("1,10") == (1, 10)
    assert renaming("a=b=c") == ("a", "b=c")
    assert renaming("note=") == ("note", "")
    for wrong in ("", "0", "1,x", "9" * 400):
        with pytest.raises(ValueError, match="whole numbers"):
            whole_numbers(wrong)
    for wrong in ("a", "=b"):
        with pytest.raises(ValueError, match="other=canonical"):
            renaming(wrong)


@pytest.mark.parametrize(
    ("kind", "head", "rows"),
    [
        ("errors", "subject,rater,value", [f"s{n % 3},r{n},yes" for n in range(201)]),
        ("pairs", "subject,system,rater,value", [f"s{n},a{n}|b{n},r,first" for n in range(101)]),
    ],
)
def test_models_of_more_than_200_raters_or_systems_are_refused(kind, head, rows):
    """Within the two megabytes that are analysed in a request, thousands of them took a minute."""
    with pytest.raises(TableError, match="at most 200"):
        run(io.BytesIO("\n".join([head, *rows]).encode()), "csv", Request(kind, Options()))
