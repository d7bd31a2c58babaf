"""Formula quoting in CSV cells."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.tables.cells import quote_cell, unquote_cell
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
