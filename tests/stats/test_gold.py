"""A judge's choices of pairs against gold: JudgeBench's rule about two orders, written out, and what is left out."""

import io
import json
from itertools import product
from pathlib import Path

import pytest

from stats.analyses.audit_text import gold_text
from stats.analyses.gold import gold_document
from stats.analyses.options import Options
from stats.analyses.pairs import pairs_document
from stats.core.estimate import Caution
from stats.tables.labels import read_labels
from stats.tables.raw_rows import TableError
from tests.stats.real_data import pandalm, real_file

HEADER = "subject,rater_kind,rater,system,value,state,cluster"


def document(rows, header=HEADER, **options):
    text = "\n".join([header, *rows])
    return gold_document(read_labels(io.BytesIO(text.encode())), options=Options(**options))


def judged(pair, first, second):
    """Gold A; the judge's answers in both orders: `first` about A|B, `second` about B|A, "-" for a lost call."""
    rows = [f"{pair},expert,g,A|B,first,,"]
    for system, value in (("A|B", first), ("B|A", second)):
        rows.append(
            f"{pair},judge,m,{system},{'' if value == '-' else value},{'unavailable' if value == '-' else ''},"
        )
    return rows


# JudgeBench's counter: +1 for each order that names the gold output, -1 for each that names the other.
WORTH = {("A|B", "first"): 1, ("A|B", "second"): -1, ("B|A", "first"): -1, ("B|A", "second"): 1}


@pytest.mark.parametrize(("first", "second"), list(product(("first", "second", "tie", "-"), repeat=2)))
def test_the_net_rule_is_that_of_judgebench(first, second):
    if first == second == "-":
        return
    (found,) = document(judged("p", first, second))["judges"]
    net = WORTH.get(("A|B", first), 0) + WORTH.get(("B|A", second), 0)
    expected = {"correct": int(net > 0), "incorrect": int(net < 0), "ties": int(net == 0)}
    assert {name: found["net"][name] for name in expected} == expected
    assert found["net"]["accuracy"]["value"] == int(net > 0)


def test_the_rules_differ_where_one_order_is_a_tie():
    # first and tie: net 1, so correct; the votes are not all the same, so no agreement.
    (found,) = document([*judged("p", "first", "tie"), *judged("q", "first", "second")])["judges"]
    assert (found["net"]["correct"], found["agree"]["correct"]) == (2, 1)
    assert (found["order_flips"], found["opposite"], found["one_order"]) == (1, 0, 0)


def test_a_lost_pair_leaves_the_denominator_and_is_bounded():
    rows = [*judged("p", "first", "second"), *judged("q", "-", "-"), "r,expert,g,A|B,second,,"]
    (found,) = document(rows)["judges"]
    assert (found["judged"], found["missing"]) == (1, 2)  # q was lost, r never asked
    assert found["net"]["accuracy"]["value"] == 1
    assert found["net"]["accuracy"]["bounds"] == pytest.approx([1 / 3, 1])


def test_gold_is_the_majority_of_experts_and_ties_are_counted_apart():
    rows = [
        *(
            f"p,expert,{name},A|B,{value},,"
            for name, value in (("x", "first"), ("y", "first"), ("z", "second"))
        ),
        *(f"q,expert,{name},A|B,{value},," for name, value in (("x", "first"), ("y", "second"))),
        *(f"{pair},judge,m,A|B,first,," for pair in "pqr"),
    ]
    found = document(rows)
    assert (found["pairs"], found["gold"], found["gold_ties"], found["without_gold"]) == (3, 1, 1, 1)
    decided = document([*rows, "q,adjudicator,a,A|B,second,,"])
    assert (decided["gold"], decided["gold_ties"]) == (2, 0)
    assert decided["judges"][0]["net"]["incorrect"] == 1
    overruled = document([*rows, "p,adjudicator,a,A|B,second,,"])
    assert overruled["judges"][0]["net"] | {"accuracy": None} == found["judges"][0]["net"] | {
        "accuracy": None, "correct": 0, "incorrect": 1,
    }  # fmt: skip


def test_both_systems_of_a_pair_may_be_shown_to_experts_in_any_order():
    rows = ["p,expert,g,B|A,second,,", "p,judge,m,A|B,first,,"]
    assert document(rows)["judges"][0]["net"]["correct"] == 1


def test_pairs_of_one_problem_count_together():
    rows = []
    for problem, pair in product(range(12), range(4)):
        answer = "first" if problem % 2 else "second"  # a problem's four pairs are alike
        rows += [
            f"{problem}-{pair},expert,g,A|B,first,,c{problem}",
            f"{problem}-{pair},judge,m,A|B,{answer},,c{problem}",
        ]
    found = document(rows)
    alone = document([row.rpartition(",")[0] + "," for row in rows])
    assert (found["unit"], alone["unit"]) == ("cluster", "pair")
    wide, narrow = (each["judges"][0]["net"]["accuracy"]["ci"] for each in (found, alone))
    assert wide[1] - wide[0] > 1.5 * (
        narrow[1] - narrow[0]
    )  # 12 clusters against 48 pairs: about twice as wide
    assert Caution.FEW_CLUSTERS in found["judges"][0]["net"]["accuracy"]["warnings"]


def test_judges_and_their_versions_are_kept_apart():
    rows = ["p,expert,g,A|B,first,,,", "p,judge,m,A|B,first,,,v1", "p,judge,m,A|B,second,,,v2"]
    found = document(rows, header=f"{HEADER},judge_version")["judges"]
    assert [(row["judge_version"], row["net"]["correct"]) for row in found] == [("v1", 1), ("v2", 0)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["p,judge,m,A|B,first,,"], "kind 'expert'"),
        (["p,expert,m,A|B,first,,"], "kind 'judge'"),
        (["p,expert,m,A,first,,", "p,judge,m,A|B,first,,"], "line 2, column system"),
        (["p,expert,m,A|B,yes,,", "p,judge,m,A|B,first,,"], "line 2, column value"),
        (["p,expert,m,A|B,first,,", "p,expert,m,A|B,second,,", "p,judge,m,A|B,first,,"], "a second time"),
    ],
)
def test_what_is_no_table_of_judged_pairs_is_refused(rows, message):
    with pytest.raises(TableError, match=message):
        document(rows)


def test_pairs_settles_two_orders_by_the_net_rule_when_asked():
    rows = [*judged("p", "first", "tie"), *judged("q", "first", "first")]
    text = "\n".join([HEADER, *(row for row in rows if "judge" in row)])
    table = read_labels(io.BytesIO(text.encode()))
    agree, net = (pairs_document(table, options=Options(), orders=rule) for rule in ("agree", "net"))
    assert [(row["system"], row["wins"], row["ties"]) for row in agree["systems"]] == [
        ("A", 0, 2),
        ("B", 0, 2),
    ]
    assert [(row["system"], row["wins"], row["ties"]) for row in net["systems"]] == [("A", 1, 1), ("B", 0, 1)]
    assert agree["order_flips"] == net["order_flips"] == 2


@pytest.mark.real_data
def test_a_published_judge_against_three_people_is_what_counting_says():
    judge = json.loads(real_file("pandalm", "pandalm-7b-testset-v1.json").read_text(encoding="utf-8"))
    words = {"1": "first", "2": "second"}
    rows, right, decided = [], 0, 0
    for pair, verdict in zip(pandalm(), judge, strict=True):
        people = [str(pair[f"annotator{n}"]) for n in (1, 2, 3)]
        said = str(verdict["pandalm_result"])
        rows += [f"{pair['idx']},expert,p{n},A|B,{words.get(who, 'tie')},," for n, who in enumerate(people)]
        rows.append(f"{pair['idx']},judge,m,A|B,{words.get(said, 'tie')},,")
        lead = people.count("1") - people.count("2")
        decided += lead != 0
        right += said == ("1" if lead > 0 else "2") and lead != 0
    found = document(rows)
    assert (found["pairs"], found["gold"]) == (999, decided)
    assert found["judges"][0]["net"]["correct"] == right
    assert found["judges"][0]["net"]["accuracy"]["value"] == pytest.approx(right / decided)


def test_the_example_of_the_documentation_prints_what_it_says():
    page = (Path(__file__).parents[2] / "docs" / "analyse.md").read_text(encoding="utf-8")
    _, _, shown = page.partition("$ cat pairs.csv\n")
    table, _, rest = shown.partition("$ manage.py analyse gold pairs.csv\n")
    document = gold_document(read_labels(io.BytesIO(table.encode())), options=Options())
    assert rest.startswith(f"{gold_text(document)}\n```")
