"""Labels in and out: all or nothing, repeatable, and the same after a round trip."""

import csv
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.refusal import Refused
from annotation.models import Answer, Campaign, Grade
from judging.models import Verdict
from reports.labels.exporting import csv_lines
from reports.labels.importing import import_labels
from reports.labels.rows import blinded, label_rows
from tests.reports.conftest import SAMPLE, load_gaps

EXPERTS = SAMPLE / "re2math" / "labels-experts.csv"
JUDGE = SAMPLE / "re2math" / "labels-judge.csv"


@pytest.fixture
def gaps(db):
    """Written by each test that asks: others of this file begin without it."""
    return load_gaps()


def export(release) -> str:
    return "".join(csv_lines(label_rows(release)))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_expert_labels_become_a_closed_campaign_with_its_draw(gaps):
    campaign = Campaign.objects.get(slug="sample-audit")
    assert (campaign.phase, campaign.rubric.label) == ("closed", "re2math-audit-v1")
    assert campaign.items.count() == 51
    assert Answer.objects.count() == 302
    item = campaign.items.filter(stratum="aurora/ungrounded").first()
    assert (item.stratum_size, item.sample_size, item.inclusion_probability) == (4, 3, 0.75)


def test_judge_labels_become_verdicts_of_an_imported_judge(gaps):
    assert Verdict.objects.filter(judge__published_as="sample-judge-v1").count() == 180


def test_importing_the_same_file_again_changes_nothing(gaps):
    before = export(gaps)
    for file in (EXPERTS, JUDGE):
        assert not import_labels(actor=None, path=file, release=gaps).changed
    assert export(gaps) == before


def test_an_export_takes_the_same_statements_however_many_chunks_its_labels_fill(gaps, monkeypatch):
    # experts; decisions in force; verdicts about outputs, pairs and instances: 302 answers and 180 verdicts
    asked, texts = [], []
    for chunk in (10, 10_000):
        monkeypatch.setattr("reports.labels.rows._CHUNK", chunk)
        with CaptureQueriesContext(connection) as captured:
            texts.append(export(gaps))
        asked.append(len(captured.captured_queries))
    assert asked[0] == asked[1] <= 5
    assert texts[0] == texts[1]


def test_export_import_export_is_the_identity(gaps, tmp_path):
    exported = export(gaps)
    file = tmp_path / "labels.csv"
    file.write_text(exported, "utf-8")
    assert not import_labels(actor=None, path=file, release=gaps).changed
    rows = [row for row in rows_of(file) if row["rater_kind"] == "expert"]
    other = [{**row, "campaign": "again"} for row in rows]
    import_labels(actor=None, path=write(tmp_path / "again.csv", other), release=gaps)
    again = "".join(csv_lines(label_rows(gaps, campaign="again")))
    original = "".join(csv_lines(label_rows(gaps, campaign="sample-audit")))
    assert again.replace(",again,", ",sample-audit,") == original


def test_a_dry_run_reports_and_stores_nothing(unlabelled_gaps):
    report = import_labels(actor=None, path=EXPERTS, release=unlabelled_gaps, dry_run=True)
    assert (report.expert_labels, report.new_grades) == (302, 151)
    assert (Grade.objects.count(), Campaign.objects.count(), User.objects.count()) == (0, 0, 0)


def test_changed_labels_under_the_same_campaign_are_refused(gaps, tmp_path):
    rows = rows_of(EXPERTS)
    rows[0]["value"] = "no" if rows[0]["value"] == "yes" else "yes"
    with pytest.raises(Refused, match=r"holds other labels of ada@demo\.test here"):
        import_labels(actor=None, path=write(tmp_path / "changed.csv", rows), release=gaps)


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("release", "other", "is not the release"),
        ("subject", "nonsense", "does not read instance/system/attempt"),
        ("subject", "gap/aurora/1", "has no output"),
        ("question", "novelty", "no question 'novelty'"),
        ("value", "maybe", "not one of yes, no, uncertain"),
        ("value", "", "is empty although the state is answered|a value belongs to state answered"),
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


def test_a_blinded_export_names_no_system_and_no_verdict(gaps):
    text = "".join(csv_lines(blinded(label_rows(gaps))))
    assert not any(system in text for system in ("aurora", "basalt", "cobalt", "sample-judge"))
    assert text.count("\n") == 303


def test_a_cell_that_a_spreadsheet_would_run_is_quoted_on_the_way_out_and_bare_on_the_way_in(gaps, tmp_path):
    rows = [row for row in rows_of(EXPERTS) if row["subject"] == rows_of(EXPERTS)[0]["subject"]]
    hostile = '=HYPERLINK("http://evil")'
    rows = [{**row, "campaign": "hostile", "comment": hostile} for row in rows]
    import_labels(actor=None, path=write(tmp_path / "hostile.csv", rows), release=gaps)
    assert Answer.objects.filter(comment=hostile).count() == len(rows)
    text = "".join(csv_lines(label_rows(gaps, campaign="hostile")))
    assert "\"'=HYPERLINK" in text


def test_the_commands_speak_json_and_refuse_in_words(gaps, tmp_path, capsys):
    call_command("export_labels", release="sample-re2math")
    file = tmp_path / "labels.csv"
    file.write_text(capsys.readouterr().out, "utf-8")
    call_command("import_labels", str(file), release="sample-re2math", json=True)
    assert '"changed": false' in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no release 'elsewhere'; there are: sample-re2math"):
        call_command("import_labels", str(file), release="elsewhere")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_labels", str(tmp_path / "none.csv"), release="sample-re2math")
