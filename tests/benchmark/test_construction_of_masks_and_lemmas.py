"""What programs answer in the construction audits of masked proofs and of lemmas."""

from typing import Any

import pytest

from benchmark.protocols import get_protocol
from tests.benchmark.files import example_payload
from tests.deployment import ROOT

pytestmark = pytest.mark.no_database


def says(protocol: str, item: str, **changes: Any) -> tuple[str, str]:
    payload = example_payload(protocol) | changes
    reply = get_protocol(protocol).program("construction").decide(item, payload, None, "")
    return reply.value, reply.reason


@pytest.mark.parametrize("protocol", ["masked_steps", "lemmas"])
def test_experts_and_models_are_asked_items_of_the_audit(protocol):
    rules = get_protocol(protocol)
    items = [item.key for item in rules.construction_items]
    rubric = next(rubric for rubric in rules.rubrics if rubric.kind == "construction")
    assert [question.key for question in rubric.questions] == items
    assert {predicate.key for predicate in rules.instance_predicates} <= set(items)
    assert rules.program("construction").predicates == tuple(
        item.key for item in rules.construction_items if item.program
    )


def test_a_formula_that_stands_elsewhere_in_the_proof_is_a_shortcut():
    formula = r"$\left( a_1 + a_2 \right)^{2} = b$"
    elsewhere = r"Note $(a_1+a_2)^{2}=b$ first. Hence [MASK]."
    value, reason = says("masked_steps", "shortcut_free", mask_content=formula, mask_text=elsewhere)
    assert (value, reason) == ("no", "The formula occurs in the proof a second time, word for word.")
    clean = "Squaring gives [MASK]."
    assert says("masked_steps", "shortcut_free", mask_content=formula, mask_text=clean)[0] == "uncertain"
    assert says("masked_steps", "shortcut_free", mask_content="$p-1$", mask_text="As $p-1$ is even, [MASK].")[
        0
    ] == (
        "uncertain"  # too short to mean anything
    )


def test_a_macro_that_the_release_does_not_define_is_found_in_both():
    broken = r"Let $\Gal(K)$ act."
    assert says("masked_steps", "well_formed", reference_solution=broken)[0] == "no"
    assert says("masked_steps", "well_formed") == ("yes", says("masked_steps", "well_formed")[1])
    assert r"\Gal" in says("lemmas", "well_formed", statement=broken)[1]
    assert says("lemmas", "well_formed", statement="Let $G$ act.")[0] == "yes"


def test_a_reference_whose_target_is_not_there_is_a_fault():
    lost = r"By Lemma~\ref{compact}, $f$ is bounded."
    assert says("masked_steps", "notation_explained", reference_solution=lost) == ("no", "no label compact")
    there = r"\begin{lemma}\label{compact} $f$ is bounded.\end{lemma} See Lemma~\ref{compact}."
    assert says("masked_steps", "notation_explained", reference_solution=there)[0] == "uncertain"
    assert says("lemmas", "links_resolved", statement=lost)[0] == "no"
    assert says("lemmas", "links_resolved", statement="All is well.")[0] == "yes"


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        (r"\cite[Theorem 2]{Hal35} Let $G$ be bipartite.", "no"),
        (r"Let $G$ be bipartite \citep[see][p.~2]{Hal35, Lov86}.", "no"),
        ("Let $G$ be bipartite.", "uncertain"),
    ],
)
def test_a_lemma_that_cites_a_source_is_not_the_papers_own(statement, value):
    assert says("lemmas", "own_result", statement=statement)[0] == value


def test_other_items_are_refused():
    for protocol in ("masked_steps", "lemmas"):
        with pytest.raises(KeyError):
            says(protocol, "nonesuch")


def test_of_the_samples_one_mask_stands_in_its_problem_and_nothing_else_is_at_fault():
    """The numerator 1 - x^{n+1} of the geometric sum: mask 3 asks for it, and the problem ends with it."""
    found = []
    for protocol in ("masked_steps", "lemmas"):
        rules = get_protocol(protocol)
        program = rules.program("construction")
        for record in rules.read_release(ROOT / "sample" / protocol / "release.jsonl"):
            said = {item: program.decide(item, record.payload, None, "") for item in program.predicates}
            found += [(record.key, item, reply.reason) for item, reply in said.items() if reply.value == "no"]
    assert found == [
        ("3", "shortcut_free", "The formula occurs in the problem a second time, word for word.")
    ]
