"""The first rows of somebody's file, and which of our columns its columns probably are."""

import io

import pytest

from stats.tables.labels import COLUMNS
from stats.tables.peeking import guessed_columns, peek
from stats.tables.raw_rows import MAX_COLUMNS, MAX_LINE, TableError


def peeked(text, form="csv"):
    return peek(io.BytesIO(text.encode() if isinstance(text, str) else text), form=form)


def test_a_csv_file_shows_its_header_and_five_rows():
    found = peeked("item,annotator\n" + "".join(f"s{n},anna\n" for n in range(9)))
    assert found.header == ("item", "annotator")
    assert found.rows[0] == ("s0", "anna")
    assert len(found.rows) == 5


def test_a_jsonl_file_shows_every_key_of_its_first_records():
    found = peeked('{"item": "a", "label": 1}\n{"item": "b", "note": null}\n', "jsonl")
    assert found.header == ("item", "label", "note")
    assert found.rows == (("a", "1", ""), ("b", "", ""))


def test_long_cells_are_cut():
    assert peeked("a\n" + "x" * 500).rows[0][0] == "x" * 79 + "…"


def test_columns_are_guessed_by_name_however_they_are_written():
    header = ("Item ID", "Annotator", "Label", "Model-Name", "colour")
    assert guessed_columns(header, COLUMNS) == {
        "Item ID": "subject",
        "Annotator": "rater",
        "Label": "value",
        "Model-Name": "system",
        "colour": "",
    }


def test_a_canonical_name_wins_and_no_column_is_guessed_twice():
    found = guessed_columns(("label", "value", "answer", "subject", "item"), COLUMNS)
    assert found == {"label": "", "value": "value", "answer": "", "subject": "subject", "item": ""}


def test_gradings_of_benchmarks_are_known_by_their_columns():
    found = guessed_columns(("problem_idx", "problem", "model_name", "grader", "points"), COLUMNS)
    assert found == {
        "problem_idx": "instance",
        "problem": "",
        "model_name": "system",
        "grader": "rater",
        "points": "value",
    }


@pytest.mark.parametrize(
    ("content", "form", "reason"),
    [
        (b"", "csv", "empty"),
        (b"\n\n", "jsonl", "empty"),
        (b"a\0b,c\n", "csv", "line 1: contains a NUL"),
        (b"a,b\n\xff\xfe,c\n", "csv", "line 2: not UTF-8 .byte 0xff.; save it as UTF-8"),
        (b"[1]\n", "jsonl", "line 1: not a JSON object"),
        (b",".join([b"c"] * (MAX_COLUMNS + 1)) + b"\n", "csv", "has 1001 columns"),
        (
            b"{" + b",".join(b'"c%d":1' % n for n in range(MAX_COLUMNS + 1)) + b"}\n",
            "jsonl",
            "has 1001 columns",
        ),
        (b"a,b\n" + b"x" * 200_000 + b",c\n", "csv", "field larger than field limit"),
        (b"x" * (MAX_LINE + (2 << 20)), "csv", "a line is longer than 16 MB"),
        (b'"' + b"x\n" * 300_000, "csv", "field larger than field limit"),
    ],
)
def test_what_is_no_table_is_refused_at_its_line(content, form, reason):
    with pytest.raises(TableError, match=reason):
        peeked(content, form)
