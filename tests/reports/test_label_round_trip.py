"""What is exported is imported unchanged and exported again byte for byte, whatever the texts hold."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.refusal import Refused
from annotation.models import Answer
from benchmark.models import Release
from judging.runs.actions import imported_judge
from reports.labels.cells import Row
from reports.labels.exporting import csv_lines, jsonl_lines
from reports.labels.filters import label_filter
from reports.labels.importing import import_labels
from reports.labels.reading import label_rows_of
from reports.labels.rows import blinded, label_rows
from stats.tables.labels import COLUMNS, LABEL_COLUMNS, SHOWN_BLIND
from tests.factories import BenchmarkFactory, InstanceFactory, ReleaseFactory, VerdictFactory
from tests.reports.conftest import SAMPLE

# Begins like a formula, or looks as if it had been quoted already; ends of lines; quotes; scripts; blanks.
NASTY = (
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''=1", "'", "'a", '"', '""', 'a"b', ",", ";",
    "\n", "a\nb", "a\r\nb", "a\rb", "\r", " padded ", "\u00a0", "é", "e\u0301", "数学", "𝔸", "\u202eabc", "\ufeff",
    "\u2028", "\x1f", "\\n", "NULL", "nan", "0012", "1e3", '{"a": 1}', "[]", "=cmd|' /C calc'!A0",
)  # fmt: skip
TEXTS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=30)
HOSTILE = st.builds(
    str.__add__, st.sampled_from(("", "=", "+", "-", "@", "\t", "\r", "\n", "'", "'=")), TEXTS
)
HIDDEN_BLIND = frozenset(
    [
        *("system", "attempt", "stratum", "stratum_size", "sample_size", "vote", "judge_version"),
        *("cause", "overrules", "informed", "amendment", "searches"),
    ]
)
FORMS = {"csv": csv_lines, "jsonl": jsonl_lines}


def row(comment: str) -> Row:
    return {**dict.fromkeys(COLUMNS, ""), "rater_kind": "expert", "comment": comment}


def written(folder: Path, form: str, rows: Iterator[Row] | list[Row]) -> Path:
    path = folder / f"labels.{form}"
    path.write_bytes("".join(FORMS[form](rows)).encode())
    return path


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(comments=st.lists(HOSTILE, min_size=1, max_size=8))
def test_any_text_comes_back_as_it_was(tmp_path, form, comments):
    rows = [row(comment) for comment in comments]
    path = written(tmp_path, form, rows)
    back = [dict(found.cells) for found in label_rows_of(path)]
    assert back == rows
    assert "".join(FORMS[form](back)).encode() == path.read_bytes()


@settings(max_examples=200, deadline=None)
@given(comment=HOSTILE)
def test_no_cell_begins_as_a_formula(comment):
    line = "".join(csv_lines([row(comment)])).split("\n", 1)[1]
    cell = line.split(",", COLUMNS.index("comment"))[-1].removeprefix('"')
    assert not cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))


@pytest.mark.django_db
@pytest.mark.parametrize("form", FORMS)
def test_export_import_export_is_the_same_bytes(unlabelled_gaps: Release, tmp_path, form):
    source = SAMPLE / "re2math" / "labels-experts.csv"
    rows = [dict(found.cells) for found in label_rows_of(source)]
    for number, found in enumerate(rows):
        found["comment"] = NASTY[number % len(NASTY)]
    import_labels(actor=None, path=written(tmp_path, form, rows), release=unlabelled_gaps)
    assert set(Answer.objects.values_list("comment", flat=True)) == set(NASTY)
    exported = written(tmp_path, form, label_rows(unlabelled_gaps))
    assert not import_labels(actor=None, path=exported, release=unlabelled_gaps).changed
    first = exported.read_bytes()
    other = [{**dict(found.cells), "campaign": "again"} for found in label_rows_of(exported)]
    import_labels(actor=None, path=written(tmp_path, form, other), release=unlabelled_gaps)
    second = "".join(
        FORMS[form](
            {**found, "campaign": "sample-audit"} for found in label_rows(unlabelled_gaps, campaign="again")
        )
    )
    assert second.encode() == first


@pytest.mark.django_db
@pytest.mark.parametrize("form", FORMS)
def test_verdicts_on_instances_are_read_back_as_they_were_written(tmp_path, form):
    """From one release into another with the same instances, and out again: the same bytes."""
    benchmark = BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    one, other = (ReleaseFactory(name=name, benchmark=benchmark) for name in ("one", "other"))
    for release in (one, other):
        for key in ("gap-0", "path/with/slashes"):
            InstanceFactory(release=release, key=key, domain="algebra", payload={})
    judge = imported_judge(actor=None, slug="reader", protocol="re2math", published_as="reader-v7")
    for instance in one.instances.all():
        for vote, (state, value) in enumerate([("answered", "no"), ("unavailable", ""), ("abstain", "")], 1):
            VerdictFactory(
                judge=judge,
                output=None,
                instance=instance,
                predicate="leak_free",
                vote=vote,
                value=value,
                state=state,
                reason=NASTY[vote],
                confidence=0.25,
            )
    first = [{**found, "release": ""} for found in label_rows(one)]
    assert len(first) == 6
    report = import_labels(actor=None, path=written(tmp_path, form, first), release=other)
    assert (report.new_verdicts, report.judges) == (6, ["reader-v7"])
    second = [{**found, "release": ""} for found in label_rows(other)]
    assert "".join(FORMS[form](second)) == "".join(FORMS[form](first))
    assert not import_labels(actor=None, path=written(tmp_path, form, second), release=other).changed


@pytest.mark.django_db
@pytest.mark.parametrize(("protocol", "predicate"), [("masked_steps", "well_formed"), ("lemmas", "faithful")])
def test_what_only_a_program_says_about_instances_is_read_back(tmp_path, protocol, predicate):
    benchmark = BenchmarkFactory(slug=protocol, name=protocol, protocol=protocol)
    one, other = (ReleaseFactory(name=name, benchmark=benchmark) for name in ("one", "other"))
    for release in (one, other):
        InstanceFactory(release=release, key="7", domain="algebra", payload={})
    judge = imported_judge(actor=None, slug="program", protocol=protocol, published_as="program-v1")
    VerdictFactory(
        judge=judge,
        output=None,
        instance=one.instances.get(),
        predicate=predicate,
        value="no",
        state="answered",
    )
    first = [{**found, "release": ""} for found in label_rows(one)]
    import_labels(actor=None, path=written(tmp_path, "csv", first), release=other)
    assert [{**found, "release": ""} for found in label_rows(other)] == first
    wrong = written(tmp_path, "csv", [{**first[0], "value": "perhaps"}])
    with pytest.raises(Refused, match="'perhaps' is not one of yes, no, uncertain"):
        import_labels(actor=None, path=wrong, release=other)


@pytest.mark.django_db
def test_a_verdict_on_an_instance_is_to_a_question_about_instances(unlabelled_gaps: Release, tmp_path):
    key = unlabelled_gaps.instances.earliest("pk").key
    given = {**row(""), "rater_kind": "judge", "rater": "r", "value": "yes", "judge_version": "r-v1"}
    for subject, question, reason in (
        (f"{key}/-/0", "ground", "'ground' is not a predicate of re2math: instrumental"),
        ("nonesuch/-/0", "leak_free", "has no instance 'nonesuch'"),
    ):
        path = written(tmp_path, "csv", [{**given, "subject": subject, "question": question}])
        with pytest.raises(Refused, match=reason):
            import_labels(actor=None, path=path, release=unlabelled_gaps)


@pytest.mark.django_db
def test_a_nul_is_refused_with_its_line(unlabelled_gaps: Release, tmp_path):
    path = tmp_path / "nul.csv"
    path.write_bytes("".join(csv_lines([row("a"), row("a\0b")])).encode())
    with pytest.raises(Refused, match=r"line 3.*NUL"):
        import_labels(actor=None, path=path, release=unlabelled_gaps)


def test_the_documented_columns_are_those_of_the_table():
    page = (Path(__file__).parents[2] / "docs" / "exports.md").read_text("utf-8")
    section = page.split("## The label table")[1].split("\n## ")[0]
    listed = [line.replace(r"\|", "|") for line in section.splitlines() if line.startswith("| `")]
    declared = [
        f"| `{column.name}` | {column.type} | {column.meaning} | {column.since} |" for column in LABEL_COLUMNS
    ]
    assert listed == [line.replace("|  |", "| |") for line in declared], (
        "these rows belong in docs/exports.md"
    )
    newest = max(column.since for column in LABEL_COLUMNS)
    assert f"This is version {newest}." in section, "docs/exports.md does not name this version"


@pytest.mark.django_db
def test_blinded_rows_have_the_same_columns_and_leave_the_telling_ones_empty(gaps: Release):
    for line in "".join(jsonl_lines(blinded(label_rows(gaps)))).splitlines()[:50]:
        found = json.loads(line)
        assert list(found) == list(COLUMNS)
        assert not any(found[column] for column in HIDDEN_BLIND)
        assert found["subject"].startswith("blind-")


def test_somebody_has_decided_of_every_column_whether_a_blinded_person_may_see_it():
    """A new column is empty in a blinded table; this says so until it is shown or listed here as hidden."""
    undecided = {*COLUMNS} - SHOWN_BLIND - HIDDEN_BLIND - {"subject", "order"}
    assert not undecided, "declare blind=True in LABEL_COLUMNS, or list it in HIDDEN_BLIND of this file"
    assert not SHOWN_BLIND & HIDDEN_BLIND, "declared blind=True, and listed as hidden in this file"
    assert {*COLUMNS} >= SHOWN_BLIND | HIDDEN_BLIND


def test_of_a_row_with_every_cell_filled_a_blinded_person_sees_what_is_declared():
    filled = {**dict.fromkeys(COLUMNS, "1"), "subject": "p/aurora/1", "rater_kind": "expert"}
    (found,) = blinded([filled])
    assert {column for column, cell in found.items() if cell} == {*COLUMNS} - HIDDEN_BLIND


def test_rows_have_no_column_that_is_not_declared(gaps: Release):
    undeclared = {column for made in label_rows(gaps) for column in made} - {*COLUMNS}
    assert not undeclared, "declare it in LABEL_COLUMNS of stats/tables/labels.py: until then no table has it"


def test_a_column_that_nobody_has_decided_about_is_hidden(gaps: Release, monkeypatch):
    monkeypatch.setattr("reports.labels.rows.COLUMNS", (*COLUMNS, "author"))
    rows = ({**row, "author": row["system"]} for row in label_rows(gaps))
    assert {row["author"] for row in blinded(rows)} == {""}


def test_every_column_is_quoted_for_spreadsheets_but_numbers_times_and_our_own_words():
    """A new column is quoted; this says so until it is listed here as never beginning like a formula."""
    ours = {
        *("attempt", "stratum_size", "sample_size", "vote", "order", "seconds", "created_at"),
        *("rater_kind", "state", "cause", "overrules", "informed", "amendment", "verdict_seen", "searches"),
    }
    header, line = "".join(csv_lines([dict.fromkeys(COLUMNS, "=1")])).splitlines()
    cells = dict(zip(header.split(","), line.split(","), strict=True))
    expected = {column: "=1" if column in ours else "'=1" for column in COLUMNS}
    assert cells == expected, "quote it as it is declared, or list it here as never beginning like a formula"


def test_the_order_of_a_blinded_pair_does_not_tell_whose_name_comes_first():
    def row(pair: str, order: str) -> dict[str, str]:
        return {
            "rater_kind": "expert",
            "campaign": "which",
            "subject": f"p{pair}/aurora|borealis/1",
            "order": order,
            "value": "first",
        }

    pairs = [str(number) for number in range(200)]
    shown = list(blinded(row(pair, "1") for pair in pairs))
    as_named = sum(row["order"] == "1" for row in shown)
    assert 70 <= as_named <= 130, "200 fair coins: 100, and 4 standard deviations are 28"
    mirrored = list(blinded(row(pair, "2") for pair in pairs))
    assert all(a["order"] != b["order"] for a, b in zip(shown, mirrored, strict=True))
    assert [row["subject"] for row in shown] == [row["subject"] for row in mirrored]


@pytest.mark.django_db
@pytest.mark.parametrize("column", ["system", "stratum", "track", "judge"])
def test_a_blinded_table_is_not_filtered_by_what_it_hides(gaps: Release, column: str):
    with pytest.raises(Refused, match="identities=1"):
        label_filter({column: "aurora"}, identities=False)
