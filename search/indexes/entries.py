"""The statements of a corpus as an index takes them."""

import hashlib

from retrieval.index import Entry
from search.corpora.licences import licence_of
from search.corpora.lines import written_line
from search.corpora.queries import statements_in_order
from search.models import Corpus, Statement
from search.slogans.queries import newest_slogans


def entries_of(corpus: Corpus) -> tuple[str, list[Entry]]:
    """The corpus's hash and an entry for each statement with its slogans, from one reading: statements may be added
    meanwhile."""
    statements = statements_in_order(corpus)
    sources = {source.pk: source for source in corpus.sources.all()}
    names = {number: source.name for number, source in sources.items()}
    slogans = newest_slogans(corpus.statements.all())
    total, entries = hashlib.sha256(), []
    for statement in statements:
        source = sources[statement.document.source_id]
        total.update(written_line(statement, statement.document, names))
        licence = licence_of(statement.licence, source.licence)
        words = tuple(slogan.text for slogan in slogans.get(statement.pk, ()))
        entries.append(entry_of(statement, source.name, licence, words))
    return total.hexdigest(), entries


def entry_of(statement: Statement, source: str, licence: str, slogans: tuple[str, ...]) -> Entry:
    """A statement with the fields by which it is found and filtered."""
    document = statement.document
    return Entry(
        key=statement.key,
        body=statement.body,
        context=". ".join(part for part in (document.title, statement.section) if part),
        label=" ".join(part for part in (statement.note, statement.label) if part),
        slogans=slogans,
        document=document.key,
        source=source,
        kind=statement.kind.lower(),
        licence=licence,
        authors=tuple(document.authors),
        categories=tuple(document.categories),
        year=document.year,
        citations=document.citations,
    )
