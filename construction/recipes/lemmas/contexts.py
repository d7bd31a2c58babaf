"""The lemmas of a paper, and the text that a model is shown to find what they need: all before, or some paragraphs."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from construction.recipes.lemmas.recipe import Recipe
from construction.recipes.passages import Drop, Passage, begin, depths, paragraphs, passage
from latex import Outline, Span
from retrieval.postings import Collector, Postings, best, impacts

_LABEL = re.compile(r"\\label\s*\{[^{}]*\}")
_OF_ANOTHER = re.compile(
    r"\b(?:theorems?|thm|lemmas?|propositions?|prop|corollar(?:y|ies)|cor)\b\.?[\s~]*[\w.]{1,12},?"
    r"[\s~]+(?:of|in|from)\b[^\[\]]{0,60}\[[^\[\]]{1,40}",
    re.IGNORECASE,
)
_TERM = re.compile(r"\\[A-Za-z]+|[A-Za-z0-9]+")


@dataclass(frozen=True)
class Found:
    """A lemma of the source: its place in the outline, its statement, and how many works its statement cites."""

    number: int
    statement: Passage
    citations: int


@dataclass(frozen=True)
class Context:
    """What is shown of the text before a lemma: "full", or "lexical" for paragraphs found by words. `codes` has
    "truncated_context" if not all of it is."""

    extraction: str
    spans: tuple[Span, ...]
    codes: tuple[str, ...] = ()


def lemmas(source: Outline, recipe: Recipe) -> Iterator[tuple[int, Found | Drop]]:
    """Every statement of the recipe's kinds, by its place in the outline; refused if it is recalled from elsewhere."""
    deep = depths(statement.span for statement in source.statements)
    for number, statement in enumerate(source.statements):
        if statement.kind not in recipe.kinds:
            continue
        if deep[number] > recipe.max_depth:
            yield number, Drop("nested_too_deeply", f"The lemma is within {deep[number]} statements")
            continue
        cited = [
            c.span for c in source.citations if statement.span.start <= c.span.start < statement.span.end
        ]
        body = source.text_of(statement.body)
        # Characters of the statement as they are read: labels and white space at its beginning do not count.
        begins = statement.body.start + len(body) - len(_LABEL.sub("", body, count=1).lstrip())
        if any(span.start < max(begins, statement.body.start) + recipe.recalled_within for span in cited):
            yield number, Drop("recalled_lemma", "Its title or its first words cite another work")
        elif found := _OF_ANOTHER.search(statement.title[:500]):
            yield (
                number,
                Drop("recalled_lemma", f"Its title names a result of another work: {found[0][:100]}"),
            )
        else:
            yield number, Found(number, passage(source, statement.body), len(cited))


def full(source: Outline, lemma: int, recipe: Recipe) -> Context:
    """All of the document before a lemma; of too long a text its end, from the beginning of a paragraph."""
    start, end = _before(source, lemma)
    if end - start <= recipe.max_context:
        return Context("full", (Span(start, end),) if start < end else ())
    kept = [
        span for span in paragraphs(source.flat.text, start, end) if end - span.start <= recipe.max_context
    ]
    return Context("full", (Span(kept[0].start, end),) if kept else (), ("truncated_context",))


def lexical(
    source: Outline, lemma: int, objects: Sequence[str], recipe: Recipe, known: dict[Span, tuple[str, ...]]
) -> Context:
    """The paragraphs before a lemma in which its objects are named, the best by BM25, in the order of the source.

    An object is named where all of its words follow one another; of the paragraphs without, the best fill up to the
    recipe's smallest number. No vectors are compared, and the result does not say so. `known` keeps the words of
    paragraphs from one lemma of the source to the next.
    """
    start, end = _before(source, lemma)
    spans = list(paragraphs(source.flat.text, start, end))
    for span in spans:
        if span not in known:
            known[span] = tuple(_terms(passage(source, span).text))
    texts = [known[span] for span in spans]
    wanted = [found for made in objects if (found := tuple(_terms(made)))]
    if not spans or not wanted:
        return Context("lexical", ())
    collector = Collector()
    for terms in texts:
        collector.add(Counter(terms))
    names, counts = collector.counts()
    places = {name: at for at, name in enumerate(names)}
    postings: Postings[str] = Postings(
        counts.starts, counts.rows, impacts(counts, recipe.k1, recipe.b), places.get
    )
    scores = postings.scores([term for made in wanted for term in made], len(spans))
    order = [int(at) for at in best(scores, len(spans))]
    phrases = [f" {' '.join(made)} " for made in wanted]
    in_one = {at: f" {' '.join(texts[at])} " for at in order}
    naming = {at for at, text in in_one.items() if any(phrase in text for phrase in phrases)}
    chosen = [at for at in order if at in naming][: recipe.max_paragraphs]
    chosen += [at for at in order if at not in naming][: max(0, recipe.min_paragraphs - len(chosen))]
    return Context("lexical", tuple(spans[at] for at in sorted(chosen)))


def _before(source: Outline, lemma: int) -> tuple[int, int]:
    end = source.statements[lemma].span.start
    return min(begin(source), end), end


def _terms(text: str) -> Iterator[str]:
    for found in _TERM.finditer(text):
        yield found.group() if found.group().startswith("\\") else found.group().lower()
