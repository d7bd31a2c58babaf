"""Formula quoting in CSV cells."""

import csv
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.tables.cells import is_too_large, number_in, quote_cell, unquote_cell
from tests.growing import takes_less_than
from tests.stats.real_data import real_file

STARTS = "=+-@\t\r\n＝＋－＠"  # OWASP's page on CSV injection lists these


@pytest.mark.parametrize("start", STARTS)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(start):
    assert quote_cell(f"{start}SUM(A1)") == f"'{start}SUM(A1)"


def test_ordinary_text_stays_as_it_is():
    for text in ("", "yes", "'tis", "''", "a=b", "$x$"):
        assert quote_cell(text) == text
        assert unquote_cell(text) == text


@given(st.text(alphabet="'a" + STARTS))
def test_quoting_is_undone_by_reading_even_for_texts_that_begin_with_an_apostrophe(text):
    assert unquote_cell(quote_cell(text)) == text
    assert not quote_cell(text).startswith(tuple(STARTS))


def test_collected_injections_survive_a_trip_through_csv():
    lines = real_file("corpora", "csv-injection.md").read_text(encoding="utf-8").splitlines()
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows([[quote_cell(line)] for line in lines if line])
    buffer.seek(0)
    cells = [row[0] for row in csv.reader(buffer)]
    assert [unquote_cell(cell) for cell in cells] == [line for line in lines if line]
    assert not [cell for cell in cells if cell[0] in STARTS]


@pytest.mark.parametrize(
    ("text", "number"),
    [("10", 10), (" -1.5e1 ", -15), ("+.5", 0.5), ("2.", 2), ("1e60", 1e60)],
)
def test_a_number_is_what_everybody_writes(text, number):
    assert number_in(text) == number


def test_a_long_cell_that_is_almost_a_number_is_read_at_once():
    """Trying every way to divide the digits would take ten seconds of the processor."""
    assert math.isnan(number_in("1" * 20_000 + "x"))
    assert takes_less_than(2, lambda: number_in("1" * 20_000 + "x"))


@pytest.mark.parametrize("text", ["1_0", "１０", "٣", "0x1", "inf", "nan", "1e61", "1e400", "1 0", "", "-"])
def test_what_only_python_reads_as_a_number_is_a_word(text):
    assert math.isnan(number_in(text))
    assert is_too_large(text) == text.startswith("1e")
