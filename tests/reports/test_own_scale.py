"""Four levels in a coordinator's own words, from the rubric file to every report."""

import csv
import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path

import krippendorff as oracle
import pytest
from django.urls import reverse
from pypdf import PdfReader

from accounts.refusal import Refused
from annotation.core.visibility import Viewer
from annotation.models import Campaign
from annotation.rubrics.actions import import_rubrics
from benchmark.models import Release
from reports.artifact.freezing import build
from reports.artifact.manifest import read_manifest
from reports.artifact.verification import verify_file
from reports.campaign.pages import results_sections
from reports.campaign.results import campaign_results
from reports.comparison.implied_pairs import implied_rows
from reports.core.canonical import canonical
from reports.core.outcomes import chosen_kind, outcomes
from reports.invariants.rules import answers_are_on_the_scale
from reports.labels.exporting import csv_lines
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from reports.printing.report import ReportOrder, print_report
from reports.results.board import board
from reports.results.graded import reading
from reports.results.page import Names, board_context
from reports.scores.document import score
from reports.scores.inputs import collect
from reports.scores.text import expert_cell, score_text
from tests.documents import campaign_results_document, question_document, reviewers_document, score_document
from tests.factories import BenchmarkFactory, InstanceFactory, OutputFactory, ReleaseFactory, RunFactory
from tests.own_scale import LEVELS

pytestmark = pytest.mark.django_db
VALUES = ("flawless", "minor", "major", "reject")
# One letter for each of three experts; by system, problems 1 to 4.
GRADES = {"aurora": ("fmf", "fmr", "jjm", "rrr"), "basalt": ("mmm", "jrj", "frj", "rrr")}
WORDS = {"f": "flawless", "m": "minor", "j": "major", "r": "reject"}
KEY = "refereeing:recommendation"


def release_named(name: str) -> Release:
    release = ReleaseFactory(name=name, benchmark=BenchmarkFactory(slug=name, protocol="proofs"))
    instances = [InstanceFactory(release=release, key=f"p{number}") for number in (1, 2, 3, 4)]
    for system in GRADES:
        run = RunFactory(release=release, system__slug=f"{system}-{name}", system__name=system.title())
        for instance in instances:
            OutputFactory(run=run, instance=instance)
    return release


def labels(release: Release, folder: Path, *, grades: Mapping[str, Sequence[Sequence[str]]] = GRADES) -> Path:
    path = folder / f"{release.name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["release", "campaign", "question", "subject", "rater", "rater_kind", "value", "rubric_version"]
        )
        for system, problems in grades.items():
            for number, letters in enumerate(problems, start=1):
                for expert, letter in enumerate(letters):
                    subject = f"p{number}/{system}-{release.name}/1"
                    who = f"expert{expert}@study.test"
                    value = WORDS.get(letter, letter)
                    writer.writerow(
                        [
                            release.name,
                            "refereeing",
                            "recommendation",
                            subject,
                            who,
                            "expert",
                            value,
                            "referee-v1",
                        ]
                    )
    return path


@pytest.fixture
def refereed(coordinator, tmp_path) -> Release:
    import_rubrics(actor=coordinator, protocol="proofs", content=LEVELS.encode())
    release = release_named("one")
    import_labels(actor=None, path=labels(release, tmp_path), release=release)
    return release


def recommendation(release: Release) -> dict:
    [campaign] = score_document(collect(release=release))["experts"]
    return campaign["questions"]["recommendation"]


def test_systems_pass_by_the_success_set_unanimously_and_by_majority(refereed):
    """Aurora: problem 1 by all; 2 by two of three, of whom one says flawless and one minor. Basalt: problem 1."""
    found = recommendation(refereed)
    assert found["scale"] == "ordinal: flawless, minor, major, reject"
    rates = {
        system.partition("-")[0]: [(part[way]["estimate"]["k"], part[way]["estimate"]["n"]) for way in WAYS]
        for system, part in found["systems"].items()
    }
    assert rates == {"aurora": [(1, 4), (2, 4)], "basalt": [(1, 4), (1, 4)]}
    aurora = found["systems"]["aurora-one"]
    # f m f, f m r, j j m, r r r
    assert aurora["labels"] == {"flawless": 3, "minor": 3, "major": 2, "reject": 4}
    assert aurora["conservative"]["counts"] == {
        "flawless": 0,
        "minor": 0,
        "major": 0,
        "reject": 1,
        "split": 3,
    }
    assert aurora["majority"]["counts"] == {"flawless": 1, "minor": 0, "major": 1, "reject": 1, "split": 1}


WAYS = ("conservative", "majority")


def test_agreement_leads_with_ordinal_alpha(refereed):
    campaign = Campaign.objects.get()
    document = question_document(campaign, "recommendation")
    assert (document["level"], document["primary"]) == ("ordinal", "krippendorff_alpha_ordinal")
    units = [problem for problems in GRADES.values() for problem in problems]
    ranks = [[VALUES.index(WORDS[unit[rater]]) for unit in units] for rater in range(3)]
    expected = oracle.alpha(ranks, value_domain=[0, 1, 2, 3], level_of_measurement="ordinal")
    assert document["coefficients"]["krippendorff_alpha_ordinal"]["value"] == pytest.approx(expected)
    results = campaign_results_document(campaign)
    assert list(results["questions"]) == ["recommendation"]
    shown = results_sections(campaign_results(campaign), today=dt.date(2026, 1, 1))["questions"][0]["cells"]
    assert shown[0].name == "Krippendorff’s alpha, ordinal"


def test_stored_labels_are_analysed_in_the_order_of_their_scale(refereed, client, coordinator):
    client.force_login(coordinator)
    address = reverse("api-stored-analyses", args=[refereed.name])

    def asked(**options):
        sent = {"campaign": "refereeing", "question": "recommendation", **options}
        return client.post(address, sent, content_type="application/json").json()["questions"][
            "recommendation"
        ]

    systems = asked(analysis="systems", positive="flawless,minor")["systems"]
    # fmf and fmr have a majority of flawless and minor, fmf alone is unanimous; of basalt's mmm, jrj, frj, rrr mmm is.
    assert [(row["majority"]["k"], row["unanimous"]["k"], row["labelled"]) for row in systems] == [
        (2, 1, 4),
        (1, 1, 4),
    ]
    # reject 0, major 1, minor 2, flawless 3: fmf 8/3, fmr 5/3, jjm 4/3, rrr 0.
    assert systems[0]["mean"]["value"] == pytest.approx((8 + 5 + 4 + 0) / 12)
    agreement = asked(analysis="agreement")
    page = question_document(Campaign.objects.get(release=refereed), "recommendation")
    assert agreement["primary"] == page["primary"] == "krippendorff_alpha_ordinal"
    assert agreement["krippendorff_alpha_ordinal"]["value"] == pytest.approx(
        page["coefficients"]["krippendorff_alpha_ordinal"]["value"], abs=1e-12
    )


def test_the_favourable_answer_in_monitoring_is_the_success_set(refereed):
    document = reviewers_document(Campaign.objects.get())
    assert document["questions"]["recommendation"]["favourable"] == "flawless or minor"


def test_systems_are_compared_by_passes_and_two_at_a_time_by_order(refereed):
    inputs = collect(release=refereed)
    kind = chosen_kind(inputs, KEY)
    assert "“flawless or minor”" in kind.definition
    found = outcomes(inputs, kind)
    passed = {
        name: sorted(key for (key, _), value in of.items() if value) for name, of in found.successes.items()
    }
    assert passed == {"aurora-one": ["p1", "p2"], "basalt-one": ["p1"]}
    # p1: f-m, m-m, f-m; p2: f-j, m-r, r-j; p3: j-f, j-r, m-j; p4: three ties
    results = [row["value"] for row in implied_rows(inputs, KEY)]
    assert (results.count("first"), results.count("second"), results.count("tie")) == (6, 2, 4)


def test_labels_are_exported_and_imported_elsewhere_unchanged(refereed, tmp_path):
    exported = tmp_path / "labels.csv"
    exported.write_text("".join(csv_lines(label_rows(refereed))))
    assert not import_labels(actor=None, path=exported, release=refereed).changed
    other = release_named("two")
    moved = (
        exported.read_text().replace("-one", "-two").replace("one,", "two,").replace("refereeing", "again")
    )
    (tmp_path / "moved.csv").write_text(moved)
    import_labels(actor=None, path=tmp_path / "moved.csv", release=other)
    assert "".join(csv_lines(label_rows(other))) == moved
    assert list(answers_are_on_the_scale()) == []


def test_a_word_off_the_scale_is_refused_with_its_line(coordinator, tmp_path):
    import_rubrics(actor=coordinator, protocol="proofs", content=LEVELS.encode())
    release = release_named("one")
    with pytest.raises(Refused, match=r"line 2.*'c' is not one of flawless, minor, major, reject"):
        import_labels(
            actor=None, path=labels(release, tmp_path, grades={"aurora": ("correct",)}), release=release
        )


@pytest.mark.slow
def test_it_is_printed_and_shown_in_its_own_words(refereed, tmp_path, client, coordinator):
    assert "passed 1 of 4 unanimously, 2 by majority" in score_text(score(collect(release=refereed)))
    order = ReportOrder(refereed, Campaign.objects.get(), items=True, score=True, identities=True)
    path = tmp_path / "report.pdf"
    print_report(order, Viewer.STAFF, path, lambda done, total: None)
    text = " ".join(page.extract_text() for page in PdfReader(path).pages)
    assert all(value in text for value in VALUES)
    client.force_login(coordinator)
    page = client.get(reverse("score-numbers", args=[refereed.name])).content.decode()
    assert "Krippendorff’s alpha, ordinal" in page
    assert "1 flawless, 0 minor, 1 major, 1 reject, 1 split" in page


@pytest.mark.slow
def test_an_artifact_of_it_verifies_from_its_own_bytes(coordinator, proofs, tmp_path):
    import_rubrics(actor=coordinator, protocol="proofs", content=LEVELS.encode())
    path = labels(proofs, tmp_path, grades={"aurora": ("fmr", "jrj")})
    text = path.read_text().replace("aurora-sample-proofs", "aurora")
    path.write_text(text.replace(",p1/", ",sample-proof-01/").replace(",p2/", ",sample-proof-02/"))
    import_labels(actor=None, path=path, release=proofs)
    document = build(collect(release=proofs), read_manifest(proofs, "raw"))
    found = next(part for part in document["score"]["experts"] if part["campaign"] == "refereeing")
    estimate = found["questions"]["recommendation"]["systems"]["aurora"]["majority"]["estimate"]
    assert (estimate["k"], estimate["n"]) == (1, 2)
    assert verify_file(canonical(document) + b"\n").verified


POINTS = """
[[rubric]]
name = "referee"
version = 1
kind = "grade"
title = "Points"

[[rubric.questions]]
key = "recommendation"
text = "How many points?"

[rubric.questions.scale]
level = "interval"
values = ["0", "0.25", "3", "1000000"]
success = ["1000000"]
"""


def test_means_of_the_results_are_those_of_the_score_to_the_last_digit(coordinator, tmp_path):
    import_rubrics(actor=coordinator, protocol="proofs", content=POINTS.encode())
    release = release_named("points")
    grades = {"aurora": (("0.25", "3"), ("0.25", "0.25"), ("0", "0", "0.25"), ("3",)), "basalt": (("0",),)}
    import_labels(actor=None, path=labels(release, tmp_path, grades=grades), release=release)
    inputs = collect(release=release)
    document = score(inputs)
    (campaign,) = document.experts
    found = reading(inputs)
    leaderboard = board(document, found, {row.subject: row for row in inputs.outputs}, inputs.methods)
    for line in leaderboard.lines:
        macro = campaign.questions["recommendation"].systems[line.system].macro
        assert (line.experts.value, line.experts.ci) == (macro.value, macro.ci), line.system
    levels = [found.outputs[f"p{number}/aurora-points/1"].level for number in (1, 2, 3, 4)]
    assert levels == ["1.6", "0.25", "0.1", "3"]
    names = Names({}, {}, {}, lambda subject, instance: "")
    shown = board_context(leaderboard, names)
    assert (shown["top"], shown["middle"]) == ("1000000", "500000")


def test_points_that_pass_are_in_the_text_too_and_nothing_passes_of_nothing(
    coordinator, owner, client, tmp_path
):
    import_rubrics(actor=coordinator, protocol="proofs", content=POINTS.encode())
    release = release_named("points")
    grades = {"aurora": (("1000000", "1000000"), ("1000000", "3", "1000000"), ("0",))}
    import_labels(actor=None, path=labels(release, tmp_path, grades=grades), release=release)
    document = score(collect(release=release))
    (campaign,) = document.experts
    graded, ungraded = campaign.questions["recommendation"].systems.values()
    assert expert_cell(graded).endswith("; passed 1 of 3 unanimously, 2 by majority")
    assert "passed" not in expert_cell(ungraded)
    client.force_login(owner)
    page = client.get(reverse("score-numbers", args=[release.name])).content.decode()
    assert page.count("passed, majority:") == 1


def test_pages_about_one_grade_of_one_referee_speak_of_one(coordinator, owner, client, tmp_path):
    import_rubrics(actor=coordinator, protocol="proofs", content=POINTS.encode())
    release = release_named("points")
    import_labels(actor=None, path=labels(release, tmp_path, grades={"aurora": (("3",),)}), release=release)
    client.force_login(owner)
    for name, arguments, words in (
        ("score", [release.name], "No proof has two or more referees."),
        ("campaign-results", ["refereeing"], "1 of 1 grade is submitted."),
        ("question-reliability", ["refereeing", "recommendation"], "1 label</a> of 1 expert on 1 output"),
    ):
        assert words in client.get(reverse(name, args=arguments)).content.decode()


def test_a_mean_on_a_scale_from_0_to_1_is_shown_as_a_mean(coordinator, owner, client, tmp_path):
    import_rubrics(
        actor=coordinator,
        protocol="proofs",
        content=POINTS.replace('"3", "1000000"', '"1"').replace("1000000", "1").encode(),
    )
    release = release_named("unit")
    grades = {"aurora": (("0.25", "1"), ("0.25", "0.25")), "basalt": (("0",), ("1",))}
    import_labels(actor=None, path=labels(release, tmp_path, grades=grades), release=release)
    client.force_login(owner)
    context = client.get(reverse("score", args=[release.name])).context["board"]
    assert context["means"]
    assert [row["experts"]["value"] for row in context["lines"]] == ["50 %", "44 %"]
