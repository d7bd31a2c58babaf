"""Reading corpora: which ones somebody may search, a corpus's lines in their canonical order, and how it is used."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet, Sum

from accounts.access import is_study_staff
from accounts.refusal import Refused
from search.corpora.lines import written_line
from search.models import Corpus, Feedback, Purpose, Query, Reason, SearchesOfADay, Statement, Visibility

_BATCH = 500


def corpora_for(user: Any) -> QuerySet[Corpus]:
    """The corpora that a person, or a stranger, may search."""
    if is_study_staff(user):
        return Corpus.objects.all()
    if user.is_authenticated:
        return Corpus.objects.exclude(visibility=Visibility.STAFF)
    return Corpus.objects.filter(visibility=Visibility.ANYONE)


def corpus_named(slug: str) -> Corpus:
    """The corpus. Raises Refused, with the names of those that exist."""
    corpus = Corpus.objects.filter(slug=slug).first()
    if corpus is None:
        known = ", ".join(Corpus.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
        raise Refused(f"There is no corpus {slug!r}. Corpora: {known}.", code="no_corpus", field="corpus")
    return corpus


def statements_in_order(corpus: Corpus) -> Iterator[Statement]:
    """Every statement with its document, by key: by code point, whatever the database sorts by.

    Those that are there at the call: what is read of the corpus afterwards has all that belongs to them.
    """
    ordered = sorted(corpus.statements.values_list("key", "pk").iterator(chunk_size=10_000))

    def rows() -> Iterator[Statement]:
        for start in range(0, len(ordered), _BATCH):
            numbers = [number for _, number in ordered[start : start + _BATCH]]
            found = Statement.objects.select_related("document").in_bulk(numbers)
            yield from (found[number] for number in numbers)

    return rows()


def corpus_lines(corpus: Corpus) -> Iterator[bytes]:
    """The corpus as canonical JSON Lines: importing them elsewhere gives the same corpus."""
    statements = statements_in_order(corpus)
    sources = dict(corpus.sources.values_list("pk", "name"))
    for statement in statements:
        yield written_line(statement, statement.document, sources)


def corpus_sha256(corpus: Corpus) -> str:
    """The hash of the corpus's file."""
    total = hashlib.sha256()
    for line in corpus_lines(corpus):
        total.update(line)
    return total.hexdigest()


def in_order(corpus: Corpus, keys: Sequence[str]) -> list[Statement]:
    """The statements with these keys, in the order of the keys."""
    rows = corpus.statements.select_related("document__source").filter(key__in=keys)
    found = {row.key: row for row in rows}
    return [found[key] for key in keys if key in found]


@dataclass(frozen=True)
class Searches:
    """How often a corpus was searched in one place: within the last 30 days, and in all."""

    where: str
    lately: int
    in_all: int


def searches_of(corpus: Corpus) -> list[Searches]:
    """By place, without those where nobody searched."""
    kept = Query.objects.filter(index__corpus=corpus).order_by()
    lately = dict(kept.values_list("purpose").annotate(searches=Count("pk")))
    days = SearchesOfADay.objects.filter(corpus=corpus).order_by()
    before = dict(days.values_list("purpose").annotate(searches=Sum("searches")))
    return [
        Searches(place.label, lately.get(place, 0), lately.get(place, 0) + before.get(place, 0))
        for place in Purpose
        if place in lately or place in before
    ]


@dataclass(frozen=True)
class Said:
    """What people say about a statement: how many call it relevant or not, and what they report, with how many do."""

    key: str
    relevant: int
    irrelevant: int
    reports: list[tuple[str, int]]


def said_of(corpus: Corpus) -> list[Said]:
    """The statements that people spoke of, those with the most reports first. The newest word of a person counts."""
    rows = Feedback.objects.filter(statement__corpus=corpus).order_by("pk")
    newest: dict[tuple[str, int], tuple[int, str]] = {}
    for key, user, value, reason in rows.values_list("statement__key", "user_id", "value", "reason"):
        newest[key, user] = value, reason
    votes: defaultdict[str, Counter[int]] = defaultdict(Counter)
    reports: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (key, _), (value, reason) in newest.items():
        votes[key][value] += 1
        if reason:
            reports[key][Reason(reason).label] += 1
    found = [
        Said(key, of[1], of[-1], sorted(reports[key].items())) for key, of in votes.items() if of[1] or of[-1]
    ]
    return sorted(found, key=lambda one: (-reports[one.key].total(), -one.irrelevant, -one.relevant, one.key))
