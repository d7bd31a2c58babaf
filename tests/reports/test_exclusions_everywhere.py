"""A primary exclusion rule counts wherever systems are compared, and one that was declared late says so everywhere."""

import csv
import io
import json
import zipfile
from dataclasses import replace
from datetime import date

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.campaigns import actions as campaigns_actions
from annotation.core.visibility import Viewer
from annotation.models import Flag, Grade
from benchmark.describing.actions import describe_release
from benchmark.models import Release
from benchmark.protocols import get_protocol
from benchmark.releases.actions import import_release
from benchmark.releases.freezing import freeze_release
from reports.analysing.stored import stored_document
from reports.artifact.freezing import build, freeze_artifact
from reports.artifact.manifest import read_manifest
from reports.artifact.pairs import read_choices
from reports.artifact.verification import verify
from reports.comparison.choices import compared
from reports.comparison.pair_sources import PairSources
from reports.core.canonical import canonical
from reports.core.choosing import choose
from reports.core.outcomes import outcome_kinds, outcomes
from reports.exclusions.actions import declare_rule
from reports.models import Artifact
from reports.printing.items import printed_items
from reports.records.actions import Wish, prepare_record
from reports.records.archive import verify_archive
from reports.scores.inputs import collect
from stats.analyses.options import Options
from stats.analyses.running import Request
from tests.annotation.campaigns import drafted, opened, rubric, second_algebraist
from tests.annotation.grading import graded_by
from tests.conftest import member
from tests.documents import score_document
from tests.reports.conftest import SAMPLE
from tests.reports.test_judged_pairs import compared as chosen

__all__ = ["chosen", "drafted", "opened", "rubric", "second_algebraist"]
pytestmark = pytest.mark.django_db
OUT = "sample-proof-01"
TERMS = {"name": "named", "grounds": ["author"], "at_least": 1, "reason": "As planned."}
LATE = "declared when results could be read"


@pytest.fixture
def excluded(chosen, owner):
    """Eight problems that experts graded and four on which experts and judges chose; the first is excluded."""
    grade = Grade.objects.filter(assignment__item__instance__key=OUT, assignment__item__second=None).first()
    Flag.objects.create(grade=grade, kind="author")
    declare_rule(actor=owner, release=chosen, **TERMS, primary=True)
    return chosen


@pytest.fixture
def carl(client, coordinator):
    client.force_login(coordinator)
    return client


@pytest.mark.slow
def test_systems_are_compared_on_the_problems_that_the_score_counts(excluded):
    inputs = collect(release=excluded)
    [campaign] = score_document(inputs)["experts"]
    kinds = [kind for kind in outcome_kinds(inputs) if kind.source == "experts"]
    assert kinds
    for kind in kinds:
        found = outcomes(inputs, kind)
        assert found.excluded == 1
        scored = campaign["questions"][kind.key.partition(":")[2]]["systems"]
        for system, items in found.successes.items():
            assert OUT not in {instance for instance, _ in items}
            assert len(items) == scored[system]["conservative"]["estimate"]["n"]
    whole = outcomes(replace(inputs, rules=()), kinds[0])
    assert whole.excluded == 0
    assert OUT in {instance for instance, _ in whole.successes["aurora"]}


@pytest.mark.slow
def test_who_chose_between_outputs_of_an_excluded_problem_does_not_count(excluded):
    inputs = collect(release=excluded)
    sources = PairSources.of(excluded, inputs)
    whole = PairSources.of(excluded, replace(inputs, rules=()))
    # the expert said first, first, tie, second; the first problem is out
    assert sources.document("which:preference")["pairs"] == [
        {"first": "aurora", "second": "basalt", "wins": 1, "losses": 1, "ties": 1}
    ]
    assert {key.partition("@")[0].partition(":")[0] for key in sources.titles} >= {"which", "prefer"}
    for key in sources.titles:
        rest, everything = sources.document(key), whole.document(key)
        assert rest["excluded"] == 1
        assert "excluded" not in everything
        assert rest["comparisons"] < everything["comparisons"]


@pytest.mark.slow
def test_an_artifact_compares_as_the_pages_do_and_an_older_one_as_it_did(excluded):
    inputs = collect(release=excluded)
    choices, manifest = read_choices(excluded, inputs), read_manifest(excluded, "raw")
    document = build(inputs, manifest, None, choices)
    sources = PairSources.of(excluded, inputs)
    for key, found in document["comparisons"].items():
        page = json.loads(canonical(sources.document(key)))
        for part in ("excluded", "systems", "pairs", "comparisons"):
            assert found[part] == page[part]
    assert len(document["pairs"]["choices"]) == 24 + 4, "every choice is kept"
    older = replace(inputs, methods=5)
    as_before = build(older, manifest, None, choices)
    assert as_before["comparisons"] == json.loads(
        canonical(compared(choices, replace(inputs, rules=(), methods=9)))
    )
    assert as_before["score"]["judge"] == document["score"]["judge"]
    for each in (document, as_before):
        assert verify(json.loads(canonical(each))).differences == ()


@pytest.mark.slow
def test_pages_and_rest_say_what_the_comparisons_leave_out(excluded, carl):
    said = "1 of 8 instances are excluded"
    pages = [
        reverse(name, args=[excluded.name]) + query
        for name, query in (
            ("score-numbers", ""),
            ("compare", ""),
            ("compare-pair", "?first=aurora&second=basalt"),
            ("pairs", ""),
            ("external-scores", ""),
        )
    ]
    for page in pages:
        shown = carl.get(page).content.decode()
        assert said in shown, page
        assert LATE in shown, page
    results = carl.get(reverse("score", args=[excluded.name])).content.decode()
    assert "1 of 8 problems, by the rule named." in results
    assert "With five problems" in results  # experts graded six of the eight
    api = f"/api/v1/releases/{excluded.name}"
    assert carl.get(f"{api}/comparison/").json()["excluded"] == 1
    assert carl.get(f"{api}/pairs/").json()["excluded"] == 1
    assert carl.get(f"{api}/exclusions/").json()["rules"][0]["late"] is True


def test_all_numbers_say_first_what_the_primary_rule_leaves_out_and_then_why_in_words(excluded, carl):
    """In the printed report the table of exclusions comes pages after the rates, whose denominators are smaller."""
    shown = carl.get(reverse("score-numbers", args=[excluded.name])).content.decode()
    said = shown.index("The primary rule named leaves out 1 of 8 instances.")
    assert said < shown.index("What the experts say")
    assert f"{OUT}: The anchor names an author (1 of " in shown


def test_what_does_not_leave_it_out_says_so(excluded, carl):
    """Agreement on a campaign's pages is of all its items; printed items are all there, with a mark."""
    grade = Grade.objects.filter(assignment__item__instance__key=OUT, assignment__item__second=None).first()
    campaign = grade.assignment.item.campaign
    for address in (
        reverse("campaign-results", args=[campaign.slug]),
        reverse("question-reliability", args=[campaign.slug, grade.answers.first().question]),
    ):
        assert "Scores leave out 1 problem of this campaign" in carl.get(address).content.decode(), address
    printed = [item for batch in printed_items([campaign], Viewer.STAFF, identities=False) for item in batch]
    assert {item.key for item in printed if item.excluded} == {OUT}
    assert len({item.key for item in printed}) > 1
    marks = [
        "left out of scores" in render_to_string("reports/printing/_item.html", {"item": item})
        for item in printed
    ]
    assert marks == [item.excluded for item in printed]


def test_analyses_of_stored_labels_that_compare_systems_leave_it_out_too(excluded, carl):
    asked = Request("pairs", options=Options(question="preference"))
    [pair] = stored_document(choose(excluded, {}), "which", asked)["pairs"]
    assert (pair["wins"], pair["losses"], pair["ties"]) == (1, 1, 1)
    page = carl.get(reverse("stored-analysis", args=[excluded.name])).content.decode()
    assert "leaves out 1 instance." in page


@pytest.fixture
def audited(gaps, owner):
    """30 problems with an audit of 51 of the 75 answers; a rule leaves out one that three referees read."""
    grade = Grade.objects.filter(assignment__item__instance__key="sample-2401.00012_gap_0").first()
    Flag.objects.create(grade=grade, kind="author")
    declare_rule(actor=owner, release=gaps, **TERMS, primary=True)
    return gaps


@pytest.mark.slow
def test_an_audit_was_drawn_from_the_answers_to_all_problems(audited, carl):
    shown = carl.get(reverse("score", args=[audited.name]))
    assert (shown.context["audit"]["drawn"], shown.context["audit"]["outputs"]) == (51, 75)
    index = files_of(audited)[1]["index.html"].decode()
    assert "They read 51 of 75 answers" in index
    assert (
        "those of the judge’s audit count all"
        in carl.get(reverse("score-numbers", args=[audited.name])).content.decode()
    )


@pytest.mark.slow
def test_the_counts_of_agreement_are_about_the_outputs_that_alpha_is_about(audited, carl):
    context = carl.get(reverse("score", args=[audited.name])).context
    rows = {row["key"]: row for row in context["agreement"]["rows"]}
    for key in ("ground", "suff"):
        assert rows[key]["counts"].outputs == rows[key]["alpha"].estimate.n < 51
    n = rows[""]["counts"].outputs
    assert any(f"of {n} are unanimous" in said.rest for said in context["said"])


@pytest.mark.slow
def test_the_size_of_a_study_is_that_of_the_problems_that_count(excluded):
    assert "Seven problems: a difference" in files_of(excluded)[1]["index.html"].decode()


def files_of(release):
    """The archive of a record of the release, and its files."""
    terms = {"licence": "CC-BY-4.0", "creators": "Nora Feld", "published_on": date(2026, 11, 1)}
    describe_release(actor=None, release=release, **terms)
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    wish = Wish(name="study", title="Proofs", asked="Prove it.", limitations="Few problems.")
    made = prepare_record(artifact=freeze_artifact(actor=None, release=release), wish=wish)
    with zipfile.ZipFile(io.BytesIO(made.archive)) as packed:
        return made.archive, {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}


@pytest.mark.slow
def test_the_tables_of_a_record_say_which_rows_its_leaderboard_counts(excluded):
    content, files = files_of(excluded)
    tables = {
        name: list(csv.DictReader(io.StringIO(text.decode())))
        for name, text in files.items()
        if name.endswith(".csv")
    }
    # anybody can count the leaderboard's denominators and the wins again
    counted = {
        (row["subject"].split("/")[1], row["subject"])
        for row in tables["labels.csv"]
        if row["excluded"] == "no"
    }
    n = sorted(sum(slug == system for system, _ in counted) for slug in {system for system, _ in counted})
    assert sorted(int(row["experts_n"]) for row in tables["leaderboard.csv"]) == n
    choices = [row for row in tables["choices.csv"] if row["source"] == "which:preference"]
    values = sorted(row["value"] for row in choices if row["excluded"] == "no")
    assert values == ["first", "second", "tie"]
    [ours, _] = [row for row in tables["pairs.csv"] if row["source"] == "which:preference"]
    assert (ours["wins"], ours["ties"], ours["losses"]) == ("1", "1", "1")
    for name in ("labels.csv", "choices.csv", "verdicts.csv", "grid.csv"):
        for row in tables.get(name, ()):
            about = row.get("subject") or row.get("first") or f"{row['problem']}/"
            assert row["excluded"] == ("yes" if about.startswith(f"{OUT}/") else "no")
    page = files["index.html"].decode()
    assert "1 of 8 problems, by the rule named. It was declared when results could be read already." in page
    assert LATE in page
    assert "column `excluded`" in files["README.md"].decode()
    assert verify_archive(content).verified


@pytest.mark.slow
def test_the_tables_of_a_record_without_a_primary_rule_have_no_such_column(chosen):
    content, files = files_of(chosen)
    assert not [name for name, text in files.items() if b"excluded" in text.partition(b"\n")[0]]
    assert verify_archive(content).verified


@pytest.fixture
def graded(opened, algebraist, second_algebraist):
    """An open campaign in which every output has its grades."""
    for person in (algebraist, second_algebraist):
        for _ in range(4):
            graded_by(person, opened, correctness="correct", rigour="3")
    return opened


def late(release, owner, **terms):
    return declare_rule(actor=owner, release=release, **{**TERMS, "primary": True, **terms}).late


def test_a_rule_is_in_time_while_the_round_is_open_and_late_once_it_is_closed(graded, coordinator, owner):
    assert not late(graded.release, owner)
    campaigns_actions.close_campaign(actor=coordinator, campaign=graded, reason="A rehearsal.")
    assert late(graded.release, owner, name="after", primary=False)


def test_a_primary_rule_that_is_declared_after_the_close_is_marked_and_not_refused(
    graded, coordinator, owner
):
    campaigns_actions.close_campaign(actor=coordinator, campaign=graded, reason="A rehearsal.")
    assert late(graded.release, owner)


def test_a_rule_is_in_time_after_a_round_that_nobody_graded(opened, coordinator, owner):
    campaigns_actions.close_campaign(actor=coordinator, campaign=opened, reason="Nobody came.")
    assert not late(opened.release, owner)


def test_a_rule_is_in_time_after_an_audit_of_problems_which_shows_no_system(coordinator, owner):
    path = SAMPLE / "re2math" / "release.jsonl"
    import_release(actor=coordinator, protocol="re2math", path=path, name="gaps")
    release = Release.objects.get(name="gaps")
    terms = {"rubric": "re2math-construction-v1", "reviewers_per_item": 1, "seed": 7}
    audit = campaigns_actions.create_campaign(actor=coordinator, name="Audit", release=release, **terms)
    campaigns_actions.draw_items(actor=coordinator, campaign=audit, per_stratum=1)
    campaigns_actions.open_campaign(actor=coordinator, campaign=audit)
    reader = member("ida@study.test", "Ida", "reviewer", "algebra_number_theory")
    answers = dict.fromkeys((item.key for item in get_protocol("re2math").construction_items), "yes")
    graded_by(reader, audit, **answers)
    campaigns_actions.close_campaign(actor=coordinator, campaign=audit, reason="A rehearsal.")
    assert Grade.objects.exists()
    assert not late(release, owner)


def test_a_rule_is_late_once_a_score_is_frozen(opened, owner):
    Artifact.objects.create(kind="score", release=opened.release, content="{}", sha256="0" * 64)
    assert late(opened.release, owner)
