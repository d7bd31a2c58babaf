"""A corpus as JSON Lines: one statement a line, read strictly and written canonically."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from benchmark.importing.jsonl import Line, read_records
from benchmark.importing.keys import Key, Strict, Year
from benchmark.importing.records import RecordError
from canonical import canonical_json
from search.models import Document, Statement

MAX_BODY = 100_000
Text50 = Annotated[str, StringConstraints(max_length=50)]
Text100 = Annotated[str, StringConstraints(max_length=100)]
Text300 = Annotated[str, StringConstraints(max_length=300)]
Text1000 = Annotated[str, StringConstraints(max_length=1000)]
Address = Annotated[str, StringConstraints(max_length=1000, pattern=r"^(https?://[^\s\"<>]+)?$")]


class StatementLine(Strict):
    """A line of a corpus. Only `key`, `document` and `body` are required; what is empty counts as left out."""

    key: Key
    """Names the statement in its corpus."""
    document: Key
    """Names the paper, chapter or page that it is from."""
    body: Annotated[str, StringConstraints(min_length=1, max_length=MAX_BODY, pattern=r"\S")]
    """The statement in LaTeX, without its proof."""
    title: Text1000 | None = None
    """The document's title."""
    authors: Annotated[list[Text300], Field(max_length=500)] | None = None
    """The document's authors, one text for each."""
    year: Year | None = None
    """The year in which the document appeared."""
    categories: Annotated[list[Text100], Field(max_length=50)] | None = None
    """The document's subjects, such as math.CO."""
    citations: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    """How often the document was cited."""
    abstract: Annotated[str, StringConstraints(max_length=6_000)] | None = None
    """The document's abstract, as LaTeX."""
    introduction: Annotated[str, StringConstraints(max_length=6_000)] | None = None
    """The beginning of the document's first section, as LaTeX."""
    source: Annotated[str, StringConstraints(max_length=200)] | None = None
    """The book, site or collection; left out, the corpus itself."""
    section: Text1000 | None = None
    """The heading above the statement."""
    kind: Text50 | None = None
    """Such as theorem, lemma or definition."""
    number: Text50 | None = None
    """As it is printed, such as 4.2."""
    note: Text1000 | None = None
    """The name in brackets behind the number."""
    label: Text300 | None = None
    """The label by which the LaTeX refers to it."""
    url: Address | None = None
    """Where it can be read."""
    licence: Text100 | None = None
    """SPDX identifier, where it differs from the source's."""

    def content(self) -> dict[str, object]:
        """What the line says, without what is empty."""
        return _without_empty(self.model_dump())

    def of_document(self) -> dict[str, object]:
        """What the line says about its document."""
        said = self.content()
        return {name: said[name] for name in (*DOCUMENT_FIELDS, "source") if name in said}


DOCUMENT_FIELDS = ("title", "authors", "year", "categories", "citations", "abstract", "introduction")
STATEMENT_FIELDS = ("body", "section", "kind", "number", "note", "label", "url", "licence")


def read_statements(path: Path) -> Iterator[tuple[int, StatementLine] | RecordError]:
    """Each line of the file with its number, or what is wrong with it."""

    def numbered(record: StatementLine, line: Line) -> tuple[int, StatementLine]:
        return line.number, record

    return read_records(path, StatementLine, numbered)


def written_line(statement: Statement, document: Document, sources: Mapping[int, str]) -> bytes:
    """The canonical line of a stored statement; `sources` has the names of sources by primary key."""
    said = {
        "key": statement.key,
        "document": document.key,
        "source": sources.get(document.source_id, ""),
        **{name: getattr(document, name) for name in DOCUMENT_FIELDS},
        **{name: getattr(statement, name) for name in STATEMENT_FIELDS},
    }
    return canonical_json(_without_empty(said)) + b"\n"


def _without_empty(said: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in said.items() if value is not None and value != "" and value != []}
