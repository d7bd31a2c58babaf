"""Querysets of corpora: which ones somebody may search, and a corpus's lines in their canonical order."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet

from accounts.access import is_study_staff
from accounts.refusal import Refused
from search.corpora.lines import written_line
from search.models import Corpus, Statement, Visibility

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
    """Every statement with its document, by key: by code point, whatever the database sorts by."""
    ordered = sorted(corpus.statements.values_list("key", "pk").iterator(chunk_size=10_000))
    for start in range(0, len(ordered), _BATCH):
        numbers = [number for _, number in ordered[start : start + _BATCH]]
        rows = Statement.objects.select_related("document").in_bulk(numbers)
        yield from (rows[number] for number in numbers)


def corpus_lines(corpus: Corpus) -> Iterator[bytes]:
    """The corpus as canonical JSON Lines: importing them elsewhere gives the same corpus."""
    sources = dict(corpus.sources.values_list("pk", "name"))
    for statement in statements_in_order(corpus):
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
