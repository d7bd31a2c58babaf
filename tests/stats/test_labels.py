"""Reading the canonical label table."""

import io

import pytest

from stats.tables.labels import COLUMNS, read_labels
from stats.tables.raw_rows import TableError


def read(text: str | bytes, **options):
    raw = text if isinstance(text, bytes) else text.encode()
    return read_labels(io.BytesIO(raw), **options)


def test_columns_that_a_file_lacks_are_empty():
    table = read("subject,rater,value\ns1,anna,yes\n")
    assert set(table.columns) == set(COLUMNS)
    assert table["cluster"].texts() == [""]
    assert table["value"].texts() == ["yes"]
    assert table["state"].texts() == ["answered"]


def test_csv_and_jsonl_say_the_same():
    csv_table = read("subject,rater,value,vote\ns1,anna,0.5,1\ns2,ben,,\n".replace("ben,,", "ben,2,"))
    json_table = read(
        b'{"subject": "s1", "rater": "anna", "value": 0.5, "vote": 1}\n\n'
        b'{"rater": "ben", "subject": "s2", "value": 2, "vote": null}\n',
        form="jsonl",
    )
    for name in COLUMNS:
        assert json_table[name].texts() == csv_table[name].texts()
    assert json_table.lines.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "empty"),
        ("subject,colour\ns1,red\n", 1, "'colour'"),
        ("subject,subject\na,b\n", 1, "two columns"),
        ("subject,value\ns1\n", 2, "1 cells where the header has 2"),
        ("subject,value\ns1,yes\ns2,no,maybe\n", 3, "3 cells"),
        ("subject,value,state\ns1,yes,absent\n", 2, "state"),
        ("subject,value,rater_kind\ns1,yes,human\n", 2, "rater_kind"),
        ("subject,value,vote\ns1,yes,-1\n", 2, "vote"),
        ("subject,value,stratum_size\ns1,yes,3.5\n", 2, "stratum_size"),
        ("subject,value,seconds\ns1,yes,nan\n", 2, "seconds"),
        ("subject,value\ns1,\n", 2, "value"),
        ("subject,value,state\ns1,yes,abstain\n", 2, "value"),
        ("subject,value,state\ns1,abstain,answered\n", 2, "value"),
        ("subject,value\n,yes\n", 2, "subject"),
        ('subject,value\ns1,"yes\n', None, "well-formed"),
        ("subject,value\ns1,y\0es\n", 2, "NUL"),
        (b"subject,value\ns1,\xff\n", 2, "UTF-8"),
        ("subject,value\ns1,yes\n".encode("utf-16"), 1, "UTF-16"),
        ("subject;value;seconds\ns1;yes;6,5\n", 2, "seconds"),
        ('subject,"a;b;c"\ns1,yes\n', 1, "'a;b;c'"),
        (b"PK\x03\x04\x14\0\xdd", 1, "a workbook or an archive: save its table as CSV in UTF-8"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", 1, "a workbook or an archive"),
    ],
)
def test_bad_tables_are_refused_with_the_place(text, line, message):
    with pytest.raises(TableError, match=message) as caught:
        read(text)
    assert caught.value.line == line or line is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]\n", "not a JSON object"),
        ("{\n", "not a JSON object"),
        ('{"subject": "s", "subject": "t"}\n', "twice"),
        ('{"subject": "s", "value": ["yes"]}\n', "column value"),
        ('{"subject": "s", "value": NaN}\n', "NaN"),
        ('{"subject": "s", "colour": "red"}\n', "'colour'"),
        ('{"subject": "s\\u0000", "value": "yes"}\n', "NUL"),
        ("[" * 100_000 + "\n", "not a JSON object"),
    ],
)
def test_bad_json_lines_are_refused_with_the_place(text, message):
    with pytest.raises(TableError, match=message) as caught:
        read(text, form="jsonl")
    assert caught.value.line == 1


def test_lines_are_counted_as_an_editor_counts_them():
    with pytest.raises(TableError) as caught:
        read('subject,value,comment,vote\ns1,yes,"two\nlines",1\n\ns2,yes,,x\n')
    assert (caught.value.line, caught.value.column) == (5, "vote")


def test_a_foreign_column_can_be_renamed_or_dropped():
    table = read(
        "item,verdict,colour\ns1,yes,red\n", renaming={"item": "subject", "verdict": "value", "colour": ""}
    )
    assert table["subject"].texts() == ["s1"]
    assert table["value"].texts() == ["yes"]
    json_table = read(b'{"item": "s1", "value": "yes"}\n', form="jsonl", renaming={"item": "subject"})
    assert json_table["subject"].texts() == ["s1"]


def test_a_renaming_to_an_unknown_column_is_a_wrong_argument():
    with pytest.raises(ValueError, match="verdict"):
        read("subject,value\n", renaming={"value": "verdict"})


def test_a_renaming_of_an_absent_column_is_refused():
    with pytest.raises(TableError, match="item"):
        read("subject,value\n", renaming={"item": "subject"})


def test_states_may_stand_in_the_value():
    table = read("subject,value,state\na,unavailable,\nb,abstain,abstain\nc,,unavailable\n")
    assert table["state"].texts() == ["unavailable", "abstain", "unavailable"]


def test_a_subject_is_named_by_its_parts_when_it_has_no_name():
    table = read("instance,system,attempt,value\ni1,gpt,1,yes\ni1,gpt,2,no\ni2,,,no\n")
    assert table["subject"].texts() == ["i1|gpt|1", "i1|gpt|2", "i2"]


def test_a_byte_order_mark_and_windows_line_ends_are_no_obstacle():
    table = read(b"\xef\xbb\xbfsubject,value\r\ns1,yes\r\n")
    assert table["subject"].texts() == ["s1"]


def test_formula_quotes_are_taken_off_again():
    table = read("subject,value\n'=s1,'-0.5\n")
    assert table["subject"].texts() == ["=s1"]
    assert table["value"].texts() == ["-0.5"]


def test_a_header_without_rows_is_an_empty_table():
    assert len(read("subject,value\n")) == 0


def test_rows_are_chosen_by_mask():
    table = read("subject,value\na,yes\nb,no\nc,yes\n")
    chosen = table.select(table["value"].is_in("yes"))
    assert chosen["subject"].texts() == ["a", "c"]
    assert chosen.lines.tolist() == [2, 4]


def test_each_step_of_a_subject_is_a_subject_and_the_steps_of_one_are_a_cluster():
    table = read(
        "subject,instance,system,step,cluster,value\n"
        "p/a/1,p,a,b1,,yes\n"
        "p/a/1,p,a,b2,paper-1,no\n"
        ",q,a,b1,,yes\n"
        "p/a/1,p,a,,,no\n"
        ",q,a,,,no\n"
    )
    assert table["subject"].texts() == ["p/a/1/b1", "p/a/1/b2", "q|a/b1", "p/a/1", "q|a"]
    assert table["cluster"].texts() == ["p/a/1", "paper-1", "q|a", "", ""]


def test_an_answer_that_a_step_was_not_assessed_is_no_judgment_of_it():
    rows = [
        "p1,b1,ada,correct",
        "p1,b2,ada,not_assessed",
        "p1,b2,emil,incorrect",
        "p2,,ada,not_assessed",  # no step: a value like any other
    ]
    table = read("\n".join(["subject,step,rater,value", *rows]).encode())
    assert list(zip(table["subject"].texts(), table["value"].texts(), strict=True)) == [
        ("p1/b1", "correct"),
        ("p1/b2", "incorrect"),
        ("p2", "not_assessed"),
    ]
