"""Corrections by one audit and by several: what was found earlier stays known, and no draw is misread."""

import pytest

from benchmark.protocol import LabelledOutput
from benchmark.protocols import get_protocol
from reports.corrections import Audit, corrected_document, correction, strata_of, usable_truth
from reports.datasets import DrawnItem

PROTOCOL = get_protocol("re2math")
TOOL = PROTOCOL.metrics[0]


def outputs(n_yes: int, n_no: int, n_abstained: int = 0) -> dict[str, LabelledOutput]:
    """One system: so many judged successes (subjects y0..), failures (n0..) and abstentions (a0..)."""
    made = {}
    for letter, n in (("y", n_yes), ("n", n_no), ("a", n_abstained)):
        for number in range(n):
            key = f"{letter}{number}"
            labels = {"ground": "yes" if letter == "y" else "no", "suff": "yes" if letter == "y" else "no"}
            state = "abstained" if letter == "a" else "answered"
            made[key] = LabelledOutput("aurora", key, key, "d", 1, state, {} if letter == "a" else labels)
    return made


def audit(name: str, frame: dict[str, int], found: dict[str, bool]) -> Audit:
    """A campaign that drew the keys of `found` from strata of the frame's sizes."""
    stratum = {"y": "aurora/success", "n": "aurora/ungrounded"}
    drawn_of = {letter: sum(key[0] == letter for key in found) for letter in frame}
    drawn = [
        DrawnItem(
            key, name, stratum[key[0]], frame[key[0]], drawn_of[key[0]], drawn_of[key[0]] / frame[key[0]]
        )
        for key in found
    ]
    answer = {True: {"ground": "yes", "suff": "yes"}, False: {"ground": "no", "suff": "no"}}
    return Audit(drawn, {key: answer[good] for key, good in found.items()})


def corrected(population: dict[str, LabelledOutput], one: Audit, *others: Audit) -> dict:
    strata = strata_of(PROTOCOL.bucket, population)
    return corrected_document(correction(TOOL, strata, population, usable_truth(one, others, strata)))


def test_a_census_and_a_sample_give_the_post_stratified_score():
    population = outputs(n_yes=2, n_no=10, n_abstained=8)
    first = audit("first", {"y": 2, "n": 10}, {"y0": True, "y1": False, "n0": False, "n1": True})
    # 1 of 2 successes stands; half of the ten negatives are right: (1 + 5 + 0) / 20
    assert corrected(population, first)["estimate"]["value"] == pytest.approx(6 / 20)


def test_a_second_audit_of_the_rest_is_joined_with_the_first():
    population = outputs(n_yes=2, n_no=10)
    first = audit("first", {"y": 2, "n": 10}, {"y0": True, "y1": True, "n0": False, "n1": True})
    second = audit("second", {"n": 8}, {"n2": False, "n3": False})  # drawn from the eight left over
    # successes known from the first; negatives: 1 of the 4 now seen, so 10 x 1/4
    assert corrected(population, second, first)["estimate"]["value"] == pytest.approx((2 + 2.5) / 12)


def test_the_first_audit_alone_does_not_change_when_a_second_follows():
    population = outputs(n_yes=2, n_no=10)
    first = audit("first", {"y": 2, "n": 10}, {"y0": True, "y1": True, "n0": False, "n1": True})
    second = audit("second", {"n": 8}, {"n2": False, "n3": False})
    document = corrected(population, first, second)
    assert document["strata"][1] == {
        "stratum": "aurora/ungrounded",
        "size": 10,
        "sampled": 2,
        "successes": 1,
    }


def test_a_frame_that_nobody_can_account_for_leaves_its_stratum_unaudited():
    population = outputs(n_yes=1, n_no=10)
    lonely = audit("lonely", {"y": 1, "n": 8}, {"y0": True, "n2": False})  # two of ten left out, by whom?
    estimate = corrected(population, lonely)["estimate"]
    assert estimate["value"] is None
    assert estimate["reason"] == "EMPTY_STRATUM"
    assert estimate["bounds"] == pytest.approx([1 / 11, 11 / 11])


def test_an_unavailable_verdict_leaves_and_is_counted():
    population = outputs(n_yes=1, n_no=2)
    population["u0"] = LabelledOutput("aurora", "u0", "u0", "d", 1, "answered", {}, {"ground": "unavailable"})
    whole = audit("whole", {"y": 1, "n": 2}, {"y0": True, "n0": False, "n1": False})
    estimate = corrected(population, whole)["estimate"]
    assert (estimate["value"], estimate["N"], estimate["n_unavailable"]) == (pytest.approx(1 / 3), 3, 1)
