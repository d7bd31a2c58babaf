"""From a paper to gaps: the main theorem with its proof, the tools that it cites, what they say, and their lines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from benchmark.citations.identifiers import arxiv_ids_in, dois_in
from benchmark.citations.reading import Citation, read_citation
from benchmark.importing.keys import Strict
from benchmark.protocols.re2math.schema import (
    CitingPaper,
    GlobalContext,
    ProofGap,
    ProofState,
    StoredCitation,
    Strata,
    Witness,
)
from construction.pipeline import (
    Answers,
    Expected,
    Paper,
    Pipeline,
    Question,
    Quota,
    Range,
    Selected,
    State,
    prompt,
)
from construction.recipes.passages import (
    GIVEN,
    PROGRAM,
    Drop,
    Made,
    Origin,
    not_set,
    origin,
    outside,
    read_reply,
)
from construction.recipes.re2math.blocks import before, shown
from construction.recipes.re2math.citations import CitedTool, cited_tools, triage
from construction.recipes.re2math.recipe import Recipe
from construction.recipes.re2math.selection import select
from construction.recipes.re2math.sources import entry_text, source_type
from construction.recipes.re2math.witness import anchor_refused, lost_backslash, refused, restated
from latex import Outline, Span, expand

_CITED = re.compile(r"\\[A-Za-z]*cite")
_ENVIRONMENT = re.compile(r"\\begin\s*\{|\A\s*(?:Proof|Theorem|Lemma|Proposition|Corollary)\b", re.IGNORECASE)


class Cited(Strict):
    """A key that the model names, and why."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    why: Annotated[str, Field(max_length=1_000)]


class Target(Strict):
    """The reply to the question what the paper proves, and with which tools."""

    setup: Annotated[str, Field(max_length=5_000)]
    target: Annotated[str, Field(max_length=20)]
    proof: Annotated[str, Field(max_length=20)]
    citations: Annotated[list[Cited], Field(max_length=50)]


class Instrumental(Strict):
    """The reply to the question whether a step needs what is cited."""

    instrumental: bool
    reason: Annotated[str, Field(max_length=2_000)]


class Tool(Strict):
    """The reply to the question what the cited result says."""

    tool: Annotated[str, Field(max_length=10_000)]
    type: Annotated[str, Field(max_length=50)]
    restated: bool
    restated_quote: Annotated[str, Field(max_length=10_000)]


class Hint(Strict):
    """The reply to the question what the authors want to achieve at the gap."""

    anchor: Annotated[str, Field(max_length=2_000)]


TARGET = prompt("gap-target.v1", Target)
INSTRUMENTAL = prompt("gap-instrumental.v1", Instrumental)
WITNESS = prompt("gap-witness.v1", Tool)
ANCHOR = prompt("gap-anchor.v1", Hint)
REWRITE = prompt("gap-rewrite.v1", Hint)
Outcome = tuple[str, Question | Drop | tuple[Made[Any], ...]]


@dataclass(frozen=True)
class Chosen:
    """What the model chose: `theorem` as it is shown, and the key's reasons."""

    setup: str
    statement: int
    proof: int
    theorem: str
    why: Mapping[str, str]


class GapPipeline(Pipeline):
    """Re2Math's mining."""

    stages: Mapping[str, str] = {
        "papers": "Papers worth reading",
        "target": "Papers with a main theorem and its proof",
        "citations": "Citations of such a proof that may be tools",
        "instrumental": "Citations that a step needs",
        "witness": "Tools that are stated",
        "anchor": "Tools with an anchor that gives nothing away",
        "rewrite": "Anchors that were written again",
        "lines": "Gaps that stand alone and can be set",
    }

    prompts = (TARGET, INSTRUMENTAL, WITNESS, ANCHOR, REWRITE)
    numbers = Recipe

    def construct(
        self, paper: Paper, recipe: Recipe, replies: Mapping[tuple[str, str], str], seed: int
    ) -> Iterator[State]:
        source = paper.outline
        if drop := triage(source, paper.fields.title, recipe).drop:
            yield State("paper", (), "papers", drop)
            return
        target = _target(paper, recipe, Answers(replies, "paper"))
        if not isinstance(target, Chosen):
            yield State("paper", (), "target", target)
            return
        # The citations of the chosen proof: those that the reply names first, then by points.
        body = source.proofs[target.proof].span
        everything = replace(recipe, kept_of_a_paper=len(source.citations) * 50 + 1)
        cited = [
            tool for tool in cited_tools(source, everything)
            if body.start <= tool.citation.start < body.end
        ]  # fmt: skip
        best = sorted(
            (tool for tool in cited if not tool.code),
            key=lambda tool: (tool.key not in target.why, -tool.score, tool.citation.start),
        )
        kept = set(best[: recipe.kept_of_a_paper])
        beyond = f"{recipe.kept_of_a_paper} others of its proof are named by the reply or have more points."
        for number, tool in enumerate(cited, start=1):
            key, stage = f"citation-{number}", "citations"
            outcome: Question | Drop | tuple[Made[Any], ...]
            if tool.code:
                outcome = Drop(tool.code, tool.sentence)
            elif tool not in kept:
                outcome = Drop("beyond_the_best", beyond)
            else:
                stage, outcome = _made(paper, recipe, target, tool, number, Answers(replies, key))
            yield State(key, (tool.passage,), stage, outcome)

    def select(self, lines: Sequence[Mapping[str, Any]], recipe: Recipe) -> Selected:
        gaps = [ProofGap.model_validate(line) for line in lines]
        selection = select(gaps, recipe)
        place = {gap.instance_id: number for number, gap in enumerate(gaps)}
        reasons = {
            place[one.instance]: Drop(one.code, one.sentence) for one in selection.standings if one.code
        }
        passed = selection.passed
        return Selected(
            [place[name] for name in selection.chosen],
            reasons,
            selection.shortages,
            {place[one.instance]: one.points for one in selection.standings if one.points},
            {place[one.instance]: one.rank for one in selection.standings if one.rank},
            [
                Quota(domain, recipe.quota, passed[domain], given)
                for domain, given in selection.supply.items()
            ],
        )

    def expects(self, text: str, recipe: Recipe) -> Expected:
        """Low: one question about a paper that cites in its proofs, none about another; high: that one, and four
        about each citation that may be kept, with all that each may be shown."""
        if not _CITED.search(text):
            return Expected(Range(0, 0), Range(0, 0))
        shown = min(len(text), recipe.shown)
        each = recipe.scored + 2 * sum(recipe.around_citation) + 2 * recipe.max_tool
        kept = recipe.kept_of_a_paper
        return Expected(Range(1, 1 + 4 * kept), Range(shown // 4, shown + 4 * kept * each))

    def objection(self, line: Mapping[str, Any], path: str, text: str, recipe: Recipe) -> Drop | None:
        if path == "y.reference_tool_latex":
            return refused(text, ProofGap.model_validate(line).y.reference_tool_type, recipe)
        return not_set(text) if path.startswith("x.") else None

    def leak(self, line: Mapping[str, Any], path: str, text: str, recipe: Recipe) -> Drop | None:
        if path != "x.anchor_hint":
            return None
        z = ProofGap.model_validate(line).z
        cited = read_citation(z.citation_content)
        return anchor_refused(text, cited, recipe, key=z.citation_key, nearby=z.locator_snippet)


def _target(paper: Paper, recipe: Recipe, answers: Answers) -> Chosen | Question | Drop:
    source = paper.outline
    cited: dict[int, list[str]] = {}  # the keys of each proof that has a statement
    for tool in cited_tools(source, recipe):
        if source.proofs[tool.proof].statement is not None and tool.code != "unknown_key":
            cited.setdefault(tool.proof, []).append(tool.key)
    long_enough = {
        number: keys
        for number, keys in cited.items()
        if source.proofs[number].body.end - source.proofs[number].body.start >= recipe.min_proof
    }
    if not cited:
        return Drop("main_proof_not_found", "No proof of a statement cites a work of the bibliography.")
    if not long_enough:
        return Drop("proof_span_too_short", f"No such proof has {recipe.min_proof} characters.")
    # The contents: headings, and statements with their numbers and first words.
    contents = [(heading.start, f"# {heading.title}") for heading in source.headings]
    for number, made in enumerate(source.statements):
        words = " ".join(source.text_of(made.body)[:400].split())[:200]
        title = f" ({made.title})" if made.title else ""
        contents.append((made.span.start, f"S{number}: {made.kind} {made.number}{title}: {words}"))
    outline = "\n".join(line for _, line in sorted(contents))
    proofs = _proofs(source, long_enough, recipe)
    reply = answers.to("target", TARGET, {"title": paper.fields.title, "outline": outline, "proofs": proofs})
    if isinstance(reply, Question):
        return reply
    said = read_reply(reply, Target)
    if isinstance(said, Drop):
        return said
    if not said.target:
        return Drop(
            "target_theorem_not_main", "No main theorem has a proof that cites a tool, the reply says."
        )
    proof = next((number for number in long_enough if said.proof == f"P{number}"), None)
    if proof is None:
        return Drop("main_proof_not_found", f"The reply names {said.proof!r}, which is none of the proofs.")
    statement = source.proofs[proof].statement
    if statement is None or said.target != f"S{statement}":
        return Drop("proof_span_not_aligned", f"{said.proof} is not the proof of {said.target}.")
    setup = said.setup.strip()
    if not setup:
        return Drop("empty_setup", "The setup is empty.")
    if found := _ENVIRONMENT.search(setup):
        return Drop("bad_setup", f"The setup has {found[0].strip()!r}: it explains, and states no result.")
    if len(setup) > recipe.max_setup:
        return Drop("bad_setup", f"The setup has {len(setup)} characters of {recipe.max_setup}.")
    theorem = "\n".join(shown(source, _stated(source, statement, proof)))
    if not theorem:
        return Drop("proof_span_not_aligned", f"{said.target} is within {said.proof}.")
    why = {one.id: one.why for one in said.citations}
    return Chosen(setup, statement, proof, theorem, why)


def _stated(source: Outline, statement: int, proof: int) -> list[Span]:
    """What a theorem says, without its proof and any other that its author wrote within its environment."""
    hidden = source.proofs[proof].span
    return [side for part in source.stated(source.statements[statement]) for side in outside(part, hidden)]


def _proofs(source: Outline, cited: Mapping[int, list[str]], recipe: Recipe) -> str:
    """The proofs with what they prove and cite, those of theorems first, as many as may be shown."""

    def rank(number: int) -> tuple[bool, int]:
        statement = source.proofs[number].statement
        return statement is None or source.statements[statement].kind != "theorem", number

    parts: list[str] = []
    left = recipe.shown
    for number in sorted(cited, key=rank):
        proof = source.proofs[number]
        keys = ", ".join(dict.fromkeys(cited[number]))
        part = f"P{number} proves S{proof.statement} and cites {keys}:\n{source.text_of(proof.body).strip()}"
        if len(part) > left and parts:
            continue
        parts.append(part[:left])
        left -= len(parts[-1])
    return "\n\n".join(parts)


def _made(
    paper: Paper, recipe: Recipe, target: Chosen, tool: CitedTool, number: int, answers: Answers
) -> Outcome:
    source = paper.outline
    body = source.proofs[target.proof].body
    reference = next(made for made in source.bibliography if made.key == tool.key)
    entry = expand(entry_text(reference), source.definitions, body.end).text
    asked = {
        "theorem": target.theorem,
        "passage": source.text_of(tool.passage),
        "key": tool.key,
        "entry": entry,
    }
    reply = answers.to("instrumental", INSTRUMENTAL, asked)
    if isinstance(reply, Question):
        return "instrumental", reply
    needed = read_reply(reply, Instrumental)
    if isinstance(needed, Drop):
        return "instrumental", needed
    if not needed.instrumental:
        return "instrumental", Drop("not_instrumental", needed.reason)
    blocks, own = before(source, body, tool.citation, recipe.max_blocks)
    texts = shown(source, [block.span for block in blocks])
    start, end = recipe.around_citation
    around = source.text_of(
        Span(max(body.start, tool.citation.start - start), min(body.end, tool.citation.end + end))
    )
    steps = "\n\n".join(texts)
    reply = answers.to("witness", WITNESS, {**asked, "before": steps, "around": around})
    if isinstance(reply, Question):
        return "witness", reply
    witness = read_reply(reply, Tool)
    if isinstance(witness, Drop):
        return "witness", witness
    macros = source.definitions.at(tool.citation.start)
    if drop := refused(witness.tool, witness.type, recipe, source=source.flat.text, macros=macros):
        return "witness", drop
    is_restated = witness.restated and restated(witness.restated_quote, around)
    if not blocks and not is_restated:
        return "witness", Drop("empty_local_context", "Nothing of the proof stands before the citation.")
    cited = read_citation(entry)
    nearby = source.text_of(own)
    hint = {"theorem": target.theorem, "before": steps, "tool": witness.tool}
    reply = answers.to("anchor", ANCHOR, hint)
    if isinstance(reply, Question):
        return "anchor", reply
    anchor, fault = _anchor(reply, cited, recipe, tool, nearby)
    written = ANCHOR
    if fault:
        fields = {"sentence": anchor, "fault": fault.sentence, **hint}
        reply = answers.to("rewrite", REWRITE, fields)
        if isinstance(reply, Question):
            return "rewrite", reply
        anchor, fault = _anchor(reply, cited, recipe, tool, nearby)
        written = REWRITE
        if fault:
            return "rewrite", fault
    line = _line(paper, target, tool, entry, number, witness, is_restated, texts, anchor, recipe)
    stated = _stated(source, target.statement, target.proof)
    if drop := _unfit(source, line, [*stated, *(block.span for block in blocks)]):
        return "lines", drop
    by_program = Origin(program=PROGRAM)
    provenance = {
        "instance_id": GIVEN, "paper": GIVEN, "strata": GIVEN, "split": GIVEN,
        "x.global_context.setup": Origin(written_by=TARGET.label),
        "x.global_context.target_theorem": origin(source, stated),
        "x.anchor_hint": Origin(written_by=written.label),
        "y.reference_tool_latex": Origin(written_by=WITNESS.label),
        "y.reference_tool_type": Origin(written_by=WITNESS.label),
        "z.citation_key": origin(source, [tool.citation]),
        "z.citation_content": Origin(reference.places, program=PROGRAM),
        "z.source_type": by_program,
        "z.locator": origin(source, [tool.citation]) if tool.note else by_program,
        "z.locator_snippet": origin(source, [_snippet(source, target, tool, recipe)]),
        "z.doi": by_program, "z.arxiv_id": by_program,
        **{f"x.local_context.{at}": origin(source, [block.span]) for at, block in enumerate(blocks)},
    }  # fmt: skip
    return "lines", (Made(line, provenance),)


def _anchor(
    reply: str, cited: Citation, recipe: Recipe, tool: CitedTool, nearby: str
) -> tuple[str, Drop | None]:
    """The sentence of a reply, and what is wrong with it."""
    hint = read_reply(reply, Hint)
    if isinstance(hint, Drop):
        return reply[:2_000], hint
    anchor = hint.anchor.strip()
    return anchor, anchor_refused(anchor, cited, recipe, key=tool.key, nearby=nearby) or not_set(anchor)


def _snippet(source: Outline, target: Chosen, tool: CitedTool, recipe: Recipe) -> Span:
    body = source.proofs[target.proof].body
    room = recipe.around_locator
    return Span(max(body.start, tool.citation.start - room), min(body.end, tool.citation.end + room))


def _line(
    paper: Paper, target: Chosen, tool: CitedTool, entry: str, number: int, witness: Tool, is_restated: bool,
    texts: tuple[str, ...], anchor: str, recipe: Recipe,
) -> ProofGap:  # fmt: skip
    year = paper.fields.year
    return ProofGap(
        instance_id=f"{paper.fields.key}/gap-{number}",
        split="",
        paper=CitingPaper(
            paper_id=paper.fields.key,
            title=paper.fields.title or paper.fields.key,
            publication_date="Unknown" if year is None else f"{year:04}",
        ),
        x=ProofState(
            global_context=GlobalContext(setup=target.setup, target_theorem=target.theorem),
            local_context=list(texts),
            anchor_hint=anchor,
        ),
        y=Witness(
            reference_tool_latex=witness.tool.strip(),
            reference_tool_type=witness.type,
            restated_in_citing_paper=is_restated,
        ),
        z=StoredCitation(
            citation_key=tool.key,
            citation_content=entry,
            source_type=source_type(entry),
            locator=tool.note,
            locator_snippet=paper.outline.text_of(_snippet(paper.outline, target, tool, recipe)),
            doi=min(dois_in(entry), default=""),
            arxiv_id=min(arxiv_ids_in(entry), default=""),
        ),
        strata=Strata(domain=paper.domain, tool_family="other"),
    )


def _unfit(source: Outline, line: ProofGap, cut: list[Span]) -> Drop | None:
    """Why a line cannot be shown: macros that are left, backslashes that were lost, formulas that cannot be set."""
    left = [name for span in cut for name in source.expanded(span).left]
    if left:
        return Drop("macro_not_expanded", f"These macros expand without end: {', '.join(left[:20])}")
    for text in (line.x.global_context.setup, line.x.anchor_hint):
        if lost := lost_backslash(text, source.flat.text):
            return Drop("lost_backslash", f"A backslash and a letter are missing before {lost!r}.")
    return not_set(
        "\n\n".join(
            [line.x.global_context.setup, line.x.global_context.target_theorem, *line.x.local_context]
        )
    )


PIPELINE = GapPipeline()
