"""The notes at the foot of the results: what columns, cells and marks mean, where this page has them. Pure."""

from reports.results.board import Board
from reports.results.graded import Reading
from reports.scores.shape import Score

_BLANK = "Blank answers count as not solved; those that could not be judged are left out."
_DRAWN = (
    "Answers drawn for the audit that most experts call successful. They were drawn by what the judge said, so this is "
    "no share of all answers."
)
_LEVEL = "A cell shows the level that most give; if none leads, the middle one, and of two the lower one."
_CORRECTED = (
    "The judge’s share of all answers, corrected by its errors on those that experts read; 95 % interval "
    "(Beta-Binomial, within the strata of the draw)."
)
_WHOLE_PAPERS = "the interval takes the proofs of a paper together."


def notes(score: Score, board: Board, found: Reading | None, split_by: str) -> list[dict[str, object]]:
    """Each with its key, number, title and text, in the order in which the page refers to them."""
    said = []
    if board.has("judge") and score.judge:
        metric = score.judge.metrics[board.metric]
        said.append(("judge", "AI judge.", f"{metric.title}: {metric.definition} {_BLANK}"))
    if found and found.campaign:
        if found.metric:
            text = f"{_DRAWN} {_LEVEL}"
        elif found.scale.aggregation == "mean":
            text = "Mean over the graded proofs of the mean of their referees."
        elif not found.scale.passes:
            text = f"The form does not say which answers count as solved. {_LEVEL}"
        else:
            text = (
                f"Graded proofs that more than half of their referees call {found.scale.success_in_words}, "
                f"or that an adjudicator does. Blank answers are not graded. {_LEVEL}"
            )
        said.append(("experts", "Experts.", text))
    if board.has("corrected"):
        said.append(("corrected", "Corrected.", _CORRECTED))
    if board.has("measured") and score.measured:
        measures = {measure.title: measure.definition for measure in score.measured.measures.values()}
        said.append(("measured", f"{board.measured_title}.", measures[board.measured_title]))
    if found and found.campaign:
        on = "on solved or not" if split_by == "verdict" and found.scale.passes else "in their answers"
        text = f"Referees differ {on}; adjudication in this campaign means the same."
        if found.metric and len(found.metric.needs) > 1:
            text = "Referees differ in what follows from their answers; adjudication takes each question by itself."
        said.append(("split", "Split.", text))
        alpha = f"Krippendorff’s alpha at the {found.scale.level} level; {_WHOLE_PAPERS}"
        said.append(("alpha", "α.", alpha))
    return [
        {"key": key, "number": number, "title": title, "text": text}
        for number, (key, title, text) in enumerate(said, start=1)
    ]
