"""Agreement of experts on leaks: who flagged what, of what they were able to flag."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.models import Flag, Grade
from reports.campaign.flagging import flag_agreement, flag_labels
from reports.labels.importing import import_labels
from reports.labels.rows import label_rows
from tests.factories import (
    AssignmentFactory,
    BenchmarkFactory,
    CampaignFactory,
    InstanceFactory,
    ItemFactory,
    OutputFactory,
    ReleaseFactory,
    RunFactory,
)
from tests.reports.conftest import load_gaps

pytestmark = pytest.mark.django_db


@pytest.fixture
def gaps(db):
    """Written by each test that asks: others of this file begin without it."""
    return load_gaps()


def graded(item, reviewer, *kinds, **fields) -> Grade:
    place = AssignmentFactory(item=item, reviewer=reviewer)
    grade = Grade.objects.create(
        assignment=place, rubric_sha256="r", idempotency_key=fields.pop("key", "k"), **fields
    )
    for kind in kinds:
        output = item.output if kind == "restates_proof" else None
        Flag.objects.create(
            grade=grade, kind=kind, output=output, link="https://a.test" if "public" in kind else ""
        )
    return grade


@pytest.fixture
def items():
    """Four problems, an output of each by one system, and of the first by another one."""
    benchmark = BenchmarkFactory(slug="re2math", name="Re2Math", protocol="re2math")
    release = ReleaseFactory(name="gaps", benchmark=benchmark)
    campaign = CampaignFactory(slug="round", release=release)
    runs = [RunFactory(release=release, system__slug=name) for name in ("aurora", "basalt")]
    problems = [InstanceFactory(release=release, key=f"p{number}", domain="algebra") for number in range(4)]
    outputs = [OutputFactory(run=runs[0], instance=problem) for problem in problems]
    outputs.append(OutputFactory(run=runs[1], instance=problems[0]))
    return [ItemFactory(campaign=campaign, output=output, instance=output.instance) for output in outputs]


@pytest.fixture
def flagged(items, algebraist, geometer):
    """Both graded all. Of the problems the one flags the authors of p0 and p1, the other that of p0, at the other
    output of it; and the one says that the output on p3 restates the proof."""
    for item, *kinds in zip(
        items,
        (("author",), ("author",), (), ("restates_proof",), ()),
        ((), (), (), (), ("author", "context")),
        strict=True,
    ):
        for reviewer, said in zip((algebraist, geometer), kinds, strict=True):
            graded(item, reviewer, *said)
    return items[0].campaign


def said_of(campaign, kind):
    return {
        (label.subject, label.rater): label.value for label in flag_labels(campaign) if label.question == kind
    }


def test_agreement_is_on_problems_for_what_is_in_them_and_on_outputs_for_what_is_in_those(flagged):
    found = flag_agreement(flagged, seed=1)
    # p0: yes and yes, p1: yes and no, p2 and p3: no and no. Chance: 1/2 1/4 + 1/2 3/4 = 1/2; (3/4 - 1/2) / (1/2) = 1/2
    author = found["author"]
    assert (author.n_items, author.n_raters, author.n_labels, author.n_flagged) == (4, 2, 8, 3)
    assert author.coefficients["percent"].value == 0.75
    assert author.coefficients["cohen_kappa"].value == pytest.approx(0.5)
    # five outputs, of which one was flagged by one of two
    restates = found["restates_proof"]
    assert (restates.n_items, restates.n_labels, restates.n_flagged) == (5, 10, 1)
    assert restates.coefficients["percent"].value == 0.8
    # nobody flagged a DOI: they agree, and a coefficient that needs two values has none
    assert (found["doi"].n_flagged, found["doi"].coefficients["percent"].value) == (0, 1.0)
    assert found["doi"].coefficients["krippendorff_alpha_nominal"].value is None


def test_any_leak_is_about_what_was_graded_with_what_is_in_its_problem(flagged, algebraist, geometer):
    found = said_of(flagged, "any")
    assert {(subject, value) for (subject, rater), value in found.items() if rater == algebraist.rater} == {
        ("p0/aurora/1", "yes"),
        ("p0/basalt/1", "yes"),
        ("p1/aurora/1", "yes"),
        ("p2/aurora/1", "no"),
        ("p3/aurora/1", "yes"),
    }
    # the other one: yes on both outputs of p0 only; they agree on p0 twice and on p2
    assert flag_agreement(flagged, seed=1)["any"].coefficients["percent"].value == 0.6
    assert flag_agreement(flagged, seed=1)["any"].coefficients["percent"].clusters == 4


def test_only_a_grade_that_could_have_had_a_flag_says_that_there_is_no_leak(items, algebraist, geometer):
    graded(items[1], algebraist, "author")
    graded(items[1], geometer, key="import:x")
    assert set(said_of(items[1].campaign, "author").values()) == {"yes"}
    later = graded(items[3], algebraist, "author")
    Grade.objects.create(
        assignment=later.assignment, supersedes=later, rubric_sha256="r", idempotency_key="k2"
    )
    assert said_of(items[1].campaign, "author") == {
        ("p1/-/0", algebraist.rater): "yes",
        ("p3/-/0", algebraist.rater): "no",
    }


def test_a_protocol_without_flags_of_outputs_asks_about_problems(algebraist):
    campaign = CampaignFactory(slug="round", release=ReleaseFactory(name="proofs"))
    run = RunFactory(release=campaign.release)
    problem = InstanceFactory(release=campaign.release, key="p", domain="algebra")
    item = ItemFactory(campaign=campaign, output=OutputFactory(run=run, instance=problem), instance=problem)
    graded(item, algebraist, "public_solution")
    assert {label.question for label in flag_labels(campaign)} == {"any", "context", "public_solution"}
    assert said_of(campaign, "any") == {("p/-/0", algebraist.rater): "yes"}


@pytest.mark.slow
def test_where_nobody_was_able_to_flag_there_is_no_agreement_on_leaks(gaps):
    campaign = Grade.objects.select_related("assignment__item__campaign").first().assignment.item.campaign
    assert flag_agreement(campaign, seed=1) == {}


def test_page_csv_and_rest_give_the_same_and_name_no_system(flagged, client, coordinator):
    client.force_login(coordinator)
    page = client.get(reverse("campaign-results", args=["round"])).content.decode()
    table = page.split('id="flags"')[1].split("</table>")[0]
    assert "Any leak" in table
    assert "The anchor names an author" in table
    assert "3 of 8" in table
    assert "The anchor holds a DOI" not in table, "nobody flagged one"
    assert "aurora" not in page
    sent = client.get(reverse("campaign-figure-csv", args=["round", "flags"]))
    rows = list(csv.DictReader(io.StringIO(b"".join(sent.streaming_content).decode())))
    kappa = [row for row in rows if (row["kind"], row["coefficient"]) == ("author", "cohen_kappa")]
    assert [float(row["value"]) for row in kappa] == [pytest.approx(0.5)]
    assert kappa[0]["n_flagged"] == "3"
    found = client.get("/api/v1/campaigns/round/results/").json()["flags"]
    assert found["author"]["coefficients"]["cohen_kappa"]["value"] == pytest.approx(0.5)
    assert found["doi"]["n_flagged"] == 0


def test_flags_as_labels_are_analysed_and_are_no_labels_of_the_release(flagged, tmp_path, capsys):
    call_command("export_labels", release="gaps", flag_labels=True)
    path = tmp_path / "flags.csv"
    path.write_text(capsys.readouterr().out)
    call_command("analyse", "agreement", str(path), "--question", "flag_author", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["questions"]["flag_author"]["cohen_kappa"]["value"] == pytest.approx(0.5)
    call_command("export_labels", release="gaps", flag_labels=True, blinded=True)
    assert "aurora" not in capsys.readouterr().out
    assert list(label_rows(flagged.release)) == []
    with pytest.raises(Exception, match="flag_author"):
        import_labels(actor=None, path=path, release=flagged.release)
