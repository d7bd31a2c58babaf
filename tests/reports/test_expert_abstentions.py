"""A grader who found nothing to judge does not take an output out of the count."""

from dataclasses import replace

import pytest

from benchmark.protocols.lemmas.metrics import STEP_MEASURES
from benchmark.rubrics import Rubric, question
from canonical.documents import as_json
from reports.core.datasets import ExpertLabel, OutputRow
from reports.scores.expert_scores import expert_scores
from reports.scores.shape import ExpertQuestion
from reports.scores.text import expert_cell
from tests.documents import expert_document

RUBRIC = Rubric(
    name="proofs",
    version=1,
    kind="grade",
    title="Whole proof",
    questions=(
        question("correctness", "Is it correct?", "correctness", positive="correct"),
        question("logic", "Does each step follow?", "ordinal"),
    ),
)


def label(subject: str, rater: str, question: str, value: str) -> ExpertLabel:
    state = value if value in ("abstain", "unavailable") else "answered"
    return ExpertLabel(
        subject=subject,
        campaign="c",
        question=question,
        step="",
        rater=rater,
        value=value if state == "answered" else "",
        state=state,
    )


def output(subject: str) -> OutputRow:
    instance, system, attempt = subject.split("/")
    return OutputRow(
        subject=subject,
        system=system,
        instance=instance,
        cluster=instance,
        domain="algebra",
        attempt=int(attempt),
        state="answered",
        sha256="",
    )


@pytest.fixture
def scores() -> dict[str, ExpertQuestion]:
    rows = [output("a/one/1"), output("b/one/1"), output("c/one/1")]
    given = {
        "a/one/1": ("correct", "correct"),
        "b/one/1": ("correct", "abstain"),
        "c/one/1": ("abstain", "unavailable"),
    }
    labels = [
        label(subject, f"r{number}", "correctness", value)
        for subject, values in given.items()
        for number, value in enumerate(values)
    ]
    labels += [label("a/one/1", "r0", "logic", "4"), label("b/one/1", "r0", "logic", "abstain")]
    return expert_scores(RUBRIC, rows, labels)


@pytest.fixture
def found(scores: dict[str, ExpertQuestion]) -> dict:
    return as_json(scores)


def test_an_abstention_is_no_success_and_stays_in_the_denominator(found: dict) -> None:
    """Of three outputs one is correct for both; one grader abstained on the second, one on the third."""
    one = found["correctness"]["systems"]["one"]
    assert (one["conservative"]["estimate"]["value"], one["conservative"]["estimate"]["n"]) == (
        pytest.approx(1 / 3),
        3,
    )
    assert one["conservative"]["counts"] == {"correct": 1, "inconclusive": 2, "incorrect": 0}
    assert one["majority"]["counts"] == {"correct": 1, "inconclusive": 2, "incorrect": 0}


def test_what_was_said_and_what_was_not_are_counted_apart(
    found: dict, scores: dict[str, ExpertQuestion]
) -> None:
    one = found["correctness"]["systems"]["one"]
    assert one["labels"] == {"correct": 3, "inconclusive": 0, "incorrect": 0}
    assert (one["abstain"], one["unavailable"]) == (2, 1)
    assert expert_cell(scores["correctness"].systems["one"]).endswith("; 2 abstain; 1 unavailable")


def test_a_graded_scale_has_no_place_for_an_abstention_and_says_how_many_there_were(found: dict) -> None:
    logic = found["logic"]["systems"]["one"]
    assert (logic["macro"]["value"], logic["macro"]["n"], logic["abstain"]) == (4, 1, 1)


def test_an_output_that_only_failed_judgments_speak_of_is_not_counted() -> None:
    labels = [label("a/one/1", "r0", "correctness", "unavailable")]
    found = expert_document(RUBRIC, [output("a/one/1")], labels)["correctness"]["systems"]["one"]
    assert (found["conservative"]["estimate"]["n"], found["unavailable"]) == (0, 1)


@pytest.mark.parametrize("state", ["abstain", "unavailable"])
@pytest.mark.parametrize(("methods", "judged"), [(19, 1), (18, 2)])
def test_a_step_without_an_answer_leaves_its_proof_out_and_does_not_shorten_it(
    state: str, methods: int, judged: int
) -> None:
    """Imported labels can abstain on one step. Of two proofs, all steps of one are answered, and correct."""
    rubric = replace(RUBRIC, questions=(question("steps", "Is each step right?", "steps"),))
    labels = [
        replace(label(f"{key}/one/1", "r0", "steps", value), step=step)
        for key, values in {"a": ("correct", "correct"), "b": ("correct", state)}.items()
        for step, value in zip(("b1", "b2"), values, strict=True)
    ]
    rows = [output("a/one/1"), output("b/one/1")]
    scores = expert_scores(rubric, rows, labels, measures=STEP_MEASURES, methods=methods)
    accepted = scores["steps"].systems["one"].measures["accepted_by_steps"].estimate
    assert (accepted.value, accepted.n) == (1, judged)
