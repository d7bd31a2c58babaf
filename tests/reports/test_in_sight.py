"""Labels given in sight of a judge's verdict: told apart, out of the primary scores, counted next to them."""

import json
from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.refusal import Refused
from annotation.assigning import taking
from annotation.campaigns import actions as campaigns_actions
from annotation.models import Answer, Grade, RevealArm
from reports.artifact.freezing import build
from reports.artifact.manifest import read_manifest
from reports.artifact.verification import verify
from reports.campaign.data import campaign_data
from reports.labels.exporting import csv_lines
from reports.labels.importing import import_labels
from reports.labels.reading import label_rows_of
from reports.labels.rows import label_rows
from reports.scores.document import score
from reports.scores.in_sight import in_sight
from reports.scores.inputs import collect
from reports.scores.text import score_text
from stats.analyses import agreement
from stats.analyses.options import Options
from stats.tables.labels import independent, read_labels
from tests.annotation.campaigns import drafted, rubric, second_algebraist
from tests.annotation.grading import graded_by
from tests.documents import score_document
from tests.reports.conftest import SAMPLE
from tests.reports.test_verdict_copies import attached, judged

__all__ = ["drafted", "judged", "rubric", "second_algebraist"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def both_arms(judged, algebraist, second_algebraist, coordinator, monkeypatch):
    """Four algebra outputs, graded incorrect by one reviewer who saw the verdicts and correct by one who did not."""
    arms = iter([True] * 4 + [False] * 4)
    monkeypatch.setattr("annotation.reveal.rules.sees_before", lambda **terms: next(arms))
    campaign = attached(judged, coordinator, before=0.5)
    for person, value in ((algebraist, "incorrect"), (second_algebraist, "correct")):
        for _ in range(4):
            graded_by(person, campaign, correctness=value, rigour="3")
    return campaign


@pytest.fixture
def closed(both_arms, coordinator):
    return campaigns_actions.close_campaign(actor=coordinator, campaign=both_arms, reason="A rehearsal.")


def written(path, rows):
    path.write_text("".join(csv_lines(rows)), encoding="utf-8", newline="")
    return path


def test_a_grade_says_whether_a_verdict_was_in_sight(both_arms, algebraist, second_algebraist):
    seen = dict(Grade.objects.values_list("assignment__reviewer", "verdict_seen").distinct())
    assert seen == {algebraist.pk: True, second_algebraist.pk: False}


def test_where_no_verdict_is_shown_nothing_is_said_of_it(drafted, coordinator, algebraist):
    campaigns_actions.draw_items(actor=coordinator, campaign=drafted)
    graded_by(
        algebraist,
        campaigns_actions.open_campaign(actor=coordinator, campaign=drafted),
        correctness="correct",
        rigour="3",
    )
    assert Grade.objects.get().verdict_seen is None


def test_primary_figures_leave_such_labels_out_and_show_beside_what_they_would_change(closed):
    document = score_document(collect(release=closed.release))
    [campaign] = document["experts"]
    of_first = campaign["questions"]["correctness"]["systems"]["first-system"]
    # Two algebra outputs of each system: the independent reviewer called both correct.
    assert of_first["labels"] == {"correct": 2, "inconclusive": 0, "incorrect": 0}
    assert of_first["experts_per_output"] == [1]
    shown = document["in_sight"]
    graded = Answer.objects.count() // 2
    assert shown["labels"] == {"in_sight": graded, "independent": graded}
    assert shown["campaigns"] == [{"campaign": closed.slug, "in_sight": graded, "independent": graded}]
    [row] = [
        row
        for row in shown["figures"]
        if (row["kind"], row["question"], row["system"])
        == ("experts, conservative", "correctness", "first-system")
    ]
    # With them correct meets incorrect on both outputs, which is inconclusive.
    assert (row["without"]["value"], row["without"]["n"]) == (1.0, 2)
    assert (row["with"]["value"], row["with"]["n"]) == (0.0, 2)
    text = score_text(score(collect(release=closed.release)))
    assert (
        f"In sight of a verdict: {graded} labels, not counted above next to {graded} independent ones" in text
    )


def test_before_the_close_only_their_number_is_shown(both_arms):
    shown = score_document(collect(release=both_arms.release))["in_sight"]
    assert shown["labels"]["in_sight"]
    assert shown["figures"] == []


def test_a_score_without_such_labels_has_no_word_of_them(judged, coordinator, algebraist):
    graded_by(algebraist, attached(judged, coordinator), correctness="correct", rigour="3")
    inputs = collect(release=judged.release)
    assert "in_sight" not in inputs.as_json()
    assert "in_sight" not in score_document(inputs)
    assert in_sight(inputs, score(inputs), score) is None


def test_agreement_so_far_is_that_of_independent_labels(both_arms, second_algebraist):
    assert {label.reviewer for label in campaign_data(both_arms).labels} == {second_algebraist.pk}


def test_the_label_table_tells_them_apart(closed):
    rows = [row for row in label_rows(closed.release) if row["question"] == "correctness"]
    assert {(row["value"], row["verdict_seen"]) for row in rows} == {("incorrect", "yes"), ("correct", "no")}


@pytest.fixture
def told(unlabelled_gaps):
    """The expert labels of the sample as if one of its raters had seen a verdict, one had not, and of the others
    nothing were known."""
    rows = [dict(found.cells) for found in label_rows_of(SAMPLE / "re2math" / "labels-experts.csv")]
    raters = sorted({row["rater"] for row in rows})
    said = {raters[0]: "yes", raters[1]: "no"}
    return [{**row, "verdict_seen": said.get(row["rater"], "")} for row in rows]


@pytest.mark.slow
def test_what_is_said_of_sight_is_imported_and_exported_again_byte_for_byte(told, unlabelled_gaps, tmp_path):
    path = tmp_path / "labels.csv"
    import_labels(actor=None, path=written(path, told), release=unlabelled_gaps)
    exported = list(label_rows(unlabelled_gaps))
    assert Counter(row["verdict_seen"] for row in exported) == Counter(row["verdict_seen"] for row in told)
    assert collect(release=unlabelled_gaps).in_sight
    other = [{**row, "campaign": "again"} for row in exported]
    import_labels(actor=None, path=written(path, other), release=unlabelled_gaps)
    again = [{**row, "campaign": "sample-audit"} for row in label_rows(unlabelled_gaps, campaign="again")]
    assert list(csv_lines(again)) == list(csv_lines(exported))


def test_an_analysis_of_the_file_leaves_them_out_and_counts_them(closed, tmp_path):
    path = written(tmp_path / "labels.csv", label_rows(closed.release, campaign=closed.slug))
    with path.open("rb") as stream:
        table = read_labels(stream)
    kept, counts = independent(table)
    assert set(kept["verdict_seen"].texts()) == {"no"}
    assert counts == {"decisions": 0, "in_sight": len(table.lines) // 2}
    document = agreement.agreement_document(table, level=None, options=Options(seed=1))
    bundle = document["questions"]["correctness"]
    assert (bundle["n_labels"], bundle["n_in_sight"]) == (4, 4)


@pytest.mark.slow
def test_an_artifact_holds_both_and_is_recomputed(told, unlabelled_gaps, tmp_path):
    import_labels(actor=None, path=written(tmp_path / "labels.csv", told), release=unlabelled_gaps)
    document = build(collect(release=unlabelled_gaps), read_manifest(unlabelled_gaps, "raw"))
    held = json.loads(json.dumps(document))
    assert len(held["inputs"]["in_sight"]) == sum(row["verdict_seen"] == "yes" for row in told)
    assert verify(held).differences == ()
    held["inputs"]["labels"] += held["inputs"].pop("in_sight")
    assert verify(held).differences != ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"verdict_seen": "perhaps"}, "verdict_seen.*must be yes, no or empty"),
        ({"verdict_seen": "no"}, "line 3, field verdict_seen: line 2 says 'yes' of the same grade"),
        ({"rater_kind": "judge"}, "field verdict_seen: belongs to the label of an expert"),
    ],
)
def test_what_cannot_be_said_of_sight_is_refused_by_line_and_field(
    told, unlabelled_gaps, tmp_path, change, words
):
    rows = sorted((row for row in told if row["verdict_seen"] == "yes"), key=lambda row: row["subject"])
    rows[1].update(change)
    with pytest.raises(Refused, match=words):
        import_labels(actor=None, path=written(tmp_path / "labels.csv", rows), release=unlabelled_gaps)


@pytest.mark.slow
@pytest.mark.parametrize("other", [{"verdict_seen": "no"}, {"searches": "3"}])
def test_importing_another_fact_of_the_same_grade_is_refused(told, unlabelled_gaps, tmp_path, other):
    path = tmp_path / "labels.csv"
    import_labels(actor=None, path=written(path, told), release=unlabelled_gaps)
    rows = [row | other for row in told]
    with pytest.raises(Refused) as refusal:
        import_labels(actor=None, path=written(path, rows), release=unlabelled_gaps)
    assert refusal.value.code == "labels_differ"


@pytest.mark.slow
def test_an_older_table_that_says_nothing_of_sight_is_no_contradiction(told, unlabelled_gaps, tmp_path):
    path = tmp_path / "labels.csv"
    import_labels(actor=None, path=written(path, told), release=unlabelled_gaps)
    silent = [{**row, "verdict_seen": ""} for row in told]
    assert not import_labels(actor=None, path=written(path, silent), release=unlabelled_gaps).changed


def test_the_score_page_and_rest_show_both_figures(closed, client, coordinator):
    client.force_login(coordinator)
    page = client.get(reverse("score-numbers", args=[closed.release.name])).content.decode()
    assert "With and without labels in sight of a verdict" in page
    assert "100.0 % [34.2, 100.0] (2/2)" in page  # Wilson's interval of 2 of 2
    document = client.get(f"/api/v1/releases/{closed.release.name}/score/").json()
    assert document["in_sight"]["figures"][0]["with"]


@pytest.mark.parametrize("said", [None, False])
def test_the_database_refuses_a_grade_that_hides_what_was_in_sight(judged, coordinator, algebraist, said):
    campaign = attached(judged, coordinator, before=1.0)
    place = taking.take_next(reviewer=algebraist, campaign=campaign)
    assert RevealArm.objects.get(assignment=place).before
    with pytest.raises(IntegrityError, match="follows from where it was shown"), transaction.atomic():
        Grade.objects.create(
            assignment=place, rubric_sha256=campaign.rubric.sha256, idempotency_key="k", verdict_seen=said
        )


def test_the_database_refuses_a_sight_where_no_verdict_is_shown(drafted, coordinator, algebraist):
    campaigns_actions.draw_items(actor=coordinator, campaign=drafted)
    campaign = campaigns_actions.open_campaign(actor=coordinator, campaign=drafted)
    place = taking.take_next(reviewer=algebraist, campaign=campaign)
    with pytest.raises(IntegrityError, match="follows from where it was shown"), transaction.atomic():
        Grade.objects.create(
            assignment=place, rubric_sha256=campaign.rubric.sha256, idempotency_key="k", verdict_seen=True
        )
