"""JSON Lines from outside: what cannot be stored faithfully is refused, with its place."""

import json
from pathlib import Path

import pytest

from benchmark.importing.jsonl import MAX_LINE_BYTES, parse_value, read_lines
from benchmark.importing.records import RecordError
from tests.growing import grows_in_proportion


def read(tmp_path: Path, content: bytes) -> list[object]:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(content)
    return list(read_lines(path))


@pytest.mark.parametrize(
    ("line", "words", "field"),
    [
        (b'{"a": 1, "a": 2}', "'a' appears twice", ""),
        (b'{"a": {"b": NaN}}', "NaN is not JSON", "a.b"),
        (b'{"a": [0, -Infinity]}', "infinite", "a.1"),
        (b'{"a": 9007199254740993}', "beyond 2\\*\\*53", "a"),
        (b'{"a": 1e400}', "beyond 2\\*\\*53", "a"),
        (b'{"a": ' + b"9" * 5000 + b"}", "beyond 2\\*\\*53", "a"),
        (b'{"a": "x\\u0000y"}', "NUL", "a"),
        (b'{"x\\u0000": 1}', "NUL", ""),
        (b'{"a": "\\ud800"}', "surrogate", "a"),
        (b'{"a": ' + b"[" * 60 + b"]" * 60 + b"}", "nested deeper", "a" + ".0" * 49),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested deeper", ""),
        (b'{"a": "\xff"}', "not UTF-8 at byte 8", ""),
        (b"[1]", "a JSON object was expected", ""),
        (b"{'a': 1}", "not JSON", ""),
        (b'{"a": 1', "not JSON", ""),
        (b'{"a": "' + b"x" * MAX_LINE_BYTES + b'"}', "longer than 5,000,000 bytes", ""),
    ],
)
def test_what_cannot_be_stored_faithfully_is_refused_by_line_and_field(tmp_path, line, words, field):
    first, second, third = read(tmp_path, b'{"ok": 1}\n' + line + b'\n{"ok": 2}\n')
    assert isinstance(second, RecordError)
    assert second.line == 2
    assert second.field == field
    with pytest.raises(RecordError, match=words):
        raise second
    assert (first.value, third.value, third.number) == ({"ok": 1}, {"ok": 2}, 3)


def test_long_names_around_many_fields_take_time_in_proportion():
    def write(size: int) -> bytes:
        return json.dumps({"k" * (size // 2): dict.fromkeys(map(str, range(size // 20)), 0)}).encode()

    assert grows_in_proportion(parse_value, write, 100_000, 400_000, 1_600_000)


def test_a_byte_order_mark_is_named(tmp_path):
    (error,) = read(tmp_path, b'\xef\xbb\xbf{"a": 1}\n')
    assert "byte order mark" in str(error)


@pytest.mark.parametrize("start", [b"\x1f\x8b\x08\x00", b"PK\x03\x04\x14"])
def test_a_packed_file_is_called_one_and_its_bytes_are_not_read_as_lines(tmp_path, start):
    (error,) = read(tmp_path, start + b"\n\xff\n\xfe\n")
    assert str(error) == "line 1: the file is packed, or a spreadsheet: JSON lines are expected"


def test_blank_lines_are_passed_over_and_counted(tmp_path):
    (line,) = read(tmp_path, b'\n  \n{"a": 1}')
    assert (line.number, line.value) == (3, {"a": 1})


def test_line_separators_inside_a_text_do_not_end_the_line(tmp_path):
    text = "one\u2028two\u0085three\x1cfour"
    (line,) = read(tmp_path, json.dumps({"a": text}, ensure_ascii=False).replace("\x1c", "\\u001c").encode())
    assert line.value == {"a": text}


def test_a_whole_float_is_read_as_the_integer_that_postgresql_returns(tmp_path):
    (line,) = read(tmp_path, b'{"a": [1.0, 1e2, 0.5, -0.0]}')
    assert [type(number) for number in line.value["a"]] == [int, int, float, int]


def test_a_file_that_cannot_be_opened_is_an_error_not_a_crash(tmp_path):
    (error,) = read_lines(tmp_path)
    assert "cannot be read" in str(error)
