"""Which formulas of a proof can be masked, what a model chooses among them, and the lines of the release."""

import random
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from benchmark.citations.folding import undelimited
from benchmark.importing.keys import Strict
from benchmark.protocols.masked_steps.loader import shown
from benchmark.protocols.masked_steps.schema import MASK, Mask
from construction.recipes.masked_steps.pairs import Pair
from construction.recipes.masked_steps.recipe import MOST_MASKS, Recipe
from construction.recipes.passages import (
    GIVEN,
    PROGRAM,
    Drop,
    Made,
    Origin,
    Passage,
    Quotations,
    begin,
    not_expanded,
    not_set,
    origin,
    overlap,
    passage,
    read_reply,
)
from latex import Outline, Span
from latex.reading.record import Set

StepType = Literal[
    "lemma or theorem application", "structural transformation", "algebraic manipulation", "definition unfolding",
    "estimate", "case split", "bookkeeping or closure",
]  # fmt: skip
ProofFamily = Literal[
    "direct", "contradiction", "induction", "construction", "case analysis or reduction", "other"
]
Words = Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"\S")]

# A display that has one formula in it, with what opens and closes it.
_SINGLE = re.compile(
    r"\A(\\\[|\$\$|\\begin\s*\{(?:equation|displaymath)\*?\})(.*?)(\\\]|\$\$|\\end\s*\{(?:equation|displaymath)\*?\})\Z",
    re.DOTALL,
)
_INLINE = re.compile(r"\A(\$|\\\()(.*?)(\$|\\\))\Z", re.DOTALL)
_TAG = re.compile(r"\\(?:label|tag\*?)\s*\{[^{}]{0,400}\}|\\(?:nonumber|notag)(?![A-Za-z])")
_WORDS = re.compile(
    r"\\(?:text(?:rm|it|bf|sf|sc|normal|up)?|mbox|hbox|intertext|shortintertext)\s*\{[^{}]{0,4000}?[A-Za-z]{2}"
)
_LINES = re.compile(r"\\\\|(?<!\\)&")
_BEGIN_OR_END = re.compile(r"\\(begin|end)\s*\{")
_TRIMMED = " \t\r\n.,;"
_LINE_ENDS = re.compile(r"[ \t\r.,;]*(?:\n|\Z)")
_TOKEN = re.compile(r"\\.|.", re.DOTALL)
_AROUND = frozenset(
    (*_TRIMMED, "\\,", "\\;", "\\:", "\\!", "\\ ", "\\\\")
)  # space and punctuation around a formula
_SENTENCE_END = re.compile(r"[.?!](?=\s|$)|\n[ \t\r]*\n")


@dataclass(frozen=True)
class Candidate:
    """A formula of a proof that can be masked: `start` up to `end` of the proof's text. `origins` are the ranges of the
    source that it is from, those of the whole proof where macros leave it open."""

    start: int
    end: int
    origins: tuple[Span, ...]


class Chosen(Strict):
    """One mask that a model chooses: the number of a candidate, counted from 1, and never its words."""

    candidate: Annotated[int, Field(ge=1)]
    reason: Words
    step_type: StepType
    proof_family: ProofFamily
    why_not_local: Words


class Choice(Strict):
    """The reply to the question which formulas to mask."""

    masks: Annotated[list[Chosen], Field(max_length=MOST_MASKS)]


class Symbol(Strict):
    """A symbol that problem and proof leave unexplained, with the words of the paper that explain it."""

    symbol: Annotated[str, Field(min_length=1, max_length=200)]
    quote: Words


class Symbols(Strict):
    """The reply to the question what a reader lacks. `external` says that it is in another work."""

    symbols: Annotated[list[Symbol], Field(max_length=100)]
    external: bool


def candidates(source: Outline, pair: Pair) -> list[Candidate]:
    """Displays and formulas alone on their line, but neither with words in them, nor the claim itself at the end.

    Of a display with one formula, what its delimiters enclose; labels and tags are left outside.
    """
    text, found = pair.proof.text, []
    body = pair.proof.spans
    written = [made for span in body for made in _inside(source.formulas, span)]
    inner = pair.inner.formulas
    last = max((made.start for made in inner if made.display), default=-1)
    claim = undelimited(pair.statement.text)
    for number, formula in enumerate(inner):
        whole = text[formula.start : formula.end]
        if not formula.display and not _alone(text, formula):
            continue
        single = (_SINGLE if formula.display else _INLINE).match(whole)
        if single is None:
            parts = [] if _TAG.search(whole) else [(0, len(whole))]
        else:
            cuts = [
                single.start(2),
                *(at for tag in _TAG.finditer(whole) for at in tag.span()),
                single.end(2),
            ]
            parts = list(zip(cuts[::2], cuts[1::2], strict=True))
        origins = body
        if len(written) == len(inner):
            span = Span(written[number].start, written[number].end)
            if source.expanded(span).text == whole:
                origins = (span,)
        for start, end in parts:
            kept = [token.span() for token in _TOKEN.finditer(whole, start, end) if token[0] not in _AROUND]
            if not kept:
                continue
            start, end = kept[0][0], kept[-1][1]
            piece = whole[start:end]
            if not _can_be_masked(piece, in_an_environment=single is None):
                continue
            if formula.start == last and undelimited(piece) in claim:
                continue
            found.append(Candidate(formula.start + start, formula.start + start + len(piece), origins))
    return found


def _inside(formulas: Sequence[Set], span: Span) -> Sequence[Set]:
    """The formulas of a range, among those of a source in the order of their places."""
    first = bisect_left(formulas, span.start, key=lambda made: made.start)
    last = bisect_left(formulas, span.end, key=lambda made: made.start)
    return [made for made in formulas[first:last] if made.end <= span.end]


def _alone(text: str, formula: Set) -> bool:
    """Whether a line has nothing but a formula, space and punctuation."""
    start = formula.start
    while start and text[start - 1] in _TRIMMED and text[start - 1] != "\n":
        start -= 1
    return (start == 0 or text[start - 1] == "\n") and _LINE_ENDS.match(text, formula.end) is not None


def chosen(reply: str, among: list[Candidate], recipe: Recipe) -> list[Chosen] | Drop:
    """The masks of a model's reply; no mask is an answer too."""
    choice = read_reply(reply, Choice)
    if isinstance(choice, Drop):
        return choice
    numbers = [mask.candidate for mask in choice.masks]
    if len(numbers) > recipe.max_masks:
        return Drop("too_many_masks", f"{len(numbers)} masks are chosen, and {recipe.max_masks} are allowed")
    for number in numbers:
        if number > len(among):
            return Drop("unknown_candidate", f"There is no candidate {number}, only {len(among)}")
        if numbers.count(number) > 1:
            return Drop("candidate_twice", f"Candidate {number} is chosen twice")
    return choice.masks


def explanations(source: Outline, pair: Pair, reply: str) -> tuple[Passage, ...] | Drop:
    """What a model says a reader lacks, cut out of the source where it says; none of it is from a proof of the same."""
    symbols = read_reply(reply, Symbols)
    if isinstance(symbols, Drop):
        return symbols
    if symbols.external:
        return Drop("external_notation", "What a reader lacks is in another work, the reply says")
    proves = source.proofs[pair.number].statement
    proofs = [proof.span for proof in source.proofs if proof.statement == proves]
    quotations = Quotations(source.flat.text, Span(begin(source), len(source.flat.text)))
    spans: list[Span] = []
    for symbol in symbols.symbols:
        span = quotations.find(symbol.quote)
        if isinstance(span, Drop):
            return span
        if any(overlap(span, proof) for proof in proofs):
            reason = f"The words about {symbol.symbol!r} are from a proof of what is to be proved"
            return Drop("quote_in_proof", reason)
        spans.append(span)
    return tuple(passage(source, span) for span in sorted(set(spans), key=lambda span: span.start))


def masked(
    source: Outline,
    pair: Pair,
    among: list[Candidate],
    choice: Chosen,
    *,
    index: int,
    arxiv_id: str,
    written_by: str,
    seed: int,
    domain: str = "unstated",
    more: tuple[Passage, ...] = (),
) -> Iterator[Made[Mask] | Drop]:
    """The line of a chosen mask, then its two variants or why there is none.

    A random mask is uniform among the other candidates, by `seed` and the place of the mask. A truncated proof ends
    with the display after the mask, or with the mask's sentence where none follows.
    """
    text, formula = pair.proof.text, among[choice.candidate - 1]
    problem = pair.problem(more)
    if MASK in problem or MASK in text:
        yield Drop("mask_in_source", f"The paper itself has the characters {MASK}")
        return
    refused = not_expanded(more) or not_set(
        "\n\n".join([problem, text, shown(text[formula.start : formula.end])])
    )
    if refused:
        yield refused
        return
    places = origin(source, (*pair.spans, *(span for made in more for span in made.spans)))

    def line(
        number: int, masked: Candidate, end: int, variant: Literal["", "random", "truncated"]
    ) -> Made[Mask]:
        cut, is_chosen = text[:end], variant == ""
        made = Mask(
            index=number,
            arxiv_id=arxiv_id,
            proof_index=pair.number,
            problem=problem,
            reference_solution=cut,
            mask_text=cut[: masked.start] + MASK + cut[masked.end :],
            mask_content=cut[masked.start : masked.end],
            domain=domain,
            step_type="" if variant == "random" else choice.step_type,
            proof_family=choice.proof_family,
            variant=variant,
            variant_of=None if is_chosen else index,
        )
        program, model = Origin(program=PROGRAM), Origin(written_by=written_by)
        origins = {
            "arxiv_id": GIVEN, "domain": GIVEN, "problem": places,
            "reference_solution": pair.proof.origin(source), "mask_text": pair.proof.origin(source),
            "mask_content": origin(source, masked.origins), "step_type": model, "proof_family": model,
            "variant": program,
        }  # fmt: skip
        return Made(made, {name: origins[name] for name in origins if getattr(made, name)})

    yield line(index, formula, len(text), "")
    others = [other for other in among if other.end <= formula.start or formula.end <= other.start]
    if others:
        draw = random.Random(f"{seed} {arxiv_id} {pair.number} {formula.start}")
        yield line(index + 1, draw.choice(others), len(text), "random")
    else:
        yield Drop("no_other_candidate", "The proof has no other formula that can be masked")
    end = _truncated(pair, formula)
    if end < len(text.rstrip()):
        yield line(index + 2, formula, end, "truncated")
    else:
        yield Drop("nothing_to_truncate", "The proof ends with what follows the mask")


def _truncated(pair: Pair, formula: Candidate) -> int:
    """Where a proof is cut off behind a mask: after the next display; without one, after the sentence."""
    following = [made.end for made in pair.inner.formulas if made.display and made.start >= formula.end]
    if following:
        return following[0]
    around = [made.end for made in pair.inner.formulas if made.start <= formula.start < made.end]
    sentence = _SENTENCE_END.search(pair.proof.text, max([formula.end, *around]))
    return sentence.end() if sentence else len(pair.proof.text)


def _can_be_masked(piece: str, *, in_an_environment: bool) -> bool:
    """Whether it is a formula and nothing else: braces and environments closed, no words, no rows of an alignment."""
    if len(piece) < 2 or _WORDS.search(piece):
        return False
    depth = 0
    for found in re.finditer(r"\\.|[{}]", piece, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(found.group(), 0)
        if depth < 0:
            return False
    ends = [found[1] for found in _BEGIN_OR_END.finditer(piece)]
    rows_are_inside = in_an_environment or bool(ends)
    return (
        depth == 0
        and ends.count("begin") == ends.count("end")
        and (rows_are_inside or not _LINES.search(piece))
    )
