"""Splits, missing labels, strata that mix verdicts, data without spread (STATISTICS.md 6.4, 6.8 to 6.11)."""

import io

import pytest

from stats.analyses.audit import audit_document
from stats.analyses.corrected import corrected_document
from stats.analyses.options import Options
from stats.audit.confusion import METRICS, Confusion, in_sample
from stats.audit.weighted import AuditStratum, design_weighted
from stats.core.estimate import Caution
from stats.tables.labels import read_labels
from stats.tables.raw_rows import TableError
from tests.growing import takes_less_than

OPTIONS = Options(seed=1)


def table(rows, *columns):
    header = ",".join(("subject", "rater_kind", "rater", "value", *columns))
    text = "\n".join([header, *(",".join(map(str, row)) for row in rows)])
    return read_labels(io.BytesIO(text.encode()))


def both(labels):
    return (
        corrected_document(labels, positive="yes", options=OPTIONS),
        audit_document(labels, positive="yes", options=OPTIONS),
    )


def split_on_half(decided=""):
    """40 judged yes, all audited by two experts, who split on 20; `decided` says how an adjudicator settles these."""
    for at in range(40):
        yield at, "judge", "m", "yes", ""
        yield at, "expert", "anna", "yes", ""
        yield at, "expert", "ben", "yes" if at < 20 else "no", ""
        if decided and at >= 20:
            yield at, "adjudicator", "carla", decided, "no"


def test_splits_are_bounded_alike_by_the_corrected_score_and_by_the_audit():
    corrected, audit = both(table(split_on_half(), "amendment"))
    score, precision = corrected["corrected"], audit["in_sample"]["precision"]
    assert (corrected["splits"], audit["splits"]) == (20, 20)
    # 20 of 40 if all splits are negative, 40 of 40 if all are positive.
    assert (score["value"], score["bounds"], score["ci"]) == (0.5, [0.5, 1.0], [0.5, 1.0])
    assert (precision["value"], precision["bounds"]) == (0.5, [0.5, 1.0])
    assert precision["ci"][0] < 0.5
    assert precision["ci"][1] == 1
    assert "SPLIT" in score["warnings"]
    assert "CENSUS" not in score["warnings"]


@pytest.mark.parametrize(("decided", "value"), [("yes", 1.0), ("no", 0.5)])
def test_an_adjudicator_decides_a_split(decided, value):
    corrected, audit = both(table(split_on_half(decided), "amendment"))
    assert corrected["splits"] == 0
    assert corrected["corrected"]["value"] == value
    assert audit["in_sample"]["precision"]["value"] == value


def test_an_adjudicator_overrules_experts_who_agree():
    rows = [*split_on_half("yes"), (0, "adjudicator", "carla", "no", "no")]
    corrected, audit = both(table(rows, "amendment"))
    assert corrected["corrected"]["value"] == 39 / 40
    assert audit["in_sample"]["precision"]["value"] == 39 / 40


def test_an_amendment_decides_no_split():
    labels = table(
        [(*row[:4], "yes") if row[1] == "adjudicator" else row for row in split_on_half("yes")], "amendment"
    )
    assert corrected_document(labels, positive="yes", options=OPTIONS)["splits"] == 20


def test_drawn_outputs_without_a_label_are_counted_warned_of_and_bounded():
    """100 outputs judged yes, 20 drawn, 8 labelled, all of them right."""
    rows = [(at, "judge", "m", "yes", "s", 100, 20) for at in range(100)]
    rows += [(at, "expert", "anna", "yes", "s", 100, 20) for at in range(8)]
    corrected, audit = both(table(rows, "stratum", "stratum_size", "sample_size"))
    score, precision = corrected["corrected"], audit["weighted"]["precision"]
    assert (corrected["missing"], audit["missing"]) == (12, 12)
    assert (score["value"], score["bounds"]) == (1, [8 / 20, 1])  # 8 of 20 if the twelve were wrong
    assert "NONRESPONSE" in score["warnings"]
    assert (precision["value"], precision["bounds"]) == (1, [8 / 20, 1])
    assert "NONRESPONSE" in precision["warnings"]


def mixed_stratum(sampled_yes=6):
    """One stratum of 100, 30 judged yes; 20 were drawn, `sampled_yes` of them judged yes. Half of the yes are right,
    and of the sampled no one is."""
    rows = [(at, "judge", "m", "yes" if at < 30 else "no", "s") for at in range(100)]
    yes = [(at, "expert", "anna", "yes" if at % 2 else "no", "s") for at in range(sampled_yes)]
    no = [(30 + at, "expert", "anna", "yes" if at == 0 else "no", "s") for at in range(20 - sampled_yes)]
    return table([*rows, *yes, *no], "stratum")


def test_what_the_judge_said_of_unaudited_outputs_is_not_forgotten():
    audit = audit_document(mixed_stratum(), positive="yes", options=OPTIONS)
    weighted = audit["weighted"]
    # 30 judged yes, of which 3 of 6 are right: 15; 70 judged no, 1 of 14 right: 5.
    assert (weighted["tp"], weighted["fp"], weighted["fn"], weighted["tn"]) == (15, 15, 5, 65)
    assert weighted["recall"]["value"] == pytest.approx(15 / 20)


def test_judged_successes_that_nobody_audited_leave_recall_open():
    """No judged yes among the 20: recall was 0 [0, 0]; now nothing is claimed, and the reason is given."""
    audit = audit_document(mixed_stratum(sampled_yes=0), positive="yes", options=OPTIONS)
    assert audit["weighted"]["recall"]["value"] is None
    assert audit["weighted"]["recall"]["reason"] == "EMPTY_STRATUM"


def test_a_verdict_that_one_stratum_lacks_takes_the_rate_of_the_others():
    strata = {"a": (10, 4), "b": (10, 0)}  # judged yes in each, and how many of them were audited
    rows = []
    for name, (yes, sampled) in strata.items():
        for at in range(40):
            rows.append((f"{name}{at}", "judge", "m", "yes" if at < yes else "no", name))
        for at in [*range(sampled), *range(20, 30)]:
            rows.append((f"{name}{at}", "expert", "anna", "yes" if at < 3 else "no", name))
    weighted = audit_document(table(rows, "stratum"), positive="yes", options=OPTIONS)["weighted"]
    # 3 of the 4 audited judged successes are right, so 15 of the 20.
    assert weighted["precision"]["value"] == pytest.approx(3 / 4)
    assert "COLLAPSED" in weighted["precision"]["warnings"]


def test_a_sample_in_which_all_agree_has_a_width_in_every_coefficient():
    strata = [AuditStratum("yes", 100, 20, 0, 0, 0), AuditStratum("no", 300, 0, 0, 0, 20)]
    for found in (design_weighted(strata, seed=1), in_sample(Confusion(20, 0, 0, 20))):
        for metric in METRICS:
            assert found[metric].value == 1
            assert found[metric].ci[0] < 1
    assert design_weighted(strata, seed=1)["recall"].warnings == (Caution.NO_SPREAD,)
    assert in_sample(Confusion(20, 0, 0, 20))["kappa"].warnings == (Caution.NO_SPREAD,)


def test_a_judge_who_always_says_yes_has_a_kappa_of_0_with_a_width():
    kappa = in_sample(Confusion(30, 10, 0, 0))["kappa"]
    assert kappa.value == 0
    assert kappa.ci[0] < 0 < kappa.ci[1]


def test_recall_0_of_a_sample_has_a_width():
    """The sample holds judged negatives only, and nobody says that there are no others."""
    recall = design_weighted([AuditStratum("all", 100, 0, 0, 5, 15)], seed=1)["recall"]
    assert recall.value == 0
    assert recall.ci[0] == 0
    assert recall.ci[1] > 0


def test_what_was_audited_completely_has_no_width_and_says_so():
    strata = [AuditStratum("yes", 20, 18, 2, 0, 0), AuditStratum("no", 300, 0, 0, 1, 19)]
    precision = design_weighted(strata, seed=1)["precision"]
    assert (precision.ci, precision.warnings) == ((0.9, 0.9), (Caution.CENSUS,))


def big(size):
    rows = []
    for kind, verdict in (("a", "yes"), ("b", "no")):
        for at in range(20):
            design = (kind, size, 20)
            rows.append((f"{kind}{at}", "expert", "anna", "yes" if at < 5 else "no", *design))
            rows.append((f"{kind}{at}", "judge", "m", verdict, *design))
    return table(rows, "stratum", "stratum_size", "sample_size")


def test_a_stratum_of_a_thousand_million_is_answered_at_once():
    corrected, audit = both(big(10**9))
    assert takes_less_than(2, lambda: both(big(10**9)))
    assert corrected["corrected"]["ci"][0] < 0.25 < corrected["corrected"]["ci"][1]
    assert audit["weighted"]["recall"]["ci"] is not None


def test_a_larger_stratum_is_refused_by_its_line():
    with pytest.raises(TableError, match=r"line 2.*stratum_size.*1,000,000,000"):
        big(10**9 + 1)


def test_many_nameless_strata_share_by_the_judges_answer():
    """24 strata that no bucket names; the judge's answer groups them, and the value stays their weighted mean."""
    rows = []
    for h in range(24):
        verdict = "yes" if h % 2 else "no"
        for at in range(40):
            rows.append((f"{h}-{at}", "judge", "m", verdict, f"s{h}"))
        rows += [(f"{h}-{at}", "expert", "anna", verdict, f"s{h}") for at in range(5)]
    found = corrected_document(table(rows, "stratum"), positive="yes", options=OPTIONS)["corrected"]
    assert found["value"] == 0.5
    assert found["ci"][0] < 0.5 < found["ci"][1]
    assert found["ci"][1] - found["ci"][0] < 0.1
    assert found["method"] == "bb_pooled"


def test_an_expert_who_abstains_votes_as_in_the_scores_of_the_site():
    """Yes against an abstention is a split, and so is yes by two of four; two abstentions of three are no success and
    no pair."""
    said = {
        "agree": ["yes", "yes"],
        "against": ["yes", "abstain"],
        "half": ["yes", "yes", "no", "uncertain"],
        "most": ["yes", "abstain", "abstain"],
        "no": ["no", "no", "abstain"],
    }
    rows = [(subject, "judge", "m", "yes") for subject in said]
    rows += [
        (subject, "expert", f"e{n}", value) for subject, of in said.items() for n, value in enumerate(of)
    ]
    corrected, audit = both(table(rows))
    found = audit["in_sample"]
    assert (found["tp"], found["fp"], audit["splits"], audit["excluded"]) == (1, 3, 2, 1)
    assert (corrected["corrected"]["value"], corrected["splits"]) == (1 / 5, 2)
    assert corrected["corrected"]["bounds"] == pytest.approx([1 / 5, 3 / 5])
