"""Outputs as a folder of documents."""

import os
from pathlib import Path

import pytest

from benchmark.importing.folders import MAX_DOCUMENT_BYTES, read_documents
from benchmark.importing.records import RecordError


def one(folder: Path) -> object:
    (record,) = read_documents(folder)
    return record


@pytest.mark.parametrize(
    ("name", "instance", "attempt", "text_format"),
    [
        ("p1.tex", "p1", 1, "latex"),
        ("p1.2.tex", "p1", 2, "latex"),
        ("p1.md", "p1", 1, "markdown"),
        ("2401.00012.tex", "2401.00012", 1, "latex"),
        ("2401.00012.3.md", "2401.00012", 3, "markdown"),
        ("p1.02.tex", "p1.02", 1, "latex"),
    ],
)
def test_the_name_gives_instance_attempt_and_format(tmp_path, name, instance, attempt, text_format):
    (tmp_path / name).write_text("Clear.")
    record = one(tmp_path)
    assert (record.instance, record.attempt, record.text_format) == (instance, attempt, text_format)
    assert (record.text, record.state) == ("Clear.", "answered")


def test_hidden_files_are_passed_over(tmp_path):
    (tmp_path / ".DS_Store").write_bytes(b"\0")
    assert list(read_documents(tmp_path)) == []


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("notes.txt", b"x", "neither a .tex nor a .md"),
        ("p1.tex", b"x" * (MAX_DOCUMENT_BYTES + 1), "larger than 2,000,000 bytes"),
        ("p1.tex", b"one\ntwo \xff", "not UTF-8"),
        ("p1.tex", b"a\0b", "NUL"),
        ("p1.tex", b" \n", "empty"),
    ],
)
def test_what_is_no_document_is_refused_by_file_name(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    error = one(tmp_path)
    assert isinstance(error, RecordError)
    assert error.field == name
    assert words in error.reason


def test_the_line_of_a_byte_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "p1.tex").write_bytes(b"one\ntwo \xff")
    assert one(tmp_path).line == 2


def test_links_and_folders_are_never_followed(tmp_path):
    secret = tmp_path / "secret.tex"
    secret.write_text("secret")
    folder = tmp_path / "outputs"
    folder.mkdir()
    (folder / "p1.tex").symlink_to(secret)
    (folder / "p2.tex").mkdir()
    os.mkfifo(folder / "p3.tex")
    errors = list(read_documents(folder))
    assert [error.field for error in errors] == ["p1.tex", "p2.tex", "p3.tex"]
    assert all("not a regular file" in error.reason for error in errors)
