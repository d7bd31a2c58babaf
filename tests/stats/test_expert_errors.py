"""What labels say when raters err: `analyse errors` and its models' intervals (STATISTICS.md 3 iv, 3 ix, 6.15)."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest

from stats.analyses.options import Options
from stats.analyses.running import Request, run, text
from stats.core.jackknife import t_quantile
from stats.raters.dawid_skene import dawid_skene
from stats.raters.expert_errors import expert_errors
from stats.tables.ratings import Ratings
from stats.tables.raw_rows import TableError


def simulated(seed, *, items=200, right=(0.95, 0.85, 0.75), share=0.3):
    """Raters who name the right one of two values with these chances, each item labelled by all."""
    rng = np.random.default_rng(seed)
    truth = rng.random(items) < share
    wrong = rng.random((items, len(right))) > np.array(right)
    item, rater = np.divmod(np.arange(items * len(right)), len(right))
    marks = (truth[:, None] ^ wrong).astype(np.int64).ravel()
    names = tuple("abcdef"[: len(right)])
    return Ratings(item, rater, marks, items, names, ("no", "yes"), np.arange(2.0))


def document(rows, header="subject,rater,system,value", *, options=None, **asked):
    stream = io.BytesIO("\n".join([header, *rows]).encode())
    return run(stream, "csv", Request("errors", options or Options(seed=1), **asked))


@pytest.mark.slow
def test_shares_are_freed_of_errors_that_pull_them_to_the_middle():
    # 30 % are true; raters right with .95, .85, .75 say yes to .335, .36 and .40 of the items: .365 on average.
    ratings = simulated(1, items=2_000)
    found = expert_errors(ratings, np.array([1]), seed=1)
    assert np.mean(ratings.value) == pytest.approx(0.365, abs=0.02)
    assert found.shares["yes"].value == pytest.approx(0.3, abs=0.02)
    low, high = found.shares["yes"].ci
    assert low < 0.3 < high
    assert [found.accuracies[name].value for name in "abc"] == pytest.approx([0.95, 0.85, 0.75], abs=0.03)


@pytest.mark.parametrize(
    ("dull", "kept", "reasons"),
    [
        ("c", 3, {"FEW_RATERS"}),  # with 100 items a nominal .95 was .69
        ("", 2, {"FEW_RATERS"}),  # three raters, two per item: .87
        ("", 3, {None}),
    ],
)
def test_errors_need_three_raters_who_vary_their_answers(dull, kept, reasons):
    ratings = simulated(3)
    value = np.where(ratings.rater == "abc".find(dull or "-"), 1, ratings.value)
    here = np.ones(len(value), bool) if kept == 3 else ratings.rater != ratings.item % 3
    some = replace(ratings, item=ratings.item[here], rater=ratings.rater[here], value=value[here])
    found = expert_errors(some, np.array([1]), seed=1)
    assert {share.reason for share in found.shares.values()} == reasons
    # severities are of another model
    assert found.severities["a"].value is not None


def test_the_model_is_dawid_and_skenes():
    ratings = simulated(2)
    plain = dawid_skene(ratings.item, ratings.rater, ratings.value, classes=2)
    found = expert_errors(ratings, None, seed=1)
    assert found.shares["yes"].value == plain.shares[1]
    # a rater's accuracy is the mean chance that its labels are right
    own = ratings.rater == 0
    chance = plain.posteriors[ratings.item[own], ratings.value[own]].mean()
    assert found.accuracies["a"].value == pytest.approx(chance)
    assert found.severities["a"].reason == "NO_SUCCESS_SET"


@pytest.mark.slow
def test_the_interval_of_a_share_contains_the_truth_as_often_as_it_says():
    # 60 draws: Monte Carlo error .027. (300 draws of four designs gave .950 to .963.)
    inside = 0
    for seed in range(60):
        low, high = expert_errors(simulated(seed, items=100), None, seed=1).shares["yes"].ci
        inside += low <= 0.3 <= high
    assert inside / 60 >= 0.9


@pytest.mark.slow
def test_raters_with_few_labels_are_not_pulled_towards_guessing():
    # 15 items, three raters right with .9. A count of 1 in every cell of the confusions, as ADR 30 had it, made .78 of
    # them, whose intervals contained .9 in .79 of the cases; of ten raters with 3 labels each, .59 and a share in .20.
    accuracies, inside, shares = [], 0, 0
    for seed in range(40):
        found = expert_errors(simulated(seed, items=15, right=(0.9, 0.9, 0.9), share=0.4), None, seed=seed)
        accuracies += [one.value for one in found.accuracies.values()]
        inside += sum(one.ci[0] <= 0.9 <= one.ci[1] for one in found.accuracies.values())
        shares += found.shares["yes"].ci[0] <= 0.4 <= found.shares["yes"].ci[1]
    assert np.mean(accuracies) == pytest.approx(0.9, abs=0.03)
    assert inside / 120 >= 0.93
    assert shares / 40 >= 0.9


def test_three_right_labels_are_three_trials_however_many_items_others_have():
    ratings = simulated(4, items=100, right=(1, 1, 1, 1))
    kept = (ratings.rater < 3) | (ratings.item < 3)
    few = Ratings(
        ratings.item[kept],
        ratings.rater[kept],
        ratings.value[kept],
        100,
        tuple("abcd"),
        ("no", "yes"),
        np.arange(2.0),
    )
    found = expert_errors(few, None, seed=1).accuracies["d"]
    assert found.value == 1
    assert found.ci[0] == pytest.approx(3 / (3 + t_quantile(0.95, 19) ** 2))


def test_a_rater_whose_votes_are_all_tied_has_no_accuracy():
    rows = [f"s{at},{rater},A,yes,1" for at in range(9) for rater in "pqr"]
    found = document([*rows, "s0,o,A,yes,1", "s0,o,A,no,2"], header="subject,rater,system,value,vote")
    (part,) = found["questions"].values()
    by_rater = {row["rater"]: row["accuracy"] for row in part["raters"]}
    assert (by_rater["o"]["value"], by_rater["o"]["reason"]) == (None, "NO_ITEMS")
    assert by_rater["p"]["value"] == 1


@pytest.mark.slow
def test_copies_of_items_in_one_cluster_are_no_more_knowledge():
    once = simulated(3)
    twice = Ratings(
        np.concatenate([once.item, once.item + once.n_items]),
        np.tile(once.rater, 2),
        np.tile(once.value, 2),
        2 * once.n_items,
        once.raters,
        once.categories,
        once.points,
    )
    units = np.tile(np.arange(once.n_items), 2)
    one = expert_errors(once, np.array([1]), seed=1)
    two = expert_errors(twice, np.array([1]), units=units, seed=1)
    assert two.shares["yes"].value == pytest.approx(one.shares["yes"].value, abs=1e-6)
    assert two.shares["yes"].ci == pytest.approx(one.shares["yes"].ci, abs=1e-5)
    # One copy is held at the error of independent items; two copies alone would have .71 of it.
    assert two.accuracies["b"].se > 0.75 * one.accuracies["b"].se
    assert two.severities["c"].se == pytest.approx(one.severities["c"].se, rel=0.1)


def test_raters_who_are_alike_in_every_problem_leave_a_width():
    # Each rater says no to one of three items of every problem, another one each: no problem moves a severity.
    rows = [
        f"{p}-{at},p{p},{rater},A,{'no' if at == n else 'yes'}"
        for p in range(12)
        for at in range(3)
        for n, rater in enumerate("pqr")
    ]
    part = document(rows, "subject,cluster,rater,system,value")["questions"][""]
    for row in part["raters"]:
        assert row["severity"]["value"] == pytest.approx(0, abs=1e-6)
        assert row["severity"]["ci"][1] - row["severity"]["ci"][0] > 0.5
        assert "NO_SPREAD" in row["severity"]["warnings"]
        # 36 labels of independent items at best: Wilson of 24 of 36 is .31 wide.
        assert row["accuracy"]["ci"][1] - row["accuracy"]["ci"][0] > 0.15
    score = part["scores"][0]["adjusted"]
    assert score["ci"][1] - score["ci"][0] > 0.25


@pytest.mark.slow
def test_severities_of_few_items_are_held_though_the_model_draws_them_together():
    rng, held = np.random.default_rng(5), []
    for study in range(40):
        severity = rng.normal(0, 0.5, 6)
        severity -= severity.mean()
        item = np.repeat(np.arange(10), 2)
        rater = np.concatenate([rng.permutation(6)[:2] for _ in range(10)])
        ease = rng.normal(0.3, 1, 10)[item]
        yes = (rng.random(20) < 1 / (1 + np.exp(severity[rater] - ease))).astype(int)
        labels = Ratings(item, rater, yes, 10, tuple("abcdef"), ("no", "yes"), np.arange(2.0))
        found = expert_errors(labels, np.array([1]), seed=study).severities
        intervals = [found[name].ci for name in "abcdef"]
        held += [
            ci[0] <= truth <= ci[1] for ci, truth in zip(intervals, severity, strict=True) if ci is not None
        ]
    assert len(held) > 150
    assert np.mean(held) > 0.95  # by groups left out alone: 0.85


def severe_and_lenient():
    """a is severe, c lenient; A's items went to a and b, B's to b and c. Both systems are equally good."""
    rng = np.random.default_rng(4)
    for at in range(600):
        ease = rng.normal()
        for rater, severity in (("a", 1.2), ("b", 0.0)) if at % 2 else (("b", 0.0), ("c", -1.2)):
            says = rng.random() < 1 / (1 + np.exp(severity - ease))
            yield f"s{at},{rater},{'A' if at % 2 else 'B'},{'yes' if says else 'no'}"


def test_scores_are_freed_of_who_happened_to_grade():
    rows = list(severe_and_lenient())
    part = document(rows)["questions"][""]
    says = {name: [row.endswith("yes") for row in rows if f",{name}," in row] for name in "AB"}
    gap = np.mean(says["B"]) - np.mean(says["A"])
    assert gap > 0.2
    # Priors draw severities together a little: some of the gap is left, and the intervals hold none at all.
    found = {row["system"]: row["adjusted"] for row in part["scores"]}
    assert abs(found["B"]["value"] - found["A"]["value"]) < gap / 3
    assert all(one["ci"][0] < 0.5 < one["ci"][1] for one in found.values())
    severity = {row["rater"]: row["severity"]["value"] for row in part["raters"]}
    assert severity["c"] < -0.8 < 0.8 < severity["a"]
    assert part["success"] == ["yes"]


def test_two_raters_cannot_tell_errors_from_the_truth():
    rows = [
        f"s{at},{rater},A,{'yes' if (at + (rater == 'q')) % 3 else 'no'}"
        for at in range(40)
        for rater in "pq"
    ]
    part = document(rows)["questions"][""]
    assert {row["share"]["reason"] for row in part["values"]} == {"FEW_RATERS"}
    assert all(row["severity"]["value"] is not None for row in part["raters"])
    assert part["fit"] is None


def test_success_may_be_several_values_and_must_occur():
    rows = [
        f"s{at},{r},A,{('reject', 'minor', 'flawless')[(at + n) % 3]}"
        for at in range(60)
        for n, r in enumerate("pqr")
    ]
    assert document(rows)["questions"][""]["raters"][0]["severity"]["reason"] == "NO_SUCCESS_SET"
    part = document(rows, positive="minor,flawless")["questions"][""]
    assert part["success"] == ["minor", "flawless"]
    assert part["raters"][0]["severity"]["value"] is not None
    with pytest.raises(TableError, match="no label has the value perfect"):
        document(rows, positive="perfect")


@pytest.mark.parametrize(
    "rows",
    [
        [],
        ["s,r,A,yes"],
        ["s,r,A,yes", "s,q,A,yes", "s,p,A,yes"],
        [f"s{at},{r},A,yes" for at in range(9) for r in "pqr"],
    ],
    ids=["nothing", "one label", "one item", "all agree"],
)
def test_too_little_is_a_reason_or_a_width_never_a_failure(rows):
    found = document(rows)
    json.dumps(found, allow_nan=False)
    assert text("errors", found)
    for part in found["questions"].values():
        for row in part["values"]:
            share = row["share"]
            assert share["reason"] or share["ci"][0] < share["ci"][1]


def test_majorities_that_the_model_overturns_are_named():
    # c says yes to everything, b slips on every other no. Item 0 lacks d: yes by b and c, no by a, who never slips.
    rows = []
    for at in range(60):
        truth = "yes" if at % 2 else "no"
        rows += [
            f"s{at},a,A,{truth}",
            f"s{at},b,A,{'yes' if at % 4 == 0 else truth}",
            f"s{at},c,A,yes",
            f"s{at},d,A,{truth}",
        ]
    rows = [row for row in rows if not row.startswith("s0,d")]
    part = document(rows)["questions"][""]
    assert part["overturned"] == [
        {"subject": "s0", "majority": "yes", "model": "no", "probability": pytest.approx(1.0, abs=0.05)}
    ]
    assert part["n_overturned"] == 1
