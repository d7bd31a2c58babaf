"""Judges of one track side by side: two of them output by output, and all of them by system."""

import numpy as np
import pytest
from django.urls import reverse

from benchmark.models import Output, System
from benchmark.protocol import LabelledOutput
from benchmark.protocols import get_protocol
from judging.models import Judge, Verdict
from judging.runs.actions import PublishedVerdict, imported_judge, store_published
from reports.core.choosing import choose
from reports.judges.choosing import judge_matrix
from reports.judges.matrix import Bench, matrix_of
from reports.judges.page import matrix_sections
from tests.reports.conftest import queries

PAIR, MATRIX = "judge-pair", "judge-matrix"


@pytest.fixture
def strict(gaps) -> Judge:
    """A second judge on the sample gaps: it repeats the first one's verdicts, but every third "yes" is a "no"."""
    judge = imported_judge(actor=None, slug="strict", protocol="re2math", published_as="strict-judge")
    first = Verdict.objects.exclude(judge=judge).select_related("output").order_by("id")
    yes = [verdict.pk for verdict in first if verdict.value == "yes"][::3]
    store_published(
        judge=judge,
        verdicts=[
            PublishedVerdict(
                output=verdict.output,
                predicate=verdict.predicate,
                value="no" if verdict.pk in yes else verdict.value,
                state=verdict.state,
                reason="Not convinced.",
            )
            for verdict in first
        ],
    )
    return judge


@pytest.fixture
def staff(client, coordinator):
    client.force_login(coordinator)
    return client


def document(staff, gaps, **asked):
    answer = staff.get(reverse("api-judge-pair", args=[gaps.name]), asked)
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.slow
def test_the_table_of_two_judges_counts_every_output_once(staff, gaps, strict):
    found = document(staff, gaps)
    first = Verdict.objects.exclude(judge=strict)
    for entry in found["predicates"]:
        said = first.filter(predicate=entry["predicate"])
        yes, no = entry["values"].index("yes"), entry["values"].index("no")
        assert sum(map(sum, entry["table"])) == entry["compared"] == said.filter(state="answered").count()
        assert entry["compared"] + sum(entry["left_out"].values()) == found["outputs"]
        assert sorted((entry["table"][yes][no], entry["table"][no][yes])) == [0, entry["differing"]]
        assert entry["differing"] > 0


def test_kappa_is_that_of_the_table(staff, gaps, strict):
    """Cohen 1960: (po - pe) / (1 - pe) from the counts of the table itself."""
    for entry in document(staff, gaps)["predicates"]:
        table, n = entry["table"], entry["compared"]
        agreed = sum(table[k][k] for k in range(len(table))) / n
        chance = sum(sum(table[k]) * sum(line[k] for line in table) for k in range(len(table))) / n**2
        assert entry["cohen_kappa"]["value"] == pytest.approx((agreed - chance) / (1 - chance))
        low, high = entry["cohen_kappa"]["ci"]
        assert low < entry["cohen_kappa"]["value"] < high
        assert entry["percent"]["value"] == pytest.approx(agreed)


def test_every_disagreement_is_listed_with_both_values(staff, gaps, strict):
    found = document(staff, gaps)
    assert len(found["differing"]) == sum(entry["differing"] for entry in found["predicates"])
    assert {frozenset((row["first"], row["second"])) for row in found["differing"]} == {
        frozenset(("yes", "no"))
    }
    one = document(staff, gaps, predicate="suff")
    assert {row["predicate"] for row in one["differing"]} == {"suff"}


def test_a_vote_that_could_not_be_read_is_left_out_and_counted(staff, gaps, strict):
    silent = imported_judge(actor=None, slug="silent", protocol="re2math", published_as="silent-judge")
    output = Output.objects.filter(run__release=gaps, state="answered").first()
    store_published(
        judge=silent,
        verdicts=[PublishedVerdict(output=output, predicate="ground", value="", state="unparsed")],
    )
    found = document(staff, gaps, judge="strict-judge", against="silent-judge")
    entry = next(entry for entry in found["predicates"] if entry["predicate"] == "ground")
    assert entry["compared"] == 0
    assert entry["left_out"]["unusable"] == 1
    assert entry["cohen_kappa"]["value"] is None
    assert found["differing"] == []


def test_the_page_leads_from_a_disagreement_to_both_replies(staff, gaps, strict):
    page = staff.get(reverse(PAIR, args=[gaps.name])).content.decode()
    row = document(staff, gaps)["differing"][0]
    assert row["subject"] in page
    subject = row["subject"].split("/")
    output = Output.objects.get(
        run__release=gaps, run__system__slug=subject[1], instance__key=subject[0], attempt=subject[2]
    )
    address = reverse("judge-replies", args=[strict.pk, output.pk])
    assert f'href="{address}#{row["predicate"]}"' in page
    assert "Not convinced." in staff.get(address).content.decode()


def test_the_page_of_two_judges_takes_as_many_queries_for_few_as_for_many_disagreements(staff, gaps, strict):
    address = reverse(PAIR, args=[gaps.name])
    many = queries(staff, address)
    few = queries(staff, f"{address}?predicate=suff")
    assert many == few


def test_the_download_has_one_row_per_disagreement(staff, gaps, strict):
    answer = staff.get(reverse("judge-pair-csv", args=[gaps.name]), {"predicate": "ground"})
    head, *rows = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()
    assert head.split(",")[0] == "subject"
    assert len(rows) == len(document(staff, gaps, predicate="ground")["differing"])


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"against": "nonesuch"}, 404),
        ({"against": "strict-judge", "judge": "strict-judge"}, 404),
        ({"predicate": "nonesuch"}, 404),
        ({"sort": "up"}, 400),
    ],
)
@pytest.mark.parametrize("name", [PAIR, "api-judge-pair"])
def test_what_is_not_there_is_refused_in_words(staff, gaps, strict, name, asked, status):
    assert staff.get(reverse(name, args=[gaps.name]), asked).status_code == status


def test_with_one_judge_the_page_says_what_to_do(staff, gaps):
    assert "verdicts on this track" in staff.get(reverse(PAIR, args=[gaps.name])).content.decode()
    assert staff.get(reverse("api-judge-pair", args=[gaps.name])).status_code == 404


def matrix(staff, gaps, **asked):
    return staff.get(reverse("api-judge-matrix", args=[gaps.name]), asked).json()


def test_the_matrix_counts_successes_on_the_items_that_all_have_in_common(staff, gaps, strict):
    found = matrix(staff, gaps)
    assert found["items"] + sum(found["left_out"].values()) == gaps.instances.count()
    by_system = {row["system"]: row["accepted"] for row in found["systems"]}
    by_judge = {row["judge"]: row["accepted"] for row in found["judges"]}
    assert sum(by_system.values()) == sum(by_judge.values()) == sum(c["accepted"] for c in found["cells"])
    assert by_judge["strict-judge"] < max(by_judge.values())
    for name in {cell["system"] for cell in found["cells"]}:
        row = [cell["residual"] for cell in found["cells"] if cell["system"] == name]
        assert sum(row) == pytest.approx(0)


def test_without_families_nothing_is_said_about_self_preference(staff, gaps, strict):
    assert matrix(staff, gaps)["self_preference"]["value"] is None
    page = staff.get(reverse(MATRIX, args=[gaps.name])).content.decode()
    assert "no answer is a judge’s own" in page


def test_a_judge_of_a_systems_family_is_marked_as_its_own(staff, gaps, strict):
    System.objects.filter(slug="aurora").update(family="North")
    kin = Judge.objects.create(
        slug="kin", protocol="re2math", model="", family="north", prompts={}, sha256="0" * 64
    )
    first = Verdict.objects.exclude(judge=strict)
    store_published(
        judge=kin,
        verdicts=[
            PublishedVerdict(
                output=verdict.output, predicate=verdict.predicate, value=verdict.value, state=verdict.state
            )
            for verdict in first.select_related("output")
        ],
    )
    found = matrix(staff, gaps)
    assert {(cell["system"], cell["judge"]) for cell in found["cells"] if cell["own"]} == {
        ("aurora", kin.label)
    }
    sections = matrix_sections(judge_matrix(choose(gaps, {})))
    assert sections["self_preference"].value or sections["why_not"]


def test_verdicts_about_one_paper_are_one_cluster_of_self_preference():
    rng, families = np.random.default_rng(3), ("a", "b", "c")

    def output(system: str, at: int) -> LabelledOutput:
        labels = {"ground": "yes", "suff": str(rng.choice(["yes", "no"]))}
        states = dict.fromkeys(labels, "answered")
        return LabelledOutput(system, f"p{at}", f"paper-{at % 6}", "analysis", 1, "answered", labels, states)

    benches = [
        Bench(f"judge-{family}", family, [output(system, at) for system in families for at in range(30)])
        for family in families
    ]
    metric = get_protocol("re2math").metrics[0]
    found = matrix_of("r", "raw", metric, benches, dict(zip(families, families, strict=True)))
    assert found.items == 30
    assert found.self_preference.clusters == 6


def test_the_matrix_downloads_one_row_per_cell(staff, gaps, strict):
    answer = staff.get(reverse("judge-matrix-csv", args=[gaps.name]))
    rows = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()
    assert len(rows) == 1 + len(matrix(staff, gaps)["cells"])


def test_rest_refuses_what_is_not_there(staff, gaps):
    lone = staff.get(reverse("api-judge-pair", args=[gaps.name]))
    assert lone.status_code == 404
    assert "two judges" in lone.json()["reason"]
    for asked in ({"metric": "nonesuch"}, {"track": "nonesuch"}):
        refused = staff.get(reverse("api-judge-matrix", args=[gaps.name]), asked)
        assert refused.status_code == 404
        assert "there are: " in refused.json()["reason"]
