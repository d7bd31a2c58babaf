"""Re2Math: the published format, its metrics, and what a blind grader may see."""

import pytest

from benchmark.protocol import InstanceRecord, LabelledOutput
from benchmark.protocols import get_protocol
from benchmark.protocols.re2math.metrics import bucket, cited_among, is_grounded, is_success, tool_label
from tests.benchmark.files import ANSWER, GAP, changed, gap, write_lines

RE2MATH = get_protocol("re2math")


def labelled(ground: str, suff: str, state: str = "answered") -> LabelledOutput:
    """Labels by word; abstain and unavailable are states and carry no value."""
    given = {"ground": ground, "suff": suff}
    states = {key: word if word in ("abstain", "unavailable") else "answered" for key, word in given.items()}
    labels = {key: "" if states[key] != "answered" else word for key, word in given.items()}
    return LabelledOutput("system", "i1", "paper", "algebra", 1, state, labels, states)


# ToolAcc counts a clear yes on both; every other combination counts as 0 (Re2Math, section 5.1)
@pytest.mark.parametrize(
    ("ground", "suff", "tool", "grounded", "where"),
    [
        ("yes", "yes", True, True, "success"),
        ("yes", "no", False, True, "grounded_insufficient"),
        ("yes", "uncertain", False, True, "grounded_insufficient"),
        ("yes", "abstain", False, True, "grounded_insufficient"),
        ("yes", "unavailable", False, True, "unavailable"),
        ("no", "yes", False, False, "ungrounded"),
        ("no", "unavailable", False, False, "ungrounded"),
        ("uncertain", "yes", False, False, "ungrounded"),
        ("abstain", "no", False, False, "abstained"),
        ("unavailable", "yes", False, False, "unavailable"),
    ],
)
def test_labels_decide_success_and_bucket(ground, suff, tool, grounded, where):
    output = labelled(ground, suff)
    assert (is_success(output), is_grounded(output), bucket(output)) == (tool, grounded, where)


@pytest.mark.parametrize("state", ["abstained", "failed"])
def test_an_output_that_was_not_answered_is_in_the_abstained_bucket(state):
    assert bucket(LabelledOutput("s", "i", "p", "d", 1, state, {})) == "abstained"


def test_an_output_without_labels_is_unavailable():
    assert bucket(LabelledOutput("s", "i", "p", "d", 1, "answered", {})) == "unavailable"


def test_a_grader_sees_neither_planning_nor_candidates():
    parts = RE2MATH.output_parts(
        {name: ANSWER[name] for name in ("planning_anchor", "query", "candidates", "selected_source")},
        ANSWER["statement"],
        "latex",
    )
    shown = " ".join(part.text for part in parts)
    assert "canary" not in shown
    assert "A. Borel, Analysis, 1901, doi:1" in shown


def test_the_witness_is_folded_away_and_the_anchor_is_not_shown():
    parts = {part.title: part for part in RE2MATH.instance_parts(GAP)}
    assert parts["Reference witness"].collapsed
    assert not any(GAP["x"]["anchor_hint"] in part.text for part in parts.values())
    assert parts["The proof up to the gap"].text == "Cover $X$ by balls.\n\nFinitely many suffice."


def test_a_payload_is_kept_word_for_word_with_fields_a_later_release_adds(tmp_path):
    line = GAP | {"quality_score": 3}
    (record,) = RE2MATH.read_release(write_lines(tmp_path / "r.jsonl", line))
    assert record.payload == line


@pytest.mark.parametrize(
    ("day", "year"), [("2024-01-02", 2024), ("2024-01", 2024), ("1999", 1999), ("Unknown", None)]
)
def test_the_year_comes_from_the_publication_date(tmp_path, day, year):
    line = gap(paper__publication_date=day)
    (record,) = RE2MATH.read_release(write_lines(tmp_path / "r.jsonl", line))
    assert isinstance(record, InstanceRecord)
    assert (record.paper.year, record.paper.identifiers) == (year, {"arxiv": "2401.00001"})


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"paper__publication_date": "last spring"}, "paper.publication_date"),
        ({"x__local_context": "Cover $X$."}, "x.local_context"),
        ({"x__local_context": ["", "b"]}, "x.local_context.0"),
        ({"y__restated_in_citing_paper": "no"}, "y.restated_in_citing_paper"),
        ({"strata__domain": ""}, "strata.domain"),
        ({"instance_id": 7}, "instance_id"),
        ({"z": None}, "z"),
    ],
)
def test_a_field_of_another_shape_is_refused_by_its_path(tmp_path, changes, field):
    path = write_lines(tmp_path / "r.jsonl", gap(), changed(GAP, changes))
    _, error = RE2MATH.read_release(path)
    assert (error.line, error.field) == (2, field)


@pytest.mark.parametrize(
    "changes",
    [
        {"abstained": True},
        {"state": "abstained"},
        {"selected_source": None},
        {"state": "refused"},
        {"attempt": 0},
    ],
)
def test_an_output_that_contradicts_itself_is_refused(tmp_path, changes):
    (error,) = RE2MATH.read_outputs(write_lines(tmp_path / "o.jsonl", ANSWER | changes))
    assert error.line == 1


# Tool in the paper's case tables: F.4 (Kimi) and F.7 (GPT-5.2) print an undefined Ground with Suff N as undefined
@pytest.mark.parametrize(
    ("ground", "suff", "tool"),
    [
        ("yes", "yes", "yes"),
        ("yes", "no", "no"),
        ("no", "yes", "no"),
        ("uncertain", "yes", "no"),
        ("abstain", "no", ""),
        ("no", "unavailable", ""),
        ("abstain", "abstain", ""),
    ],
)
def test_tool_is_undefined_as_soon_as_a_part_is(ground, suff, tool):
    assert tool_label(labelled(ground, suff)) == tool
    assert tool_label(labelled(ground, suff, state="abstained")) == ""


CITED = {"title": "On the Topology of Manifolds", "authors": "A. Borel", "year": 1951}
CITATION = "A. Borel, On the topology of manifolds, Ann. of Math. 53 (1951), 1-20."


@pytest.mark.parametrize(
    ("candidates", "found"),
    [
        ([], 0.0),
        ([CITED], 1.0),
        ([{"title": f"Another paper, part {n}"} for n in range(19)] + [CITED], 1.0),
        ([{"title": "On the topology of manifolds", "authors": "B. Other", "year": 2010}], 0.0),
    ],
)
def test_cite_recall_asks_for_the_cited_work_among_the_candidates(candidates, found):
    instance = changed(GAP, {"z__citation_content": CITATION})
    assert cited_among(instance, {"candidates": candidates}) == found
    assert cited_among(instance, None) == 0.0


def test_a_list_of_more_than_twenty_candidates_is_refused_by_line_and_field(tmp_path):
    path = write_lines(tmp_path / "outputs.jsonl", changed(ANSWER, {"candidates": [CITED] * 21}))
    (error,) = RE2MATH.read_outputs(path)
    assert (error.line, error.field) == (1, "candidates")
