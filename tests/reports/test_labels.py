"""Labels in and out: all or nothing, repeatable, and the same after a round trip."""

import csv
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.refusal import Refused
from annotation.models import Answer, Campaign
from judging.models import Verdict
from reports.labels.exporting import csv_lines
from reports.labels.importing import import_labels
from reports.labels.rows import blinded, label_rows
from tests.reports.conftest import SAMPLE

EXPERTS = SAMPLE / "re2math" / "labels-experts.csv"
JUDGE = SAMPLE / "re2math" / "labels-judge.csv"


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


@pytest.mark.slow
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


def test_changed_labels_under_the_same_campaign_are_refused(gaps, tmp_path):
    rows = rows_of(EXPERTS)
    rows[0]["value"] = "no" if rows[0]["value"] == "yes" else "yes"
    with pytest.raises(Refused, match=r"holds other labels of ada@demo\.test here"):
        import_labels(actor=None, path=write(tmp_path / "changed.csv", rows), release=gaps)


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
