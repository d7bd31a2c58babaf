"""Theorem search: ranked runs from files, what counts as found, and what experts' relevance makes of a list."""

import math

import pytest

from benchmark.protocol import OutputRecord
from benchmark.protocols import get_protocol
from benchmark.protocols.theorem_search.metrics import ranks
from benchmark.protocols.theorem_search.showing import stands_alone
from latex import render
from tests.benchmark.files import example, write_lines

PROTOCOL = get_protocol("theorem_search")
QUERY = example("theorem_search").instance
MEASURES = {measure.key: measure for measure in PROTOCOL.measures}
STEP_MEASURES = {measure.key: measure for measure in PROTOCOL.step_measures}
TARGET = "2401.00005#Theorem_2.1"


def read(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(PROTOCOL.read_outputs(path))


def trec(*lines):
    return "\n".join(lines) + "\n"


def instance(**changes):
    return {name: value for name, value in (QUERY | changes).items() if name not in ("instance_id", "domain")}


def found(results, level="theorem", **changes):
    return ranks(instance(**changes), {"results": results}, level)


def test_a_trec_run_and_a_csv_file_with_the_same_list_give_the_same_results(tmp_path):
    (one,) = read(tmp_path, "run.trec", trec("q1 Q0 2401.1#Lemma_4 1 2.5 x", f"q1 Q0 {TARGET} 2 2 x"))
    (two,) = read(
        tmp_path,
        "run.csv",
        "query,rank,paper,statement,score\nq1,1,2401.1,Lemma 4,2.5\nq1,2,2401.00005,Theorem 2.1,2\n",
    )
    assert isinstance(one, OutputRecord)
    assert (one.payload, one.text, one.line) == (two.payload, two.text, 2)
    assert one.payload["results"][1] == {"paper": "2401.00005", "statement": "Theorem 2.1", "score": 2}


def test_a_run_of_papers_says_so(tmp_path):
    (one,) = read(tmp_path, "run.trec", trec("q1 Q0 2401.00005 1 2.5 x"))
    (two,) = read(tmp_path, "run.csv", "query,rank,paper\nq1,1,2401.00005\n")
    assert one.payload["level"] == two.payload["level"] == "paper"


def test_an_empty_rank_means_that_nothing_was_found(tmp_path):
    first, second = read(tmp_path, "run.csv", "query,rank,paper,statement\nq1,,,\nq2,1,a,\n")
    assert (first.state, first.text, first.payload["results"]) == ("abstained", "", [])
    assert second.state == "answered"


@pytest.mark.parametrize(
    ("lines", "line", "field", "words"),
    [
        (["q1 Q0 a#1 1 2 x extra"], 1, "", "7 fields"),
        (["q1 0 a#1 1 2 x"], 1, "Q0", "must be Q0"),
        (["q1 Q0 a#1 0 2 x"], 1, "rank", "whole number from 1"),
        (["q1 Q0 a#1 1 nan x"], 1, "score", "must be a number"),
        (["q1 Q0 a#1 1 2 x", "q1 Q0 b#1 2 3 x"], 2, "score", "higher"),
        (["q1 Q0 a#1 1 2 x", "q1 Q0 b#1 3 1 x", "q1 Q0 c#1 4 1 x"], 2, "rank", "rank 3 where 2"),
        (["q1 Q0 a#1 1 2 x", "q2 Q0 b#1 1 1 y"], 2, "tag", "'y' in a run of 'x'"),
        (["q1 Q0 a#1 1 2 x", "q2 Q0 b 1 1 x"], 2, "document", "a paper in a run of statements"),
        (["q1 Q0 a 1 2 x", "q2 Q0 b#1 1 1 x"], 2, "document", "a statement in a run of papers"),
        (["q1 Q0 a#1 1 2 x", "q2 Q0 b#1 1 1 x", "q1 Q0 c#1 2 1 x"], 3, "rank", "rank 2 where 1"),
        (["q1 Q0 a#1 1 2 x", "q1 Q0 A#1 2 1 x"], 2, "", "rank 2 already appears higher up"),
    ],
)
def test_a_fault_of_a_trec_run_is_named_with_line_and_field(tmp_path, lines, line, field, words):
    errors = [one for one in read(tmp_path, "run.run", trec(*lines)) if not isinstance(one, OutputRecord)]
    assert (errors[0].line, errors[0].field) == (line, field)
    assert words in errors[0].reason


@pytest.mark.parametrize(
    ("text", "line", "field", "words"),
    [
        ("query,rank\nq1,1\n", 1, "paper", "missing"),
        ("query,rank,paper,sistem\nq1,1,a,b\n", 1, "sistem", "unknown column"),
        ("query,rank,paper\nq1,one,a\n", 2, "rank", "whole number"),
        ("query,rank,paper\n ,1,a\n", 2, "query", "must not be empty"),
        ("query,rank,paper,score\nq1,1,a,much\n", 2, "score", "must be a number"),
        ("query,rank,paper\nq1,1,a\nq1,,\n", 3, "rank", "the only one"),
        ("query,rank,paper\nq1,1,a\nq1\n", 3, "", "1 cells where the header has 3"),
        (b"query,rank,paper\nq1,1,\xff\n", 2, "", "not UTF-8"),
    ],
)
def test_a_fault_of_a_csv_run_is_named_with_line_and_field(tmp_path, text, line, field, words):
    errors = [one for one in read(tmp_path, "run.csv", text) if not isinstance(one, OutputRecord)]
    assert (errors[0].line, errors[0].field) == (line, field)
    assert words in errors[0].reason


def test_the_right_text_under_another_number_is_a_miss_but_finds_the_paper():
    wrong = [{"paper": "2401.00005", "statement": "Theorem 2.2", "text": QUERY["targets"][0]["text"]}]
    assert found(wrong) == []
    assert found(wrong, "paper") == [1]


def test_papers_are_one_under_any_version_and_statements_under_any_spacing():
    assert found([{"paper": "arXiv:2401.00005v3", "statement": "  THEOREM  2.1"}]) == [1]


def test_a_statement_of_blanks_is_none():
    """As a target it made every result that names the paper alone the right theorem."""
    target = [{"paper": "a", "statement": " "}]
    assert ranks(instance(targets=target), {"results": [{"paper": "a"}]}, "theorem") is None


def test_a_list_of_papers_has_no_level_of_theorems():
    listed = {"level": "paper", "results": [{"paper": "2401.00005"}]}
    assert ranks(instance(), listed, "theorem") is None
    assert ranks(instance(), listed, "paper") == [1]


def test_paper_ranks_count_the_list_as_it_stands_unless_the_release_says_distinct():
    listed = [
        {"paper": "a", "statement": "1"},
        {"paper": "a", "statement": "2"},
        {"paper": "2401.00005", "statement": "9"},
    ]
    assert found(listed, "paper") == [3]
    assert found(listed, "paper", paper_ranks="distinct") == [2]


def test_precision_counts_a_target_once_and_says_so():
    listed = [{"paper": "2401.00005", "statement": str(number)} for number in range(3)]
    measure = MEASURES["paper_p_at_10"]
    assert measure.value(instance(), {"results": listed}) == 1 / 10
    assert "each counted once" in measure.definition


def test_several_targets_count_each_in_precision_and_the_first_in_reciprocal_rank():
    targets = [QUERY["targets"][0], {"paper": "b", "statement": "Lemma 1"}]
    output = {
        "results": [
            {"paper": "x", "statement": "1"},
            {"paper": "b", "statement": "Lemma 1"},
            {"paper": "2401.00005", "statement": "Theorem 2.1"},
        ]
    }
    values = {key: measure.value(instance(targets=targets), output) for key, measure in MEASURES.items()}
    assert values["theorem_p_at_10"] == 2 / 10
    assert values["theorem_p_at_1"] == 0
    assert (values["theorem_hit_at_10"], values["theorem_mrr_at_20"]) == (1, 1 / 2)


def test_without_an_output_every_measure_is_0():
    assert {measure.value(instance(), None) for measure in MEASURES.values()} == {0}


def test_experts_relevance_counts_exact_equivalent_and_stronger():
    labels = ["related", "stronger", "no", "exact"]
    assert STEP_MEASURES["expert_p_at_10"].value(labels) == 2 / 10
    assert STEP_MEASURES["expert_mrr_at_20"].value(labels) == 1 / 2
    assert STEP_MEASURES["expert_hit_at_10"].value(["related", "no"]) == 0
    assert STEP_MEASURES["expert_hit_at_10"].value(["related", "not_assessed"]) is None
    # what nobody looks at decides nothing: the eleventh result is beyond 10
    assert STEP_MEASURES["expert_hit_at_10"].value(["no"] * 10 + ["not_assessed"]) == 0


def test_every_result_is_one_block_even_if_its_latex_does_not_end(tmp_path):
    texts = [r"$x$ \end{document} gone", "Step 1 of $a", r"\begin{itemize}", "% hidden", "Fine: \\[x^2\\]"]
    line = QUERY | {"results": [{"paper": f"p{n}", "text": text} for n, text in enumerate(texts)]}
    line = {name: line[name] for name in ("instance_id", "results")}
    (record,) = PROTOCOL.read_outputs(write_lines(tmp_path / "o.jsonl", line))
    blocks = render(record.text, "latex").blocks
    assert [block.label for block in blocks] == [f"Result {n}" for n in range(1, 6)]
    assert "gone" in blocks[0].html
    assert "% hidden" in blocks[3].html


@pytest.mark.parametrize(
    "text", ["", "$a$ and $$b$$", r"\[x\] \(y\) {\bf z}", r"\begin{cases}a\end{cases} 5\%"]
)
def test_latex_that_ends_what_it_begins_stays_as_it_is(text):
    assert stands_alone(text)


@pytest.mark.parametrize(
    "text", ["$a", "}{", r"\[x", r"\end{result}", r"\newcommand{\a}{b}", "a % b", r"{$}$", r"\iffalse"]
)
def test_latex_that_reaches_beyond_itself_does_not(text):
    assert not stands_alone(text)


REPORTED = """[[reported]]
level = "theorem"
queries = 111
p_at_1 = "0.171"
hit_at_10 = "0.387"
hit_at_20 = "0.450"
mrr_at_20 = "{mrr}"
"""


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        # 0.171 + 0.216 / 2 + 0.063 / 11 is 0.2847; with half a digit everywhere 0.2855 at most.
        (REPORTED.format(mrr="0.287"), "mrr_at_20", "impossible"),
        (REPORTED.format(mrr="0.190"), "mrr_at_20", "impossible"),
        (REPORTED.format(mrr="0.243").replace("0.387", "0.389"), "hit_at_10", "not a whole number"),
        (REPORTED.format(mrr="0.243").replace("0.171", "0.505"), "hit_at_10", "only grow"),
        (REPORTED.format(mrr="about"), "mrr_at_20", "pattern"),
        (REPORTED.format(mrr="0.243") + "surprise = 1\n", "surprise", "no such field"),
        ("reported = 1\n", "", "[[reported]]"),
        ("[[reported\n", "", "cannot be read"),
    ],
)
def test_reported_rates_that_cannot_belong_together_are_refused(tmp_path, text, field, words):
    errors = reported(tmp_path, text)
    assert any(words in error.reason and error.field.endswith(field) for error in errors), errors


def test_rates_as_published_are_possible(tmp_path):
    assert not reported(tmp_path, REPORTED.format(mrr="0.243"))


def test_rates_with_different_numbers_of_digits_are_compared_as_printed(tmp_path):
    # 1 of 3 queries, at rank 1: every rate is 1/3.
    text = REPORTED.format(mrr="0.333333").replace("111", "3").replace("0.171", "0.333")
    assert not reported(tmp_path, text.replace("0.387", "0.33").replace("0.450", "0.3333"))


def test_a_folder_holds_one_run_and_nothing_strange(tmp_path):
    write_lines(tmp_path / "a.jsonl", example("theorem_search").output)
    (tmp_path / "b.csv").write_text("query,rank,paper\n")
    (tmp_path / "notes.txt").write_text("?")
    errors = [str(one) for one in PROTOCOL.read_outputs(tmp_path)]
    assert any("notes.txt" in error for error in errors)
    assert any("must contain one run, this one contains 2" in error for error in errors)


def reported(tmp_path, text):
    folder = tmp_path / "run"
    folder.mkdir()
    write_lines(folder / "run.jsonl", example("theorem_search").output)
    (folder / "reported.toml").write_text(text)
    return [one for one in PROTOCOL.read_outputs(folder) if not isinstance(one, OutputRecord)]


def test_scores_are_kept_as_any_database_keeps_them(tmp_path):
    (one,) = read(tmp_path, "run.trec", trec("q1 Q0 a#1 1 1e2 x"))
    score = one.payload["results"][0]["score"]
    assert (score, type(score)) == (100, int)
    assert not math.isinf(score)
