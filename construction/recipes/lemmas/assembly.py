"""From what a model points to, to a lemma of the release: quotations located, refused by program, the line."""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from benchmark.importing.keys import PaperFields, Strict
from benchmark.protocols.lemmas.loader import context_text
from benchmark.protocols.lemmas.schema import LemmaLine, Retrieved, SourceSpan
from construction.recipes.lemmas.contexts import Context, Found
from construction.recipes.passages import (
    GIVEN,
    PROGRAM,
    Drop,
    Made,
    Origin,
    Passage,
    Quotations,
    not_expanded,
    not_set,
    origin,
    overlap,
    passage,
    read_alone,
    read_reply,
)
from latex import Outline, Span

_DRAWN = re.compile(
    r"\\begin\s*\{(?:figure|table|wrapfigure|sidewaystable|longtable|tabular|tabularx|tikzpicture|tikzcd|picture|diagram"
    r"|CD|xy)\*?\}|\\(?:xymatrix|includegraphics|xygraph|tikz|diagram)(?![A-Za-z])"
)
Quote = Annotated[str, Field(min_length=1, max_length=20_000, pattern=r"\S")]


class Pointed(Strict):
    """A definition or an assumption: the words of the paper, word for word, from one place or several."""

    quotes: Annotated[list[Quote], Field(min_length=1, max_length=20)]


class Needs(Strict):
    """The reply to the question what a lemma needs; `missing` names what the text does not define."""

    definitions: Annotated[list[Pointed], Field(max_length=100)]
    assumptions: Annotated[list[Pointed], Field(max_length=100)]
    missing: Annotated[list[str], Field(max_length=100)]


class Objects(Strict):
    """The reply to the question which objects of a lemma are not trivial."""

    objects: Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=100)]


@dataclass(frozen=True)
class Needed:
    """What a lemma needs, cut from the context; `missing` is the model's list of what the context does not define."""

    definitions: tuple[Passage, ...] = ()
    assumptions: tuple[Passage, ...] = ()
    missing: tuple[str, ...] = ()


def needed(source: Outline, lemma: int, context: Context, reply: str) -> Needed | Drop:
    """Definitions and assumptions that a model points to, cut from the context that it was shown.

    Words that are in the paper and not in the context are a fault of their own: behind the lemma may be its proof.
    """
    needs = read_reply(reply, Needs)
    if isinstance(needs, Drop):
        return needs
    shown = [Quotations(source.flat.text, span) for span in context.spans]
    limit = source.statements[lemma].span.start
    found: list[tuple[Passage, ...]] = []
    for entries in (needs.definitions, needs.assumptions):
        passages = []
        for entry in entries:
            spans = []
            for quote in entry.quotes:
                places = [quotations.find(quote) for quotations in shown]
                span = next((place for place in places if isinstance(place, Span)), None)
                twice = next(
                    (p for p in places if isinstance(p, Drop) and p.code == "quote_not_unique"), None
                )
                if twice or sum(isinstance(place, Span) for place in places) > 1:
                    return twice or Drop(
                        "quote_not_unique", f"Several paragraphs have the words {quote[:200]!r}"
                    )
                if span is None:
                    place = Quotations(source.flat.text, Span(0, len(source.flat.text))).find(quote)
                    if isinstance(place, Span) and place.end > limit:
                        return Drop("later_text", f"These words come after the lemma begins: {quote[:200]!r}")
                    return Drop("quote_not_found", f"The text shown does not have the words {quote[:200]!r}")
                spans.append(span)
            parts = [passage(source, span) for span in sorted(set(spans), key=lambda span: span.start)]
            if not all(part.text.strip() for part in parts):
                return Drop("quote_not_shown", "What is quoted prints nothing")
            passages.append(
                Passage(
                    "\n\n".join(part.text.strip() for part in parts),
                    tuple(span for part in parts for span in part.spans),
                    tuple(name for part in parts for name in part.left),
                )
            )
        found.append(tuple(passages))
    return Needed(found[0], found[1], tuple(needs.missing))


def refused(text: str) -> Drop | None:
    """Why a lemma with its definitions and assumptions is not an instance, or None. Asked again it says the same."""
    if drawn := _DRAWN.search(text):
        return Drop("drawing", f"It has a figure, a table or a diagram: {drawn[0]}")
    inner = read_alone(text)
    if inner.citations:
        return Drop("external_citation", f"It cites {', '.join(inner.citations[0].keys)[:200]}")
    if inner.proofs:
        return Drop("has_proof", "It has a proof")
    known = {label.name for label in inner.labels}
    for pointer in inner.references:
        for name in pointer.names:
            if name not in known:
                return Drop("unresolved_reference", f"It refers to {name!r}, which is not in it")
    return not_set(text)


def assembled(
    source: Outline,
    found: Found,
    needs: Needed,
    *,
    extraction: str,
    instance_id: str,
    domain: str,
    paper: PaperFields,
    written_by: str,
    category: str = "",
) -> Made[LemmaLine] | Drop:
    """The line of a lemma; `extraction` is that of the context, `written_by` the prompt whose reply pointed."""
    statement = source.statements[found.number]
    groups = {"definitions": needs.definitions, "assumptions": needs.assumptions}
    everything = [found.statement, *needs.definitions, *needs.assumptions]
    if any(span.end > statement.span.start for made in everything[1:] for span in made.spans):
        return Drop("later_text", "A definition or an assumption comes after the lemma begins")
    # What the lemma's own proof is, this source says better than a passage of it: it knows the author's environments.
    if any(statement.span.start <= proof.span.start < statement.span.end for proof in source.proofs):
        return Drop("has_proof", "It has a proof")
    own = [proof.span for proof in source.proofs if proof.statement == found.number]
    if any(overlap(span, proof) for proof in own for made in everything[1:] for span in made.spans):
        return Drop("quote_in_proof", "A definition or an assumption is from the lemma's own proof")
    title = passage(source, statement.title_span) if statement.title_span else Passage("", ())
    if drop := not_expanded([title, *everything]):
        return drop
    if not found.statement.text.strip():
        return Drop("empty_statement", "The lemma says nothing")
    entries = {
        name: [
            Retrieved(
                text=made.text, spans=[SourceSpan(start=span.start, end=span.end) for span in made.spans]
            )
            for made in group
        ]
        for name, group in groups.items()
    }
    context = context_text(entries["definitions"], entries["assumptions"])
    if drop := refused("\n\n".join([title.text, found.statement.text, context])):
        return drop
    line = LemmaLine(
        instance_id=instance_id,
        domain=domain,
        paper=paper,
        title=title.text,
        statement=found.statement.text.strip(),
        definitions=[*entries["definitions"]],
        assumptions=[*entries["assumptions"]],
        # The protocol has no word for paragraphs that were found by their words; they are not called vectors.
        extraction="full_context" if extraction == "full" else None,
        category=category or None,
    )
    provenance = {"instance_id": GIVEN, "domain": GIVEN, "paper": GIVEN}
    if category:
        provenance["category"] = GIVEN
    if line.extraction:
        provenance["extraction"] = Origin(program=PROGRAM)
    if title.text:
        provenance["title"] = title.origin(source)
    provenance["statement"] = found.statement.origin(source)
    for name, group in groups.items():
        for at, made in enumerate(group):
            program = f"{PROGRAM}, {extraction} context"
            places = origin(source, made.spans).places
            provenance[f"{name}.{at}.text"] = Origin(places, written_by, program)
    return Made(line, provenance)
