"""The proofs that can be masked, each with its statement and what statement and proof refer to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from construction.recipes.masked_steps.recipe import Recipe
from construction.recipes.passages import (
    Drop,
    Passage,
    as_statement,
    begin,
    depths,
    not_expanded,
    not_set,
    outside,
    overlap,
    passage,
    read_alone,
)
from latex import Outline, Span

INFORMATION = "\\textbf{Additional information.}"
_SENTENCE_BEGINS = re.compile(
    r"[.?!](?:'{1,2}|\))?\s+(?=[A-Z$\\])|\n[ \t\r]*\n\s*|\\(?:begin|end)\s*\{[^{}]{1,60}\}(?:\[[^\[\]]{0,200}\])?\s*"
    r"|\\item(?![A-Za-z])\s*|\\(?:label|uses|lean)\s*\{[^{}]{0,4000}\}\s*|\\leanok\s*"
)
_SENTENCE_ENDS = re.compile(r"[.?!](?=\s|\}|$)|\n[ \t\r]*\n|\\(?:begin|end)\s*\{|\\item(?![A-Za-z])")
_ENDED = re.compile(r"[.?!]\s*(?:\\\]|\$\$|\\end\s*\{[^{}]{1,60}\})\s*\Z")
_FAR = 1_500  # characters that a sentence may reach before or after its display


@dataclass(frozen=True)
class Target:
    """What a label names, as it is shown: `kind` is "statement", "equation", "section" or "paragraph"; `depth` is 1 for
    what the proof or its statement refers to."""

    kind: str
    labels: tuple[str, ...]
    span: Span
    shown: Passage
    depth: int


@dataclass(frozen=True)
class Pair:
    """A proof that can be masked. `number` is its place in the outline; `proof` is read alone in `inner`."""

    number: int
    statement: Passage
    proof: Passage
    inner: Outline
    closure: tuple[Target, ...]
    notes: tuple[str, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """Of the problem: the statement, then what it and its proof refer to."""
        return (*self.statement.spans, *(span for target in self.closure for span in target.shown.spans))

    def problem(self, more: tuple[Passage, ...] = ()) -> str:
        """What is to be proved, and under a title of its own whatever else a reader needs."""
        needed = [*(target.shown.text for target in self.closure), *(made.text for made in more)]
        return "\n\n".join([self.statement.text, *([INFORMATION, *needed] if needed else [])])


def pairs(source: Outline, recipe: Recipe) -> Iterator[tuple[int, Pair | Drop]]:
    """Every proof of the source, by its place in the outline: a pair, or why it is none."""
    closing = Closing(source, recipe)
    deep = depths(proof.span for proof in source.proofs)
    for number, proof in enumerate(source.proofs):
        if deep[number] > recipe.max_depth:
            yield number, Drop("nested_too_deeply", f"The proof is within {deep[number]} others")
            continue
        if proof.statement is None:
            yield number, Drop("unpaired", f"No statement is found for this proof: {proof.evidence}")
            continue
        statement = source.statements[proof.statement]
        if statement.kind not in recipe.kinds:
            yield number, Drop("definitional", f"What it proves is of the kind {statement.kind!r}")
            continue
        made = passage(source, proof.body)
        if (length := len(" ".join(made.text.split()))) < recipe.min_characters:
            reason = f"The proof has {length} characters, fewer than {recipe.min_characters}"
            yield number, Drop("short_proof", reason)
            continue
        inner = read_alone(made.text)
        if (displays := sum(formula.display for formula in inner.formulas)) < recipe.min_displays:
            reason = f"The proof has {displays} displays, fewer than {recipe.min_displays}"
            yield number, Drop("few_displays", reason)
            continue
        keys = {key for citation in inner.citations for key in citation.keys}
        if len(keys) > recipe.max_citations:
            reason = f"The proof cites {len(keys)} works: {', '.join(sorted(keys)[:10])}"
            yield number, Drop("external_citation", reason)
            continue
        if any(
            formula.display and formula.start <= citation.span.start < formula.end
            for formula in inner.formulas
            for citation in inner.citations
        ):
            yield number, Drop("external_citation", "A citation justifies a display")
            continue
        closure = closing.of(number)
        if isinstance(closure, Drop):
            yield number, closure
            continue
        shown = as_statement(source, statement, proof.span)
        if _holds(statement.span, shown, proof.span):
            yield number, Drop("statement_in_proof", "What it proves is within the proof itself")
            continue
        notes = tuple(
            f"{target.kind}_reference" for target in closure if target.kind in ("section", "paragraph")
        )
        pair = Pair(number, shown, made, inner, closure, tuple(dict.fromkeys(notes)))
        refused = not_expanded([shown, made, *(target.shown for target in closure)])
        yield number, refused or not_set(f"{pair.problem()}\n\n{made.text}") or pair


class Closing:
    """Follows references of proofs: to statements, through these to others, and to equations, sections, paragraphs."""

    def __init__(self, source: Outline, recipe: Recipe) -> None:
        self.source = source
        self.recipe = recipe
        self.labels = {label.name: label for label in reversed(source.labels)}  # the first of two counts
        self._names: dict[Span, tuple[str, ...]] = {}

    def of(self, number: int) -> tuple[Target, ...] | Drop:
        """What the proof with that place in the outline, and its statement, refer to, in the order of the source."""
        proof = self.source.proofs[number]
        statement = self.source.statements[proof.statement] if proof.statement is not None else None
        own = [proof.span, *([statement.span] if statement else [])]
        shown = as_statement(self.source, statement, proof.span).spans if statement else ()
        waiting = [(name, 1) for span in (*shown, proof.span) for name in self.names(span)]
        targets: dict[Span, Target] = {}
        seen: set[str] = set()
        characters = 0
        for name, depth in waiting:  # which grows
            if name in seen:
                continue
            seen.add(name)
            label = self.labels.get(name)
            if label is None:
                return Drop("unresolved_reference", f"No label {name!r} is in the source")
            if any(span.start <= label.span.start < span.end for span in own):
                continue
            target = self.target(name, depth, proof.span)
            if known := targets.get(target.span):
                if target.kind == "section" and name not in known.labels:
                    both = Passage(
                        f"{known.shown.text}\\label{{{name}}}", known.shown.spans, known.shown.left
                    )
                    targets[target.span] = replace(known, labels=(*known.labels, name), shown=both)
                continue
            if _holds(target.span, target.shown, proof.span):
                return Drop("reference_into_proof", f"What {name!r} names is within the proof itself")
            targets[target.span] = target
            characters += len(target.shown.text)
            too_deep = (
                depth > self.recipe.closure_depth and f"more than {self.recipe.closure_depth} steps away"
            )
            too_many = (
                len(targets) > self.recipe.closure_targets
                and f"more than {self.recipe.closure_targets} places"
            )
            too_long = (
                characters > self.recipe.closure_characters
                and f"more than {self.recipe.closure_characters:,} characters"
            )
            if reason := too_deep or too_many or too_long:
                return Drop("closure_too_large", f"What the proof refers to is {reason}")
            if target.kind == "statement":
                parts = target.shown.spans
                waiting += [(further, depth + 1) for part in parts for further in self.names(part)]
        return tuple(sorted(targets.values(), key=lambda target: target.span.start))

    def names(self, span: Span) -> tuple[str, ...]:
        """The labels that a passage refers to, as its readers see it: its author's macros expanded."""
        if span not in self._names:
            inner = read_alone(passage(self.source, span).text)
            found = (name for pointer in inner.references for name in pointer.names if name)
            self._names[span] = tuple(dict.fromkeys(found))
        return self._names[span]

    def target(self, name: str, depth: int, proof: Span) -> Target:
        """What a label of the source names: the statement around it, its section's title, its equation with its
        sentence, or the paragraph that it is in. A statement or a paragraph is cut at the proof."""
        source, label = self.source, self.labels[name]
        at = label.span.start
        display = next((made for made in source.formulas if made.start <= at < made.end), None)
        around = [made for made in source.statements if made.span.start <= at < made.span.end]
        if label.statement is not None and display is None:
            around.append(source.statements[label.statement])
        if around:
            shown = as_statement(source, around[-1], proof)
            return Target("statement", around[-1].labels, around[-1].span, shown, depth)
        if label.kind == "section":
            above = [heading for heading in source.headings if heading.start <= at]
            if above:
                span = Span(above[-1].start, above[-1].end)
                title = passage(source, span)
                shown = Passage(f"{title.text}\\label{{{name}}}", title.spans, title.left)
                return Target("section", (name,), span, shown, depth)
        if display is not None:
            alone = Span(display.start, display.end)
            sentence = self.sentence(alone)
            shown = passage(source, sentence)
            inner = read_alone(shown.text)
            known = {label.name for label in inner.labels}
            refers = any(name not in known for pointer in inner.references for name in pointer.names)
            if (
                refers
                or overlap(sentence, proof)
                or inner.proofs
                or shown.text.count("{") != shown.text.count("}")
            ):
                sentence, shown = alone, passage(source, alone)
            return Target("equation", (name,), alone, shown, depth)
        text = source.flat.text
        before, after = text.rfind("\n\n", 0, at), text.find("\n\n", at)
        span = Span(
            max(before + 2 if before >= 0 else 0, at - _FAR, min(begin(source), at)),
            min(after if after >= 0 else len(text), at + _FAR),
        )
        span = next(side for side in outside(span, proof) if at < side.end)
        return Target("paragraph", (name,), span, passage(source, span), depth)

    def sentence(self, display: Span) -> Span:
        """The sentence that a display is part of; where its beginning or end is not found, the display alone."""
        text = self.source.flat.text
        begins = list(_SENTENCE_BEGINS.finditer(text, max(0, display.start - _FAR), display.start))
        start = begins[-1].end() if begins else display.start
        if _ENDED.search(text, max(display.start, display.end - 80), display.end):
            return Span(start, display.end)
        end = _SENTENCE_ENDS.search(text, display.end, display.end + _FAR)
        if end is None:
            return Span(start, display.end)
        return Span(start, end.end() if end.group() in (".", "?", "!") else end.start())


def _holds(span: Span, shown: Passage, proof: Span) -> bool:
    """Whether something of the proof is shown, or of a range nothing once the proof is cut off."""
    if any(overlap(part, proof) for part in shown.spans):
        return True
    return not shown.spans and overlap(span, proof)
