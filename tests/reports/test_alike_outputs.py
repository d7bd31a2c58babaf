"""Outputs of one paper, attempts at one problem and judgments of one output are not independent evidence (ADR 27)."""

import math
from dataclasses import replace

import pytest

from benchmark.protocols import get_protocol
from reports.core.datasets import ExpertLabel, OutputRow, Unreleased
from reports.core.measurements import Asked, Measured
from reports.results.board import board
from reports.results.graded import reading
from reports.scores.document import score
from reports.scores.expert_scores import expert_scores
from reports.scores.inputs import collect
from reports.scores.measured_scores import measured_scores
from stats.core.intervals import t_value, wilson
from tests.reports.test_expert_abstentions import RUBRIC

PAPERS, EACH, RATERS = 10, 8, ("one", "two", "three")


def scored(correct: int, *, methods: int = 7, lacks: int = 0):
    """Ten papers of eight problems; every proof in the first `correct` papers is good, all others are bad.

    Of the last `lacks` papers system "b" alone has outputs.
    """
    rows, labels = [], []
    for paper in range(PAPERS):
        for number in range(EACH):
            for system in ("a", "b") if paper < PAPERS - lacks else ("b",):
                subject = f"p{paper}.{number}/{system}/1"
                fields = (
                    subject,
                    system,
                    f"p{paper}.{number}",
                    f"paper {paper}",
                    "algebra",
                    1,
                    "answered",
                    "",
                )
                rows.append(OutputRow(*fields))
                for rater in RATERS:
                    said = ("correct", "5") if paper < correct else ("incorrect", "1")
                    for asked, value in zip(("correctness", "logic"), said, strict=True):
                        labels.append(ExpertLabel(subject, "c", asked, "", rater, value, "answered"))
    absent = {f"p{paper}.{number}" for paper in range(PAPERS - lacks, PAPERS) for number in range(EACH)}
    found = expert_scores(RUBRIC, rows, labels, missing={"a": absent, "b": set()}, methods=methods)
    return {key: of.systems["a"] for key, of in found.items()}


def test_eighty_proofs_of_ten_papers_that_succeed_together_are_ten():
    """The effect of clusters of 8 is 8 (by (n - 1) / n and C / (C - 1)); below 20 papers with Student's t."""
    rate = scored(6)["correctness"].conservative.estimate
    assert (rate.k, rate.n, rate.clusters, rate.value) == (48, 80, 10, 0.6)
    effective = 80 / (8 * (10 / 9) * (79 / 80))
    assert rate.ci == pytest.approx(wilson(0.6 * effective, effective, quantile=t_value(0.95, 9)), abs=1e-9)
    assert scored(6)["correctness"].majority.estimate == rate
    before = scored(6, methods=6)["correctness"].conservative.estimate
    assert (before.ci, before.clusters) == (wilson(48, 80), None)


@pytest.mark.parametrize("p", [0.3, 0.5, 0.8])
def test_intervals_of_experts_scores_hold_the_rate_of_papers_that_succeed_together(p):
    """Exact, over all numbers of good papers; as independent outputs the interval holds it in .66 to .71."""
    covered, before = 0.0, 0.0
    for k in range(PAPERS + 1):
        chance = math.comb(PAPERS, k) * p**k * (1 - p) ** (PAPERS - k)
        low, high = scored(k)["correctness"].conservative.estimate.ci
        covered += chance * (low <= p <= high)
        low, high = wilson(k * EACH, PAPERS * EACH)
        before += chance * (low <= p <= high)
    assert covered > 0.92
    assert before < 0.71


def test_means_over_outputs_and_over_judgments_have_the_spread_of_papers():
    """Six papers at 5 and four at 1: mean 3.4, variance of a paper 4.2667, over ten papers; nine degrees of freedom."""
    means = scored(6)["logic"]
    half = t_value(0.95, 9) * math.sqrt((6 * 1.6**2 + 4 * 2.4**2) / 9 / 10)
    assert (means.macro.value, means.micro.value) == pytest.approx((3.4, 3.4))
    assert (means.macro.n, means.micro.n) == (80, 240)
    for found in (means.macro, means.micro):
        assert found.clusters == 10
        assert found.ci == pytest.approx((3.4 - half, 3.4 + half), abs=1e-9)
    before = scored(6, methods=6)["logic"].micro
    assert before.ci[1] - before.ci[0] < half


def test_judgments_of_one_output_are_alike_where_each_paper_has_one():
    """Three raters who agree are worth one: both means have one interval."""
    rows = [OutputRow(f"p{n}/a/1", "a", f"p{n}", f"p{n}", "algebra", 1, "answered", "") for n in range(12)]
    labels = [
        ExpertLabel(row.subject, "c", "logic", "", rater, str(1 + place % 5), "answered")
        for place, row in enumerate(rows)
        for rater in RATERS
    ]
    means = expert_scores(RUBRIC, rows, labels)["logic"].systems["a"]
    assert means.macro.clusters is None  # each output has a paper of its own
    assert means.micro.ci == pytest.approx(means.macro.ci, abs=1e-9)


def test_problems_that_a_system_lacks_count_with_their_papers():
    """Of ten papers a system has seven with six good ones: 48 of 80 again, from ten papers."""
    found = scored(6, lacks=3)["correctness"].missing
    assert found.problems == 24
    assert found.counted_against == scored(6)["correctness"].conservative.estimate
    rows = [OutputRow(f"p{n}/b/1", "b", f"p{n}", "paper", "algebra", 1, "answered", "") for n in range(2)]
    rows.append(OutputRow("p0/a/1", "a", "p0", "paper", "algebra", 1, "answered", ""))
    labels = [ExpertLabel(row.subject, "c", "correctness", "", "one", "correct", "answered") for row in rows]
    withheld = expert_scores(RUBRIC, rows, labels, unreleased=[Unreleased("a", "p1")])
    against = withheld["correctness"].systems["a"].not_released.counted_against
    assert (against.k, against.n, against.clusters) == (1, 2, 1)


@pytest.mark.parametrize("attempts", [1, 4])
def test_a_measured_share_counts_problems_and_not_their_attempts(attempts):
    """Of 30 queries whose attempts all find the theorem, or all miss it, however many attempts there are."""
    protocol, asked = get_protocol("theorem_search"), [Asked(f"q{n}", f"q{n}", "algebra") for n in range(30)]
    measure = next(one for one in protocol.measures if one.binary)
    rows = [
        Measured("a", one.instance, attempt, "answered", measure.key, float(place < 12))
        for place, one in enumerate(asked)
        for attempt in range(1, attempts + 1)
    ]
    found = measured_scores(protocol, asked, rows, {"a": len(rows)}, seed=1).systems["a"][measure.key]
    assert found.estimate.value == 0.4
    effective = 30 if attempts == 1 else 120 / (4 * (30 / 29) * (119 / 120))
    assert found.estimate.ci == pytest.approx(wilson(0.4 * effective, effective), abs=1e-9)
    assert found.domains["algebra"].ci == found.estimate.ci
    before = measured_scores(protocol, asked, rows, {"a": len(rows)}, seed=1, methods=6).systems["a"]
    assert before[measure.key].estimate.ci == wilson(12 * attempts, 30 * attempts)


@pytest.mark.slow
@pytest.mark.django_db
def test_the_leaderboard_takes_proofs_of_one_paper_together_and_says_what_the_score_says(proofs):
    inputs = collect(release=proofs)
    ordered = sorted({row.instance for row in inputs.outputs})
    two_to_a_paper = {key: f"paper {place // 2}" for place, key in enumerate(ordered)}
    outputs = tuple(replace(row, cluster=two_to_a_paper[row.instance]) for row in inputs.outputs)
    for methods in (6, 7):
        now = replace(inputs, outputs=outputs, methods=methods)
        document, rows = score(now), {row.subject: row for row in now.outputs}
        found = reading(now)
        (campaign,) = document.experts
        for line in board(document, found, rows, methods).lines:
            of_system = campaign.questions[found.key].systems[line.system]
            assert line.experts.ci == of_system.majority.estimate.ci
            assert line.experts.clusters == (3 if methods == 7 else None)
