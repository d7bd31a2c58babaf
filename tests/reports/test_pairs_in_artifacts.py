"""Choices between two outputs in frozen scores: kept with what follows from them, recomputed by anybody, and public."""

import csv
import io
import json
import zipfile
from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.urls import reverse
from pypdf import PdfReader

from annotation.models import Grade
from benchmark.describing.actions import describe_release
from benchmark.models import Output, Release
from benchmark.releases.freezing import freeze_release
from reports.artifact.differences import compare
from reports.artifact.freezing import FORMAT, WITH_PAIRS, assemble, build, freeze_artifact
from reports.artifact.manifest import read_manifest
from reports.artifact.pairs import read_choices
from reports.artifact.verification import verify
from reports.comparison.choices import Choices, compared
from reports.comparison.pair_sources import PairSources
from reports.comparison.paired import pair_sources
from reports.core.canonical import canonical
from reports.invariants.rules import artifacts_are_about_what_is_stored
from reports.labels.importing import import_labels
from reports.records.actions import Wish, prepare_record
from reports.records.archive import archive, verify_archive
from reports.scores.inputs import collect
from stats.core.intervals import t_value, wilson
from tests.factories import JudgeFactory, VerdictFactory
from tests.reports.conftest import load, load_proofs
from tests.reports.test_direct_pairs import CHOICES, HEAD, line_of
from tests.reports.test_judged_pairs import with_choices

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _chosen(rows_of_the_module, tmp_path_factory):
    with rows_of_the_module():
        return with_choices(load_proofs(), tmp_path_factory.mktemp("choices"))


@pytest.fixture
def chosen(_chosen, db):
    """Proofs with the choices of three judges and an expert, the same for all tests of the file."""
    return Release.objects.select_related("benchmark").get(pk=_chosen.pk)


@pytest.fixture(scope="module")
def _content(_chosen, rows_of_the_module):
    with rows_of_the_module():
        return canonical(document_of(_chosen))


@pytest.fixture
def document(_content):
    """The artifact of `chosen`, for each test to change."""
    return json.loads(_content)


def without_names(document: object) -> object:
    """A document of comparisons without what only names a source or a rater."""
    plain = json.loads(canonical(document))
    plain.pop("grades")
    for rater in plain["transitivity"]["raters"]:
        rater.pop("rater")
    return plain


def document_of(release):
    inputs = collect(release=release)
    return build(inputs, read_manifest(release, "raw"), None, read_choices(release, inputs))


@pytest.mark.slow
def test_what_follows_from_the_choices_is_what_the_page_of_comparisons_says(chosen):
    inputs = collect(release=chosen)
    sources = PairSources.of(chosen, inputs)
    found = compared(read_choices(chosen, inputs), inputs)
    assert list(found) == ["which:preference", "prefer@one-v1", "prefer@three-v1", "prefer@two-v1", "prefer@"]
    for key, document in found.items():
        page = sources.document(key)
        assert document["grades"]["title"] == page["grades"]["title"]
        assert without_names(document) == without_names(page)
    # two wins, one loss and a tie of aurora, as the expert said
    aurora, basalt = found["which:preference"]["systems"]
    assert (aurora["system"], aurora["wins"], aurora["losses"], aurora["ties"]) == ("aurora", 2, 1, 1)
    assert aurora["win_rate"]["value"] == 0.5
    assert basalt["wins"] == 1


@pytest.mark.slow
def test_an_artifact_has_them_only_where_there_are_any(chosen, gaps):
    with_pairs, without = document_of(chosen), document_of(gaps)
    assert (with_pairs["format"], without["format"]) == (WITH_PAIRS, FORMAT)
    assert not {"pairs", "comparisons"} & without.keys()
    inputs = collect(release=gaps)
    assert canonical(without) == canonical(build(inputs, read_manifest(gaps, "raw")))
    for document in (with_pairs, without):
        assert verify(json.loads(canonical(document))).differences == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("methods", "ends"), [(5, wilson(0, 4, quantile=t_value(0.95, 1))), (6, wilson(0, 2))]
)
def test_what_earlier_methods_said_of_choices_stays(chosen, methods, ends):
    """Four problems of two papers of which aurora won none: four comparisons, and from methods 6 on two papers."""
    inputs = collect(release=chosen)
    papers = ["one", "one", "two", "two"]
    outputs = tuple(
        replace(row, cluster=papers[int(row.instance[-2:]) - 1]) if int(row.instance[-2:]) <= 4 else row
        for row in inputs.outputs
    )
    found = compared(read_choices(chosen, inputs), replace(inputs, outputs=outputs, methods=methods))
    aurora, _ = found["prefer@three-v1"]["systems"]
    assert (aurora["system"], aurora["win_rate"]["n"], aurora["win_rate"]["clusters"]) == ("aurora", 4, 2)
    assert aurora["win_rate"]["ci"] == pytest.approx(ends, abs=1e-12)


def test_choices_are_read_as_they_were_written(chosen):
    choices = read_choices(chosen, collect(release=chosen))
    assert Choices.from_json(json.loads(canonical(choices.as_json()))) == choices
    # 3 judges, 4 problems, 2 orders; 1 expert, 4 problems
    assert len(choices.rows) == 24 + 4


@pytest.mark.slow
def test_a_changed_choice_is_named_down_to_the_value(document):
    rows = document["pairs"]["choices"]
    at = next(number for number, row in enumerate(rows) if row[0] == "which:preference")
    rows[at][5] = {"first": "third"}.get(rows[at][5], "first")
    [difference] = verify(document).differences
    assert difference.path == f"pairs.choices[{at}]"


@pytest.mark.slow
def test_comparing_two_artifacts_names_the_choices_and_win_rates_that_differ(chosen):
    inputs = collect(release=chosen)
    choices = read_choices(chosen, inputs)
    at = next(number for number, row in enumerate(choices.rows) if row.source == "which:preference")
    row = choices.rows[at]
    other = replace(row, value="second" if row.value == "first" else "first")
    rows = (*choices.rows[:at], other, *choices.rows[at + 1 :])
    documents = [
        build(inputs, read_manifest(chosen, "raw"), None, each)
        for each in (choices, replace(choices, rows=rows))
    ]
    found = compare(*documents)
    [changed] = found["inputs"]["choices between outputs"]["changed"]
    assert changed["what"] == f"which:preference / {row.first} / {row.second}"
    changed_figures = {one["what"] for one in found["scores"]}
    assert "two at a time / which:preference / aurora / win_rate" in changed_figures
    assert not any("one-v1" in what for what in changed_figures)


@pytest.mark.slow
def test_a_changed_win_rate_is_named(document):
    document["comparisons"]["which:preference"]["systems"][0]["wins"] = 4
    paths = {difference.path for difference in verify(document).differences}
    assert "comparisons.which:preference.systems[0].wins" in paths


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        (1, "sample-proof-01/nobody/1", "there is no output sample-proof-01/nobody/1"),
        (0, "other:preference", "nothing says what other:preference is"),
        (5, "perhaps", "must be first, second, tie or both_bad"),
    ],
)
def test_a_forged_choice_with_right_hashes_is_refused(document, column, value, words):
    plain = document
    rows = [list(row) for row in plain["pairs"]["choices"]]
    rows[-1][column] = value
    pairs = {**plain["pairs"], "choices": rows}
    forged = assemble(
        *(plain[name] for name in ("made_with", "manifest", "inputs", "score")),
        None,
        pairs,
        plain["comparisons"],
    )
    [difference] = verify(forged).differences
    assert words in difference.found


def test_experts_have_the_numbers_of_their_labels_and_are_not_named(chosen, document):
    raters = {row[3] for row in document["pairs"]["choices"]}
    graders = {row[4] for row in document["inputs"]["labels"]}
    assert raters == {f"expert-{len(graders) + 1}", "one-v1", "two-v1", "three-v1"}, "ann graded no output"
    text = canonical(document).decode()
    for grade in Grade.objects.select_related("assignment__reviewer"):
        person = grade.assignment.reviewer
        assert person.email not in text
        assert f'"{person.rater}"' not in text


def test_only_where_both_orders_were_seen_a_record_counts_choices_that_turned(document):
    both = pair_sources(document["comparisons"])
    assert {source.key for source in both if source.flips is not None} == {
        key for key, found in document["comparisons"].items() if found["position_bias"]["swapped_pairs"]
    }
    once = {
        key: found | {"order_flips": 0, "position_bias": found["position_bias"] | {"swapped_pairs": 0}}
        for key, found in document["comparisons"].items()
    }
    assert {source.flips for source in pair_sources(once)} == {None}


def test_choices_of_an_open_campaign_are_not_frozen(chosen, monkeypatch):
    monkeypatch.setattr("reports.artifact.pairs.Phase", SimpleNamespace(CLOSED="open"))
    sources = {row.source for row in read_choices(chosen, collect(release=chosen)).rows}
    assert sources == {"prefer@one-v1", "prefer@two-v1", "prefer@three-v1"}


@pytest.fixture(scope="module")
def _published(_chosen, rows_of_the_module):
    day, release = date(2026, 11, 1), _chosen
    with rows_of_the_module():
        describe_release(
            actor=None, release=release, licence="CC-BY-4.0", creators="Nora Feld", published_on=day
        )
        freeze_release(actor=None, release=release)
        release.refresh_from_db()
        wish = Wish(name="study", title="Proofs", asked="Prove it.", limitations="Few problems.")
        return prepare_record(artifact=freeze_artifact(actor=None, release=release), wish=wish)


@pytest.fixture
def published(_published, db):
    """The archive of the study's record, and its files."""
    made = _published
    with zipfile.ZipFile(io.BytesIO(made.archive)) as packed:
        return made.archive, {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}


@pytest.mark.slow
def test_a_record_shows_the_comparisons_and_gives_them_as_tables(published):
    content, files = published
    page = files["index.html"].decode()
    section = page.split('id="pairs"')[1].split("</section>")[0]
    for title in ("Preference, Which", "Prefer, one-v1", "Prefer, 3 judges together"):
        assert title in section
    assert "<td" in section
    rows = list(csv.DictReader(io.StringIO(files["pairs.csv"].decode())))
    order = ["which:preference", "prefer@one-v1", "prefer@three-v1", "prefer@two-v1", "prefer@"]
    assert [row["source"] for row in rows[::2]] == order
    ours = next(row for row in rows if row["source"] == "which:preference" and row["wins"] == "2")
    assert (ours["wins"], ours["ties"], ours["losses"], ours["win_rate"]) == ("2", "1", "1", "0.5000")
    strengths = [float(row["strength"]) for row in rows if row["strength"]]
    assert min(strengths) < 0 < max(strengths), "negative numbers are read as numbers"
    assert files["pairs.md"].decode().startswith("| Compared by | System | Wins |")
    assert r"\begin{tabular}{llrrrrrr}" in files["pairs.tex"].decode()
    assert len(files["choices.csv"].decode().splitlines()) == 1 + 28
    whole = b"".join(files.values()).decode("utf-8", "replace")
    assert "4 referees took part" in page, "three who graded, and one who only compared"
    people = [grade.assignment.reviewer for grade in Grade.objects.select_related("assignment__reviewer")]
    assert not [person.email for person in people if person.email in whole]
    assert verify_archive(content).verified


def test_an_archive_with_another_choice_does_not_verify(published):
    _, files = published
    spoilt = {name: content for name, content in files.items() if name != "SHA256SUMS"}
    spoilt["choices.csv"] = spoilt["choices.csv"].replace(b",tie,", b",first,", 1)
    [difference] = verify_archive(archive("study-1", spoilt)).differences
    assert difference.path == "choices.csv"


def test_the_archive_verifies_on_the_command_line_without_a_release(published, tmp_path, capsys):
    (tmp_path / "record.zip").write_bytes(published[0])
    call_command("verify_artifact", str(tmp_path / "record.zip"))
    assert "verified" in capsys.readouterr().out


def test_what_is_stored_is_checked_for_artifacts_of_every_format(published):
    assert list(artifacts_are_about_what_is_stored()) == []


@pytest.mark.slow
def test_a_study_of_pairs_alone_has_results_a_record_and_a_pdf(client, owner, tmp_path):
    release = load("only-pairs", "proofs", {slug: f"outputs/{slug}" for slug in ("aurora", "basalt")})
    file = tmp_path / "choices.csv"
    lines = [line_of(choice).replace("sample-proofs,which", "only-pairs,alone") for choice in CHOICES]
    file.write_text("\n".join([HEAD, *lines]) + "\n")
    import_labels(actor=None, path=file, release=release)
    today = date(2026, 11, 30)
    describe_release(
        actor=None, release=release, licence="CC-BY-4.0", creators="Nora Feld", published_on=today
    )
    freeze_release(actor=None, release=release)
    release.refresh_from_db()
    client.force_login(owner)
    page = client.get(reverse("score", args=[release.name])).content.decode()
    assert "Experts compared answers two at a time, and graded none on its own." in page
    assert "what the AI judge says" not in page
    frozen = freeze_artifact(actor=None, release=release)
    wish = Wish(name="pairs", title="Pairs", asked="Which is better?", limitations="Few.")
    files = prepare_record(artifact=frozen, wish=wish).files
    front = files["index.html"].decode()
    # six and three wins in twelve comparisons
    assert (
        "Referees compared their answers two at a time: aurora won 50 % (17 to 83) of its comparisons, "
        "basalt 25 % (5 to 70). The two cannot be told apart."
    ) in front
    assert "leaderboard.csv" not in front
    assert "leaderboard.csv" not in files
    assert "Comparison with the form proofs-pairs-v1" in front
    assert b"preference" in files["rubrics/proofs-pairs-v1.toml"]
    assert "compared by experts" in files["badge.svg"].decode()
    verify_archive(files["pairs-1.zip"])
    report = PdfReader(io.BytesIO(client.get(reverse("score-report", args=[release.name])).content))
    printed = " ".join(" ".join(sheet.extract_text() for sheet in report.pages).split())
    assert "Two at a time" in printed
    assert "aurora 6 3 3 50 % (17 to 83)" in printed
    judge = JudgeFactory(protocol="proofs")
    VerdictFactory(
        judge=judge, output=Output.objects.filter(run__release=release).first(), predicate="correct"
    )
    page = client.get(reverse("score", args=[release.name])).content.decode()
    assert "The figures are what the AI judge says, not checked by experts." in page
