"""From a paper to masks: pairs, what a reader lacks, the choice of formulas, lines with their variants."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmark.protocols.masked_steps.schema import MASK
from construction.pipeline import (
    Answers,
    Expected,
    Paper,
    Pipeline,
    Question,
    Range,
    State,
    prompt,
)
from construction.recipes.masked_steps.masks import (
    Candidate,
    Choice,
    Symbols,
    candidates,
    chosen,
    explanations,
    masked,
)
from construction.recipes.masked_steps.pairs import Pair, pairs
from construction.recipes.masked_steps.recipe import Recipe
from construction.recipes.passages import Drop, Made, not_set
from latex import Span

SYMBOLS = prompt("mask-symbols.v1", Symbols)
CHOICE = prompt("mask-choice.v1", Choice)
LINES_OF_A_PAPER = 100_000  # numbers that belong to one paper, of 10^9 that masks may have
_PROOF = re.compile(r"\\begin\s*\{(?:proof|pf)\*?\}(.{0,200000}?)\\end\s*\{(?:proof|pf)\*?\}", re.DOTALL)
_DISPLAY = re.compile(r"\\\[|\$\$|\\begin\s*\{(?:equation|align|gather|multline|eqnarray)\*?\}")
_CITATION = re.compile(r"\\[A-Za-z]*cite")
_LINES_OF_A_MASK = 3  # the mask and its two variants


class MaskPipeline(Pipeline):
    """Mask-Proof's curation."""

    stages: Mapping[str, str] = {
        "pairs": "Proofs with their statements",
        "formulas": "Proofs with formulas that can be masked",
        "symbols": "Problems that a reader can understand",
        "choice": "Proofs with masks",
        "lines": "Masks whose formulas can be set",
    }

    prompts = (SYMBOLS, CHOICE)
    numbers = Recipe
    most_papers = 10**9 // LINES_OF_A_PAPER
    common = ("problem",)

    def construct(
        self, paper: Paper, recipe: Recipe, replies: Mapping[tuple[str, str], str], seed: int
    ) -> Iterator[State]:
        numbered = LINES_OF_A_PAPER // max(1, recipe.max_masks * _LINES_OF_A_MASK)
        for number, pair in pairs(paper.outline, recipe):
            if isinstance(pair, Pair) and number >= numbered:
                reason = f"Only the first {numbered:,} proofs of a paper have numbers for their masks"
                pair = Drop("no_number_left", reason)
            key = f"proof-{number}"
            span = paper.outline.proofs[number].span
            if isinstance(pair, Drop):
                yield State(key, (span,), "pairs", pair)
                continue
            stage, outcome = _made(paper, recipe, pair, Answers(replies, key), seed)
            yield State(key, (*pair.spans, *pair.proof.spans), stage, outcome)

    def objection(self, line: Mapping[str, Any], path: str, text: str, recipe: Recipe) -> Drop | None:
        if line["mask_text"].replace(MASK, line["mask_content"]) != line["reference_solution"]:
            reason = (
                "With the formula at its place the proof is not the whole proof: repair all three texts alike"
            )
            return Drop("mask_does_not_fit", reason)
        return not_set(text)

    def disagreement(self, lines: Sequence[Mapping[str, Any]]) -> Drop | None:
        if len({line["problem"] for line in lines}) > 1:
            return Drop("problems_differ", "All masks of a proof have one problem")
        whole = {line["reference_solution"] for line in lines if line["variant"] != "truncated"}
        cut = [line["reference_solution"] for line in lines if line["variant"] == "truncated"]
        if len(whole) > 1 or not all(proof.startswith(text) for proof in whole for text in cut):
            reason = "The lines are masks of one proof, or of its beginning: repair the proof in all of them"
            return Drop("proofs_differ", reason)
        return None

    def expects(self, text: str, recipe: Recipe) -> Expected:
        """Low: proofs in environments that pass the filters by a rough count, whose problems a reader understands as
        they are, asked once; high: all long enough, each asked twice with all that may be added."""
        low = high = sent_low = sent_high = 0
        for body in _PROOF.findall(text):
            size = len(" ".join(body.split()))
            if size < recipe.min_characters:
                continue
            high += 2
            sent_high += len(text) + 2 * recipe.closure_characters + size
            displays, citations = len(_DISPLAY.findall(body)), len(_CITATION.findall(body))
            if displays >= recipe.min_displays and citations <= recipe.max_citations:
                low += 1
                sent_low += len(text)
        return Expected(Range(low, high), Range(sent_low, sent_high))


def _made(
    paper: Paper, recipe: Recipe, pair: Pair, answers: Answers, seed: int
) -> tuple[str, Question | Drop | tuple[Made[Any], ...]]:
    source = paper.outline
    among = candidates(source, pair)
    if not among:
        return "formulas", Drop("no_formula", "No formula of the proof can be masked")
    text, proof = source.flat.text, source.proofs[pair.number].span
    start = min(max(text.find("\\begin{document}"), 0), proof.start)
    before, after = source.text_of(Span(start, proof.start)), source.text_of(Span(proof.end, len(text)))
    asked = {"problem": pair.problem(), "proof": pair.proof.text, "paper": f"{before}\n\n{after}"}
    symbols = answers.to("symbols", SYMBOLS, asked)
    if isinstance(symbols, Question):
        return "symbols", symbols
    more = explanations(source, pair, symbols)
    if isinstance(more, Drop):
        return "symbols", more
    choice = answers.to(
        "choice", CHOICE, {"problem": pair.problem(more), "proof": numbered(pair.proof.text, among)}
    )
    if isinstance(choice, Question):
        return "choice", choice
    masks = chosen(choice, among, recipe)
    if isinstance(masks, Drop):
        return "choice", masks
    if not masks:
        return "choice", Drop("no_mask", "No formula is worth masking, the reply says")
    first = paper.ordinal * LINES_OF_A_PAPER + pair.number * recipe.max_masks * _LINES_OF_A_MASK
    lines: list[Made[Any]] = []
    for place, mask in enumerate(masks):
        made = masked(
            source, pair, among, mask, index=first + place * _LINES_OF_A_MASK, arxiv_id=paper.fields.key,
            written_by=CHOICE.label, seed=seed, domain=paper.domain, more=more,
        )  # fmt: skip
        for number, line in enumerate(made):
            if isinstance(line, Made):
                lines.append(line)
            elif number == 0:  # no mask; a variant may be missing
                return "lines", line
    return "lines", tuple(lines)


def numbered(text: str, among: list[Candidate]) -> str:
    """A proof with each formula that can be masked between <<1>> and <</1>>."""
    parts, at = [], 0
    for number, formula in enumerate(among, start=1):
        parts += [text[at : formula.start], f"<<{number}>>{text[formula.start : formula.end]}<</{number}>>"]
        at = formula.end
    return "".join([*parts, text[at:]])


PIPELINE = MaskPipeline()
