"""Labels that come to a release without any: refused with their lines, all or nothing."""

from typing import Any

import pytest

from accounts.models import User
from accounts.refusal import Refused
from annotation.models import Campaign, Grade
from benchmark.models import Release
from judging.models import Verdict
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from tests.reports.conftest import SYSTEMS, load
from tests.reports.test_labels import EXPERTS, JUDGE, rows_of, write


@pytest.fixture(scope="module")
def _imported_for_the_module(rows_of_the_module: Any) -> int:
    with rows_of_the_module():
        return load("sample-re2math", "re2math", {system: f"outputs-{system}.jsonl" for system in SYSTEMS}).pk


@pytest.fixture
def unlabelled_gaps(_imported_for_the_module: int, db: None) -> Release:
    """Imported once for this file."""
    return Release.objects.select_related("benchmark").get(pk=_imported_for_the_module)


@pytest.mark.slow
def test_a_dry_run_reports_and_stores_nothing(unlabelled_gaps):
    report = import_labels(actor=None, path=EXPERTS, release=unlabelled_gaps, dry_run=True)
    assert (report.expert_labels, report.new_grades) == (302, 151)
    assert (Grade.objects.count(), Campaign.objects.count(), User.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("release", "other", "is not the release"),
        ("subject", "nonsense", "does not read instance/system/attempt"),
        ("subject", "gap/aurora/1", "has no output"),
        ("question", "novelty", "no question 'novelty'"),
        ("value", "maybe", "not one of yes, no, uncertain"),
        (
            "value",
            "",
            "is empty although the state is answered|is empty: without an answer the state is abstain",
        ),
        ("confidence", "2", "not a number from 0 to 1"),
        ("created_at", "yesterday", "ISO 8601"),
        ("rater", "", "needs its rater"),
        ("rater_kind", "oracle", "must be expert, judge, adjudicator or empty"),
        ("rubric_version", "re2math-audit-v9", "no rubric 're2math-audit-v9'"),
        ("sample_size", "many", "whole number"),
        ("sample_size", "999", "is not between 1 and stratum_size"),
    ],
)
def test_a_wrong_cell_is_refused_with_its_line_and_nothing_is_left_behind(
    unlabelled_gaps, tmp_path, column, value, complaint
):
    rows = rows_of(EXPERTS)
    rows[6][column] = value  # line 8 of the file: the header is line 1
    if column == "sample_size":
        rows = rows[6:]
    with pytest.raises(Refused, match=complaint) as refusal:
        import_labels(actor=None, path=write(tmp_path / "wrong.csv", rows), release=unlabelled_gaps)
    assert "line" in str(refusal.value)
    assert (Grade.objects.count(), Campaign.objects.count(), User.objects.count()) == (0, 0, 0)


def test_a_judge_s_verdict_on_a_step_is_not_taken_for_one_on_the_whole(unlabelled_gaps, tmp_path):
    rows = rows_of(JUDGE)
    rows[6]["step"] = "b3"
    with pytest.raises(Refused, match=r"line 8.*judges of re2math answer no 'ground' about steps: none"):
        import_labels(actor=None, path=write(tmp_path / "steps.csv", rows), release=unlabelled_gaps)
    assert not Verdict.objects.exists()


def test_all_faults_are_listed_together(unlabelled_gaps, tmp_path):
    rows = rows_of(EXPERTS)
    for position in (1, 3, 5):
        rows[position]["value"] = "perhaps"
    with pytest.raises(Refused) as refusal:
        import_labels(actor=None, path=write(tmp_path / "wrong.csv", rows), release=unlabelled_gaps)
    assert [f"line {line}," in str(refusal.value) for line in (3, 5, 7)] == [True] * 3


def test_the_same_label_with_another_value_is_refused_and_an_equal_one_is_counted(unlabelled_gaps, tmp_path):
    rows = rows_of(EXPERTS)
    other = rows[0] | {"value": "no" if rows[0]["value"] == "yes" else "yes"}
    said = f"already in line 2 and says '{rows[0]['value']}'; here it says '{other['value']}'"
    with pytest.raises(Refused, match=f"line 304, field value: .*{said}"):
        import_labels(actor=None, path=write(tmp_path / "twice.csv", [*rows, other]), release=unlabelled_gaps)
    assert not Campaign.objects.exists()
    report = import_labels(
        actor=None, path=write(tmp_path / "twice.csv", [*rows, rows[0]]), release=unlabelled_gaps
    )
    assert (report.repeated, report.expert_labels) == (1, len(rows))


def test_an_unknown_column_is_refused_by_name(unlabelled_gaps, tmp_path):
    rows = [{**row, "mood": "good"} for row in rows_of(EXPERTS)]
    with pytest.raises(Refused, match="mood"):
        import_labels(actor=None, path=write(tmp_path / "more.csv", rows), release=unlabelled_gaps)


def test_raters_without_an_address_keep_their_name_and_can_never_sign_in(unlabelled_gaps, tmp_path):
    rows = [{**row, "rater": row["rater"].split("@")[0].title() + " R."} for row in rows_of(EXPERTS)]
    import_labels(actor=None, path=write(tmp_path / "names.csv", rows), release=unlabelled_gaps)
    assert {row["rater"] for row in label_rows(unlabelled_gaps)} == {"Ada R.", "Emil R.", "Sofia R."}
    stand_ins = User.objects.filter(email__endswith="@imported.invalid", name__endswith="R.")
    assert stand_ins.count() == 3
    assert not any(user.is_active or user.has_usable_password() for user in stand_ins)
