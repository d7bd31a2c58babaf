"""Corrections by one audit and by several: what was found earlier stays known, and no draw is misread."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import pytest

from annotation.quarantine.actions import decide_identity
from benchmark.models import Output
from benchmark.protocol import LabelledOutput
from benchmark.protocols import get_protocol
from reports.audit import corrections
from reports.audit.corrections import (
    Correction,
    DrawnAudit,
    by_the_draw,
    correction,
    pooled_strata,
    strata_of,
    usable_truth,
)
from reports.audit.draw import plan_audit
from reports.audit.results import audit_truth
from reports.audit.sizes import PerStratum
from reports.core.datasets import Decision, DrawnItem, ExpertLabel
from reports.results.graded import reading
from reports.scores.inputs import Inputs, collect
from stats.core.strata import Stratum
from tests.documents import corrected_document, judge_audit_document, score_document
from tests.reports.conftest import load

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


def audit(name: str, frame: dict[str, int], found: dict[str, bool]) -> DrawnAudit:
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
    return DrawnAudit(drawn, {key: answer[good] for key, good in found.items()})


def corrected(
    population: dict[str, LabelledOutput],
    one: DrawnAudit,
    *others: DrawnAudit,
    undrawable: Sequence[str] = (),
) -> dict:
    strata = strata_of(PROTOCOL.bucket, population)
    usable = usable_truth(one, others, strata, undrawable=undrawable)
    return corrected_document(
        correction(TOOL, strata, population, usable.truth, undrawable=usable.undrawable)
    )


def test_a_census_and_a_sample_give_the_post_stratified_score():
    population = outputs(n_yes=2, n_no=10, n_abstained=8)
    first = audit("first", {"y": 2, "n": 10}, {"y0": True, "y1": False, "n0": False, "n1": True})
    # 1 of 2 successes is confirmed; half of the ten negatives are right: (1 + 5 + 0) / 20
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


def test_what_abstained_needs_no_label_of_those_who_drew_it():
    """Of six answers that a campaign drew from all of them, two abstained and were graded by nobody."""
    population = outputs(n_yes=2, n_no=2, n_abstained=2)
    _, strata = by_the_draw(audit("all", {}, {}), population)
    drawn = [DrawnItem(key, "all", "all", 6, 6, 1.0) for key in population]
    truth = {key: {"ground": "yes", "suff": "yes"} for key in ("y0", "y1", "n0")}
    found = correction(TOOL, strata, population, truth, drawn)
    assert dict(zip([stratum.name for stratum in found.strata], found.missing, strict=True)) == {
        "aurora/all": 1,
        "abstained or failed": 0,
    }
    estimate = corrected_document(found)["estimate"]
    assert estimate["value"] == pytest.approx(4 / 6)
    assert estimate["bounds"] == pytest.approx([3 / 6, 4 / 6])


def two_systems() -> dict[str, LabelledOutput]:
    """Aurora and basalt with ten ungrounded outputs each (aurora:0.., basalt:0..)."""
    no = {"ground": "no", "suff": "no"}
    return {
        f"{system}:{at}": LabelledOutput(system, f"i{at}", f"i{at}", "d", 1, "answered", no)
        for system in ("aurora", "basalt")
        for at in range(10)
    }


def pooled_audit(found: dict[str, bool], stratum: str = "ungrounded", size: int = 20) -> DrawnAudit:
    share = len(found) / size
    drawn = [DrawnItem(key, "pooled", stratum, size, len(found), share) for key in found]
    return DrawnAudit(
        drawn,
        {key: dict.fromkeys(("ground", "suff"), "yes" if good else "no") for key, good in found.items()},
    )


def pooled_score(
    population: dict[str, LabelledOutput],
    one: DrawnAudit,
    *others: DrawnAudit,
    undrawable: Sequence[str] = (),
) -> dict:
    strata = strata_of(PROTOCOL.bucket, population)
    usable = usable_truth(one, others, strata, undrawable=undrawable)
    together = pooled_strata(strata, usable, one, others)
    return corrected_document(
        correction(TOOL, together, population, usable.truth, undrawable=usable.undrawable)
    )


def by_system(population: dict[str, LabelledOutput], one: DrawnAudit, system: str) -> dict:
    strata = strata_of(PROTOCOL.bucket, population)
    usable = usable_truth(one, (), strata).truth
    own = {key: output for key, output in population.items() if output.system == system}
    everywhere = correction(TOOL, strata, population, usable)
    return corrected_document(correction(TOOL, strata, own, usable), everywhere)


def test_an_audit_drawn_over_all_systems_corrects_their_common_score_even_if_one_was_not_hit():
    """One stratum of 20, of which 4 were read and 1 is right: 1/4. No output of basalt was drawn."""
    audit_of_four = pooled_audit({"aurora:0": True, "aurora:1": False, "aurora:2": False, "aurora:3": False})
    document = pooled_score(two_systems(), audit_of_four)
    assert document["estimate"]["value"] == pytest.approx(1 / 4)
    assert document["strata"] == [{"stratum": "ungrounded", "size": 20, "sampled": 4, "successes": 1}]
    assert "empty" not in document


def test_a_system_that_was_not_hit_has_no_corrected_score_and_is_told_what_to_draw_and_what_to_assume():
    audit_of_four = pooled_audit({"aurora:0": True, "aurora:1": False, "aurora:2": False, "aurora:3": False})
    document = by_system(two_systems(), audit_of_four, "basalt")
    assert document["estimate"]["reason"] == "EMPTY_STRATUM"
    assert document["estimate"]["bounds"] == [0.0, 1.0]
    assert document["empty"] == [{"stratum": "basalt/ungrounded", "bucket": "ungrounded", "size": 10}]
    assert document["borrowed"]["value"] == pytest.approx(1 / 4)  # aurora's one of four, for all ten
    assert document["borrowed"]["warnings"] == ["TRANSPORT_ASSUMPTION"]
    assert "borrowed" not in by_system(two_systems(), audit_of_four, "aurora")


def with_cobalt() -> dict[str, LabelledOutput]:
    """The same after ten ungrounded outputs of cobalt were judged, too."""
    no = {"ground": "no", "suff": "no"}
    later = {
        f"cobalt:{at}": LabelledOutput("cobalt", f"i{at}", f"i{at}", "d", 1, "answered", no)
        for at in range(10)
    }
    return two_systems() | later


FOUR = {"aurora:0": True, "aurora:1": False, "basalt:0": False, "basalt:1": False}


@pytest.mark.parametrize("name", ["ungrounded", "all"])
def test_a_system_that_is_judged_after_the_draw_takes_no_corrected_score_away(name):
    drawn = pooled_audit(FOUR, name)
    for system in ("aurora", "basalt"):
        scores = []
        for population in (two_systems(), with_cobalt()):
            bucket = PROTOCOL.bucket if name == "ungrounded" else lambda _: "all"
            strata = strata_of(bucket, population)
            usable = usable_truth(drawn, (), strata).truth
            own = {key: output for key, output in population.items() if output.system == system}
            scores.append(corrected_document(correction(TOOL, strata, own, usable)))
        assert scores[0]["estimate"]["value"] == pytest.approx({"aurora": 1 / 2, "basalt": 0}[system])
        assert scores[0] == scores[1]
    assert by_system(with_cobalt(), pooled_audit(FOUR), "cobalt")["estimate"]["reason"] == "EMPTY_STRATUM"


def test_the_score_of_all_systems_says_that_nothing_was_drawn_of_the_one_that_came_later():
    """It was in no frame: at worst none of its ten is right, at best all; of the other twenty 1 in 4 is."""
    document = pooled_score(with_cobalt(), pooled_audit(FOUR))
    assert document["estimate"]["value"] is None
    assert document["estimate"]["bounds"] == pytest.approx([(10 * 1 / 2) / 30, (10 * 1 / 2 + 10) / 30])
    assert document["empty"] == [{"stratum": "cobalt/ungrounded", "bucket": "ungrounded", "size": 10}]


def test_what_is_drawn_of_the_later_system_alone_completes_the_score_of_all():
    """1 of 2 of aurora, 0 of 2 of basalt, 1 of 2 of cobalt, each of ten."""
    second = pooled_audit({"cobalt:0": True, "cobalt:1": False}, "cobalt/ungrounded", 10)
    document = pooled_score(with_cobalt(), second, pooled_audit(FOUR))
    assert document["estimate"]["value"] == pytest.approx((5 + 0 + 5) / 30)
    assert "empty" not in document


def test_samples_of_fewer_and_of_all_systems_are_joined_within_each_system_only():
    """Of 20 outputs 4 were drawn; with cobalt's ten 26 are left, of which 6 are drawn: 1 of 4, 0 of 3, 3 of 3."""
    second = pooled_audit(
        {"aurora:2": False, "aurora:3": False, "basalt:2": False}
        | dict.fromkeys(["cobalt:0", "cobalt:1", "cobalt:2"], True),
        size=26,
    )
    document = pooled_score(with_cobalt(), second, pooled_audit(FOUR))
    assert document["estimate"]["value"] == pytest.approx((10 / 4 + 0 + 10) / 30)


def test_the_audit_of_fewer_systems_does_not_change_when_one_of_all_follows():
    second = pooled_audit({"aurora:2": False, "cobalt:0": True, "cobalt:1": True}, size=26)
    strata = strata_of(PROTOCOL.bucket, with_cobalt())
    assert usable_truth(pooled_audit(FOUR), [second], strata).truth.keys() == FOUR.keys()


def test_a_draw_by_system_is_never_read_as_one_over_all_systems():
    """Aurora 1 of 2, basalt 0 of 5: the strata's mean is (5 + 0) / 20; taken as one sample it would be 1/7."""
    first = pooled_audit({"aurora:0": True, "aurora:1": False}, "aurora/ungrounded", 10)
    second = pooled_audit(dict.fromkeys([f"basalt:{at}" for at in range(5)], False), "basalt/ungrounded", 10)
    both = DrawnAudit([*first.drawn, *second.drawn], {**first.truth, **second.truth})
    assert pooled_score(two_systems(), both)["estimate"]["value"] == pytest.approx(1 / 4)


def test_a_later_draw_by_system_completes_one_over_all_systems():
    """Four of aurora were drawn over all (1 right); then, of the 6 and 10 that are left, 2 of each system."""
    earlier = pooled_audit({"aurora:0": True, "aurora:1": False, "aurora:2": False, "aurora:3": False})
    later = [
        pooled_audit({"aurora:4": False, "aurora:5": True}, "aurora/ungrounded", 6),
        pooled_audit({"basalt:0": False, "basalt:1": True}, "basalt/ungrounded", 10),
    ]
    both = DrawnAudit(
        [item for one in later for item in one.drawn], {k: v for one in later for k, v in one.truth.items()}
    )
    document = pooled_score(two_systems(), both, earlier)
    # Aurora 2 of 6 known, basalt 1 of 2: (10 x 1/3 + 10 x 1/2) / 20
    assert document["estimate"]["value"] == pytest.approx((10 / 3 + 5) / 20)
    assert [row["stratum"] for row in document["strata"]] == ["aurora/ungrounded", "basalt/ungrounded"]


@pytest.mark.django_db
def test_an_audit_says_nothing_of_a_metric_whose_question_its_experts_were_not_asked():
    """The sample's second iteration of lemmas: experts read proofs, and nobody asked them for contexts."""
    release = load(
        "sample-lemmas-2026-02",
        "lemmas",
        {system: f"outputs-{system}-2026-02.jsonl" for system in ("aurora", "basalt")},
        "labels-judge-2026-02.csv",
        "labels-experts-2026-02.csv",
        file="release-2026-02.jsonl",
    )
    [audit] = score_document(collect(release=release))["judge"]["audits"]
    assert list(audit["metrics"]) == ["acceptance"]
    found = audit["metrics"]["acceptance"]
    # Six accepted by the judge, of which Basalt's on groups is false; the refused one is false too.
    assert [found["in_sample"][cell] for cell in ("tp", "fp", "fn", "tn")] == [5, 1, 0, 1]
    # Census: Aurora 4 of 4; Basalt 1 of 4, an abstention among them.
    values = {system: part["estimate"]["value"] for system, part in found["corrected"].items()}
    assert values == {"aurora": 1.0, "basalt": 0.25}


@pytest.fixture
def audited() -> Inputs:
    """The sample of Re2Math with one audit, drawn by the judge's buckets."""
    systems = ("aurora", "basalt", "cobalt")
    return collect(
        release=load(
            "sample-re2math",
            "re2math",
            {system: f"outputs-{system}.jsonl" for system in systems},
            "labels-judge.csv",
            "labels-experts.csv",
        )
    )


def drawn_by_domain(inputs: Inputs, whole: str) -> Inputs:
    """The same with one more audit: every answer of the domain `whole` was drawn and is right, one of each other
    domain was and is wrong."""
    of_domain = defaultdict(list)
    for row in inputs.outputs:
        if row.state == "answered":
            of_domain[row.domain].append(row.subject)
    drawn, labels = [], []
    for domain, subjects in of_domain.items():
        size, n = len(subjects), len(subjects) if domain == whole else 1
        for subject in subjects[:n]:
            drawn.append(DrawnItem(subject, "by-domain", domain, size, n, n / size))
            value = "yes" if domain == whole else "no"
            labels += [
                ExpertLabel(subject, "by-domain", q, "", "r", value, "answered") for q in ("ground", "suff")
            ]
    [campaign] = inputs.campaigns
    return replace(
        inputs,
        campaigns=(campaign, replace(campaign, slug="by-domain")),
        draws=(*inputs.draws, *drawn),
        labels=(*inputs.labels, *labels),
    )


def tool_accuracy(inputs: Inputs, campaign: str) -> dict:
    audits = score_document(inputs)["judge"]["audits"]
    return next(audit for audit in audits if audit["campaign"] == campaign)["metrics"]["tool_acc"]


@pytest.mark.slow
@pytest.mark.django_db
def test_an_audit_drawn_by_domain_is_weighted_by_domain_and_not_read_as_one_by_the_judges_buckets(audited):
    inputs = drawn_by_domain(audited, "analysis_pde")
    found = tool_accuracy(inputs, "by-domain")["corrected_pooled"]
    right = sum(row.domain == "analysis_pde" and row.state == "answered" for row in inputs.outputs)
    assert found["estimate"]["value"] == pytest.approx(right / len(inputs.outputs))
    low, high = found["estimate"]["ci"]
    assert low <= right / len(inputs.outputs) <= high
    sampled = {row["stratum"]: (row["size"], row["sampled"], row["successes"]) for row in found["strata"]}
    assert sampled["analysis_pde"] == (right, right, right)
    # Of each other domain an answer of Aurora was drawn, and none of another system, which so have no score.
    aurora = [row for row in inputs.outputs if row.system == "aurora"]
    right = sum(row.domain == "analysis_pde" and row.state == "answered" for row in aurora)
    of_system = tool_accuracy(inputs, "by-domain")["corrected"]
    assert of_system["aurora"]["estimate"]["value"] == pytest.approx(right / len(aurora))
    for name in ("basalt", "cobalt"):
        assert of_system[name]["estimate"]["reason"] == "EMPTY_STRATUM"
        assert not of_system[name].keys() & {"borrowed", "empty"}
    # Nor is it read so where an instance has no domain.
    unnamed = [
        replace(row, stratum="" if row.stratum == "analysis_pde" else row.stratum) for row in inputs.draws
    ]
    outputs = [
        replace(row, domain="" if row.domain == "analysis_pde" else row.domain) for row in inputs.outputs
    ]
    again = tool_accuracy(replace(inputs, draws=tuple(unnamed), outputs=tuple(outputs)), "by-domain")
    assert again["corrected_pooled"]["estimate"] == found["estimate"]
    # And the audit by buckets does not take its labels in.
    [before] = score_document(audited)["judge"]["audits"]
    corrected_by_buckets = tool_accuracy(inputs, before["campaign"])["corrected"]
    assert corrected_by_buckets == before["metrics"]["tool_acc"]["corrected"]


@pytest.mark.slow
@pytest.mark.django_db
def test_a_draw_by_strata_that_nobody_here_can_count_corrects_nothing(audited):
    inputs = drawn_by_domain(audited, "analysis_pde")
    unknown = [
        replace(row, stratum=f"part {row.stratum}") if row.campaign == "by-domain" else row
        for row in inputs.draws
    ]
    found = tool_accuracy(replace(inputs, draws=tuple(unknown)), "by-domain")["corrected_pooled"]
    assert found["estimate"]["reason"] == "EMPTY_STRATUM"
    smaller = [
        replace(row, stratum_size=row.stratum_size - 1)
        if row.campaign == "by-domain" and row.sample_size == 1
        else row
        for row in inputs.draws
    ]
    found = tool_accuracy(replace(inputs, draws=tuple(smaller)), "by-domain")["corrected_pooled"]
    assert found["estimate"]["reason"] == "EMPTY_STRATUM"


def test_an_output_whose_bucket_changed_after_the_draw_leaves_both_buckets_unaudited():
    """A success and a failure have changed places, so that no size tells."""
    population = outputs(n_yes=2, n_no=2)
    found = audit("a", {"y": 2, "n": 2}, {"y0": True, "y1": True, "n0": False, "n1": False})
    assert corrected(population, found)["estimate"]["value"] == pytest.approx(1 / 2)
    population["y0"], population["n0"] = population["n0"], population["y0"]
    assert corrected(population, found)["estimate"]["reason"] == "EMPTY_STRATUM"


def test_an_audit_of_a_judge_stands_next_to_one_of_the_judge_before_it():
    """Each drew from all outputs of its own judge's buckets, so that neither needs the findings of the other."""
    population = outputs(n_yes=2, n_no=4)
    swapped = {"aurora/success": "aurora/ungrounded", "aurora/ungrounded": "aurora/success"}
    drawn = audit("before", {"y": 4, "n": 2}, {"y0": True, "n0": True}).drawn
    before = DrawnAudit(
        [replace(item, stratum=swapped[item.stratum]) for item in drawn],
        {item.subject: {"ground": "yes", "suff": "yes"} for item in drawn},
    )
    whole = audit("whole", {"y": 2, "n": 4}, {"y1": True, "n1": False})
    assert corrected(population, whole, before)["estimate"]["value"] == pytest.approx(2 / 6)
    strata = strata_of(PROTOCOL.bucket, population)
    assert usable_truth(whole, [before], strata, methods=12).truth == {}
    # who left out what the other drew would need its findings, which are of other buckets
    rest = audit("rest", {"y": 1, "n": 3}, {"y1": True, "n1": False})
    assert corrected(population, rest, before)["estimate"]["reason"] == "EMPTY_STRATUM"


def test_an_audit_keeps_its_score_when_others_follow_that_left_it_out():
    """Its score was undefined once a third audit was closed: more was known by then than it had left out."""
    population = outputs(n_yes=2, n_no=10)
    first = audit("first", {"y": 2, "n": 10}, {"y0": True, "y1": True, "n0": False, "n1": True})
    second = audit("second", {"n": 8}, {"n2": False, "n3": False})
    third = audit("third", {"n": 6}, {"n4": True, "n5": True, "n6": True})
    for audits in ([first], [first, third], [third, first]):
        assert corrected(population, second, *audits)["estimate"]["value"] == pytest.approx((2 + 2.5) / 12)
    found = corrected(population, third, first, second)
    assert found["estimate"]["value"] == pytest.approx((2 + 10 * 4 / 7) / 12)
    strata = strata_of(PROTOCOL.bucket, population)
    assert "n2" not in usable_truth(second, [first, third], strata, methods=13).truth


def test_an_audit_need_not_leave_out_every_audit_before_it():
    population = outputs(n_yes=2, n_no=10)
    first = audit("first", {"y": 2, "n": 10}, {"y0": True, "y1": True, "n0": False, "n1": True, "n2": True})
    second = audit("second", {"n": 10}, {"n0": False, "n3": False})
    third = audit("third", {"n": 8}, {"n4": True, "n5": True})  # of what the second did not draw
    found = corrected(population, third, first, second)
    assert found["estimate"]["value"] == pytest.approx((2 + 10 * 2 / 4) / 12)
    # of what neither drew, which have one output in common
    fourth = audit("fourth", {"n": 6}, {"n6": True})
    found = corrected(population, fourth, first, second, third)
    assert found["estimate"]["value"] == pytest.approx((2 + 10 * 3 / 5) / 12)
    # nor need what it leaves out be an audit of everything
    follows = audit("follows", {"n": 7}, {"n7": True, "n8": True})  # of what the first did not draw
    last = audit("last", {"n": 8}, {"n1": False, "n9": False})  # of what that one did not draw
    found = corrected(population, last, first, follows)
    assert found["estimate"]["value"] == pytest.approx((2 + 10 * 2 / 4) / 12)


def test_what_no_draw_could_take_is_bounded_and_taken_to_be_like_the_rest():
    """One of ten judged failures reveals its author. Of the others 1 of 2 was right after all."""
    population = outputs(n_yes=2, n_no=10)
    one = audit("one", {"y": 2, "n": 9}, {"y0": True, "y1": True, "n0": False, "n1": True})
    found = corrected(population, one, undrawable=["n9"])["estimate"]
    assert found["value"] == pytest.approx((2 + 10 / 2) / 12)
    assert found["bounds"] == pytest.approx([(2 + 9 / 2) / 12, (2 + 9 / 2 + 1) / 12])
    assert "UNDRAWABLE" in found["warnings"]
    assert found["ci"][0] < found["value"] < found["ci"][1]
    # who left out an output that could have been drawn, or two, says nothing of the rest
    assert corrected(population, one)["estimate"]["reason"] == "EMPTY_STRATUM"
    two = audit("two", {"y": 2, "n": 8}, {"y0": True, "y1": True, "n0": False, "n1": True})
    assert corrected(population, two, undrawable=["n9"])["estimate"]["reason"] == "EMPTY_STRATUM"
    strata = strata_of(PROTOCOL.bucket, population)
    assert "n0" not in usable_truth(one, (), strata, methods=13, undrawable=["n9"]).truth


def test_reading_all_that_can_be_read_leaves_open_what_cannot():
    """With both the missing label of n1 and the output that was not drawn wrong, or right."""
    population = outputs(n_yes=1, n_no=4)
    one = audit("one", {"y": 1, "n": 3}, {"y0": True, "n0": False, "n1": True, "n2": True})
    found = corrected(population, one, undrawable=["n3"])["estimate"]
    assert found["value"] == pytest.approx((1 + 4 * 2 / 3) / 5)
    assert found["bounds"] == pytest.approx([3 / 5, 4 / 5])
    assert found["ci"] == pytest.approx([3 / 5, 4 / 5])


def test_audits_may_follow_one_that_could_not_draw_everything():
    population = outputs(n_yes=2, n_no=10)
    first = audit("first", {"y": 2, "n": 9}, {"y0": True, "y1": True, "n0": False, "n1": True})
    second = audit("second", {"n": 7}, {"n2": False, "n3": False})  # of what the first did not draw
    for others in ([], [second]):
        found = corrected(population, first, *others, undrawable=["n9"])["estimate"]
        assert found["value"] == pytest.approx((2 + 10 / 2) / 12)
    found = corrected(population, second, first, undrawable=["n9"])["estimate"]
    assert found["value"] == pytest.approx((2 + 10 / 4) / 12)
    assert found["bounds"] == pytest.approx([(2 + 9 / 4) / 12, (2 + 9 / 4 + 1) / 12])


def test_what_was_left_out_after_the_draw_was_in_its_frame():
    population = outputs(n_yes=2, n_no=10)
    one = audit("one", {"y": 2, "n": 10}, {"y0": True, "y1": True, "n0": False, "n1": True})
    assert corrected(population, one, undrawable=["n9"]) == corrected(population, one)


def test_a_class_of_all_systems_of_which_one_output_could_not_be_drawn_is_still_one_stratum():
    """19 of the 20 outputs were in the frame, of whose four drawn ones 1 is right."""
    found = pooled_score(two_systems(), pooled_audit(FOUR, size=19), undrawable=["basalt:9"])["estimate"]
    assert found["value"] == pytest.approx(1 / 4)
    assert found["bounds"] == pytest.approx([19 / 4 / 20, (19 / 4 + 1) / 20])


@pytest.mark.slow
def test_the_score_of_a_release_knows_what_no_draw_could_take(gaps, coordinator):
    """The draw of an audit whose frame lacked one of basalt's insufficient outputs, which reveals its author."""
    drawn = collect(release=gaps).draws
    read = {item.subject for item in drawn}
    frame = plan_audit(release=gaps, wanted=PerStratum(2)).placement
    inside = [pk for pk, name in frame.items() if name == "basalt/grounded_insufficient"]
    subjects = {output: f"{output.instance.key}/basalt/1" for output in Output.objects.filter(pk__in=inside)}
    told = next(output for output, subject in subjects.items() if subject not in read)
    decide_identity(actor=coordinator, output=told, verdict="excluded", reason="Signed")
    inputs = collect(release=gaps)
    assert [row.subject for row in inputs.undrawable] == [subjects[told]]
    assert Inputs.from_json(json.loads(json.dumps(inputs.as_json()))) == inputs
    assert inputs.only(frozenset(["aurora"])).undrawable == ()
    smaller = [
        replace(item, stratum_size=item.stratum_size - 1)
        if item.stratum == "basalt/grounded_insufficient"
        else item
        for item in inputs.draws
    ]

    def basalt(given: Inputs) -> dict:
        [found] = score_document(given)["judge"]["audits"]
        return found["metrics"]["tool_acc"]["corrected"]["basalt"]["estimate"]

    whole, lacking = basalt(inputs), basalt(replace(inputs, draws=tuple(smaller)))
    assert "UNDRAWABLE" not in whole["warnings"]  # it was left out after the draw
    assert (lacking["value"], lacking["ci"]) == (whole["value"], whole["ci"])
    assert "UNDRAWABLE" in lacking["warnings"]
    assert lacking["bounds"][0] <= lacking["value"] <= lacking["bounds"][1]
    assert lacking["bounds"][1] - lacking["bounds"][0] == pytest.approx(1 / 30)
    assert basalt(replace(inputs, draws=tuple(smaller), methods=13))["reason"] == "EMPTY_STRATUM"


@pytest.mark.slow
def test_an_output_in_which_no_expert_found_anything_to_judge_is_no_success(gaps):
    """Left out, it would be taken to be like the others of its stratum. Artifacts by `methods` 11 and less did so."""
    inputs = collect(release=gaps)
    read = {item.subject for item in inputs.draws if item.stratum == "aurora/success"}
    blank = min(read)
    labels = [
        replace(row, state="abstain", value="") if row.subject == blank and row.question == "suff" else row
        for row in inputs.labels
    ]
    given = replace(inputs, labels=labels)
    [audit] = score_document(given)["judge"]["audits"]
    tool = audit["metrics"]["tool_acc"]
    assert audit["labelled"] == audit["drawn"]
    assert not tool["missing"]
    [stratum] = [s for s in tool["corrected"]["aurora"]["strata"] if s["stratum"] == "aurora/success"]
    assert (stratum["size"], stratum["sampled"]) == (16, 16)
    [full] = judge_audit_document(given, {})["audits"]
    undecided = {"not labelled yet": 0, "judge undecided": 1, "experts undecided": 1}
    assert full["metrics"]["tool_acc"]["exclusions"] == undecided
    [before] = score_document(replace(given, methods=11))["judge"]["audits"]
    assert before["metrics"]["tool_acc"]["missing"] == 1


@pytest.mark.parametrize(
    ("states", "decided", "expected"),
    [
        (["abstain", "abstain"], "", "uncertain"),
        (["abstain", "unavailable"], "", "uncertain"),
        (["abstain", "abstain"], "yes", "yes"),
        (["abstain", "yes"], "", "split"),
        (["abstain", "yes"], "yes", "yes"),
        (["abstain", "yes", "yes"], "", "yes"),
        (["unavailable"], "", None),
        (["unavailable"], "no", "no"),
        (["yes", "yes"], "no", "no"),
    ],
)
def test_an_abstention_is_a_vote_against_success_that_an_adjudicator_can_overrule(states, decided, expected):
    labels = [
        ExpertLabel(
            subject="p/a/1",
            campaign="c",
            question="ground",
            step="",
            rater=f"expert-{number}",
            value="" if state in ("abstain", "unavailable") else state,
            state=state if state in ("abstain", "unavailable") else "answered",
        )
        for number, state in enumerate(states)
    ]
    decisions = [Decision("p/a/1", "c", "ground", "", decided)] if decided else []
    assert audit_truth(labels, decisions).get("p/a/1", {}).get("ground") == expected


@pytest.mark.slow
def test_a_decision_is_the_label_of_an_audited_output_also_against_the_majority(gaps):
    """Reports that were frozen by methods before 12 used it only where the experts split."""
    inputs = collect(release=gaps)
    graded = reading(inputs).outputs
    agreed = next(key for key, one in graded.items() if set(one.answers.values()) == {"no"})
    [campaign] = inputs.campaigns
    yes = [Decision(agreed, campaign.slug, question, "", "yes") for question in ("ground", "suff")]
    decided = replace(inputs, decisions=tuple(yes))
    found = reading(decided).outputs[agreed]
    assert (found.solved, found.decided) == (True, True)
    for methods, more in ((11, 0), (12, 1)):
        before, after = (
            score_document(replace(one, methods=methods))["judge"]["audits"][0]["metrics"]["tool_acc"]
            for one in (inputs, decided)
        )
        successes = [
            sum(stratum["successes"] for found in one["corrected"].values() for stratum in found["strata"])
            for one in (before, after)
        ]
        assert successes[1] - successes[0] == more


def test_what_an_audit_drew_before_it_was_left_out_takes_no_score_of_the_next_away():
    """Experts read it and found that it reveals who wrote it; the next audit drew from the ten others."""
    population = outputs(n_yes=1, n_no=11)
    first = audit("first", {"y": 1, "n": 11}, {"y0": True, "n0": True, "n1": False})
    second = audit("second", {"y": 1, "n": 10}, {"y0": True, "n1": False, "n2": False})
    estimate = corrected(population, second, first, undrawable=["n0"])["estimate"]
    assert estimate["value"] == pytest.approx(1 / 12)
    assert estimate["bounds"] == pytest.approx([1 / 12, 2 / 12])
    assert estimate["warnings"] == ["NO_SPREAD", "UNDRAWABLE"]


def test_drawn_outputs_of_an_audit_that_is_taken_in_may_have_no_label_either():
    population = outputs(n_yes=1, n_no=10)
    first = audit("first", {"y": 1, "n": 10}, {"y0": True, "n0": True, "n1": False})
    first = DrawnAudit(first.drawn, {key: first.truth[key] for key in ("y0", "n1")})
    second = audit("second", {"n": 8}, {"n2": False, "n3": True})
    strata = strata_of(PROTOCOL.bucket, population)
    known = usable_truth(second, [first], strata)
    estimate = corrected_document(correction(TOOL, strata, population, known.truth, known.drawn))["estimate"]
    assert estimate["value"] == pytest.approx((1 + 10 / 3) / 11)
    assert estimate["bounds"] == pytest.approx([(1 + 10 * 1 / 4) / 11, (1 + 10 * 2 / 4) / 11])
    assert "NONRESPONSE" in estimate["warnings"]


def test_the_bounds_of_a_score_that_is_not_there_hold_however_splits_are_decided():
    # Two strata of ten; of one nothing was drawn, of the other two, on one of which the experts split evenly.
    negative = Correction((Stratum("a/yes", 10, 2, 0), Stratum("a/no", 10, 0, 0)), 0)
    positive = Correction((Stratum("a/yes", 10, 2, 1), Stratum("a/no", 10, 0, 0)), 0)
    assert corrections.corrected(negative, None, positive).estimate.bounds == (0, 15 / 20)
    older = corrections.corrected(negative, None, positive, methods=16).estimate
    assert older.bounds == (0, 10 / 20)


def test_a_stratum_that_is_not_corrected_has_no_missing_labels():
    population = outputs(n_yes=1, n_no=10)
    lonely = audit("lonely", {"y": 1, "n": 8}, {"y0": True, "n2": False})
    strata = strata_of(PROTOCOL.bucket, population)
    known = usable_truth(lonely, (), strata)
    estimate = corrected_document(correction(TOOL, strata, population, known.truth, known.drawn))["estimate"]
    assert (estimate["reason"], estimate.get("warnings", [])) == ("EMPTY_STRATUM", [])


def test_a_label_counts_though_a_later_audit_that_drew_the_output_too_has_none():
    population = outputs(n_yes=1, n_no=2)
    first = audit("first", {"y": 1}, {"y0": True})
    own = audit("own", {"n": 2}, {"n0": False, "n1": False})
    again = DrawnAudit(audit("again", {"y": 1}, {"y0": True}).drawn, {})
    assert corrected(population, own, first, again)["estimate"]["value"] == pytest.approx(1 / 3)


def test_a_later_system_takes_no_score_away_where_the_draw_did_not_hit_an_earlier_one():
    """Ten each of aurora and basalt were in the frame, only aurora was hit; then cobalt was judged."""
    drawn = pooled_audit({"aurora:0": True, "aurora:1": False})
    assert by_system(with_cobalt(), drawn, "aurora")["estimate"]["value"] == pytest.approx(1 / 2)
    assert by_system(with_cobalt(), drawn, "basalt")["estimate"]["reason"] == "EMPTY_STRATUM"


def test_a_draw_over_all_systems_may_leave_out_one_by_system_and_an_output_besides():
    """Frames of 10 and 10 are those of an earlier draw than one of 15: 4 were drawn, one could not be."""
    parts = [
        pooled_audit({f"{system}:0": True, f"{system}:1": False}, f"{system}/ungrounded", 10)
        for system in ("aurora", "basalt")
    ]
    first = DrawnAudit(
        [item for one in parts for item in one.drawn], {s: t for one in parts for s, t in one.truth.items()}
    )
    second = pooled_audit({"aurora:2": True, "basalt:2": True}, size=15)
    document = pooled_score(two_systems(), second, first, undrawable=["aurora:9"])
    assert document["estimate"]["value"] == pytest.approx(2 / 3)


def test_an_audit_may_leave_out_another_that_had_left_out_a_third_and_an_output_besides():
    """Twenty: one cannot be drawn, the first draws 2 of 19, the second 5 of 19, the third 1 of the 14 left by it; the
    last leaves out the first and the third."""
    population = outputs(n_yes=0, n_no=20)
    first = audit("first", {"n": 19}, {"n0": True, "n1": True})
    second = audit("second", {"n": 19}, dict.fromkeys(("n0", "n2", "n3", "n4", "n5"), False))
    third = audit("third", {"n": 14}, {"n6": False})
    last = audit("last", {"n": 16}, {"n2": False})
    found = corrected(population, last, first, second, third, undrawable=["n19"])
    assert found["estimate"]["value"] == pytest.approx(2 / 4)


def test_a_sample_of_fewer_systems_is_none_of_all_because_others_drew_from_all():
    """Aurora's and basalt's sample says nothing of cobalt, from which an audit drew that is not taken in."""
    everything = pooled_audit(FOUR | {"cobalt:0": True}, size=30)
    again = DrawnAudit([replace(item, campaign="again") for item in everything.drawn], everything.truth)
    document = pooled_score(with_cobalt(), pooled_audit(FOUR), again)
    assert document["estimate"]["reason"] == "EMPTY_STRATUM"
    assert document == pooled_score(with_cobalt(), pooled_audit(FOUR))


def test_a_sample_of_fewer_systems_is_joined_within_each_system_also_where_another_was_of_all():
    """Two of aurora's and basalt's twenty, three of thirty, one of the 25 left: 1 of 3, 1 of 2, 0 of 1."""
    first = pooled_audit({"aurora:0": True, "aurora:1": False})
    second = pooled_audit({"aurora:2": False, "basalt:2": True, "cobalt:2": False}, size=30)
    second = DrawnAudit([replace(item, campaign="second") for item in second.drawn], second.truth)
    third = pooled_audit({"basalt:3": False}, size=25)
    third = DrawnAudit([replace(item, campaign="third") for item in third.drawn], third.truth)
    document = pooled_score(with_cobalt(), third, first, second)
    assert document["estimate"]["value"] == pytest.approx((10 / 3 + 10 / 2 + 0) / 30)


def test_a_recorded_draw_is_not_taken_for_one_that_left_out_as_many_outputs():
    """Aurora's ten and three of basalt's, which were judged later; a second audit of all of them drew three."""
    population = {key: one for key, one in two_systems().items() if key < "basalt:3"}
    strata = strata_of(PROTOCOL.bucket, population)
    first = pooled_audit({"aurora:0": True, "aurora:1": False}, size=10)
    second = pooled_audit(dict.fromkeys(("aurora:2", "aurora:3", "aurora:4"), False), size=13)
    second = replace(second, drawn=[replace(item, campaign="second") for item in second.drawn])
    assert len(usable_truth(first, [second], strata).truth) == 5  # by the sizes alone it left out these three
    recorded = replace(first, systems={"aurora"})
    assert usable_truth(recorded, [second], strata).truth == first.truth
    second = replace(second, systems={"aurora", "basalt"}, leaves_out={"another"})
    assert usable_truth(second, [recorded], strata).truth == second.truth


def test_a_recorded_draw_takes_in_the_audits_that_it_left_out_and_no_other_of_their_size():
    population = outputs(n_yes=0, n_no=10)
    strata = strata_of(PROTOCOL.bucket, population)
    first = audit("first", {"n": 10}, {"n0": True, "n1": True})
    second = audit("second", {"n": 10}, {"n2": False, "n3": True})
    third = replace(audit("third", {"n": 8}, {"n4": False}), systems={"aurora"})
    for left, keys in (("first", {"n0", "n1", "n4"}), ("second", {"n2", "n3", "n4"})):
        recorded = replace(third, leaves_out={left})
        for others in ([first, second], [second, first]):
            assert usable_truth(recorded, others, strata).truth.keys() == keys
    # what it left out and nobody closed yet, and what moved since, leaves it without a score
    for recorded in (replace(third, leaves_out={"open"}), replace(third, leaves_out={"first", "second"})):
        assert corrected(population, recorded, first, second)["estimate"]["reason"] == "EMPTY_STRATUM"


def test_a_system_of_which_everything_was_drawn_before_is_still_one_of_the_frame():
    """Basalt's two were both read; the next draw over both systems left them out."""
    population = {key: one for key, one in two_systems().items() if key < "basalt:2"}
    first = pooled_audit({"basalt:0": True, "basalt:1": True}, "basalt/ungrounded", 2)
    second = pooled_audit({"aurora:0": True, "aurora:1": False})
    items = [replace(item, campaign="second", stratum_size=10) for item in second.drawn]
    second = DrawnAudit(items, second.truth, {"aurora", "basalt"}, {"pooled"})
    assert pooled_score(population, second, first)["estimate"]["value"] == pytest.approx((2 + 10 / 2) / 12)


def named(
    one: DrawnAudit, name: str, *leaves_out: str, systems: Sequence[str] = ("aurora", "basalt")
) -> DrawnAudit:
    items = [replace(item, campaign=name) for item in one.drawn]
    return DrawnAudit(items, one.truth, set(systems), set(leaves_out))


def pooled_as(audits: Sequence[DrawnAudit]) -> set[str]:
    """The strata in which the last of the audits is pooled."""
    strata = strata_of(PROTOCOL.bucket, two_systems())
    *others, last = audits
    return set(pooled_strata(strata, usable_truth(last, others, strata), last, others).values())


def test_a_recorded_sample_of_fewer_systems_is_none_of_all_though_its_size_would_fit():
    """The second drew ten of twenty, and the first from ten, which could be those that the second had left."""
    ten = {f"{system}:{at}": False for system in ("aurora", "basalt") for at in range(3, 8)}
    audits = [
        named(pooled_audit({"aurora:0": True, "aurora:1": False}, size=10), "first", systems=["aurora"]),
        named(pooled_audit(ten), "second"),
        named(pooled_audit({"basalt:0": True}, size=8), "third", "first", "second"),
    ]
    assert pooled_as(audits) == {"aurora/ungrounded", "basalt/ungrounded"}
    assert pooled_as([replace(one, systems=None) for one in audits]) == {"ungrounded"}


def test_what_an_audit_by_system_left_of_a_bucket_is_no_sample_of_all_systems_as_one():
    """Of which the second drew, and the third left out the second alone: within each system it is a sample."""
    by_system = pooled_audit({"aurora:0": True, "aurora:1": False}, "aurora/ungrounded", 10)
    audits = [
        named(by_system, "first"),
        named(pooled_audit({"aurora:2": True, "basalt:2": False}, size=18), "second", "first"),
        named(pooled_audit({"aurora:3": True, "basalt:3": False}, size=18), "third", "second"),
    ]
    assert pooled_as(audits) == {"aurora/ungrounded", "basalt/ungrounded"}
    assert pooled_as([audits[0], replace(audits[1], leaves_out={"open"}), audits[2]]) == {
        "aurora/ungrounded",
        "basalt/ungrounded",
    }
    assert pooled_as([named(audits[1], "second"), audits[2]]) == {"ungrounded"}
