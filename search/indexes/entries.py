"""The statements of a corpus as an index takes them."""

import hashlib

from retrieval.index import Entry
from search.corpora.licences import licence_of
from search.corpora.lines import written_line
from search.corpora.queries import statements_in_order
from search.models import Corpus, Statement


def entries_of(corpus: Corpus) -> tuple[str, list[Entry]]:
    """The corpus's hash and an entry for each statement, from one reading: statements may be added meanwhile."""
    sources = {source.pk: source for source in corpus.sources.all()}
    names = {number: source.name for number, source in sources.items()}
    total, entries = hashlib.sha256(), []
    for statement in statements_in_order(corpus):
        source = sources[statement.document.source_id]
        total.update(written_line(statement, statement.document, names))
        entries.append(entry_of(statement, source.name, licence_of(statement.licence, source.licence)))
    return total.hexdigest(), entries


def entry_of(statement: Statement, source: str, licence: str) -> Entry:
    """A statement with the fields by which it is found and filtered."""
    document = statement.document
    return Entry(
        key=statement.key,
        body=statement.body,
        context=". ".join(part for part in (document.title, statement.section) if part),
        label=" ".join(part for part in (statement.note, statement.label) if part),
        document=document.key,
        source=source,
        kind=statement.kind.lower(),
        licence=licence,
        authors=tuple(document.authors),
        categories=tuple(document.categories),
        year=document.year,
        citations=document.citations,
    )
