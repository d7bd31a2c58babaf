"""manage.py search_file QUERIES.jsonl --index DIGEST [--k 20] [--mode hybrid|words|meaning|formula]"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from django.core.management.base import CommandParser
from pydantic import Field

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from benchmark.importing.batches import existing
from benchmark.importing.jsonl import read_records
from benchmark.importing.keys import Key, Strict
from benchmark.importing.records import RecordError
from benchmark.importing.survey import BadFile
from retrieval.index import NoVectors
from retrieval.recipes import HYBRID, MODES
from search.indexes.embedding import query_vector
from search.indexes.opened import index_with, opened
from search.searching.request import MAX_K, MAX_QUERY


class QueryLine(Strict):
    """A query of a file."""

    id: Key
    text: Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]


class Command(TouchstoneCommand):
    help = "Search an index for each query of a file and print the keys of the statements, best first."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help='JSON Lines: {"id", "text"} a line')
        parser.add_argument("--index", required=True, help="the index's digest, or its beginning")
        parser.add_argument("--k", type=int, default=20, help="how many statements for each query")
        parser.add_argument("--mode", default=HYBRID, choices=MODES)

    def run(self, **options: Any) -> dict[str, object]:
        if not 1 <= options["k"] <= MAX_K:
            raise Refused(f"--k is a number from 1 to {MAX_K}.", field="k")
        index = index_with(options["index"])
        engine = opened(index)
        rows = list(read_records(existing(options["file"]), QueryLine, lambda record, line: record))
        if errors := [row for row in rows if isinstance(row, RecordError)]:
            raise BadFile(errors[:20], more=len(errors) > 20)
        results = []
        for query in rows:
            assert not isinstance(query, RecordError)
            try:
                vector = query_vector(engine, engine.manifest.recipe.query_text(query.text), options["mode"])
                hits = engine.search(query.text, mode=options["mode"], k=options["k"], vector=vector)
            except NoVectors as error:
                raise Refused(str(error), code="no_vectors", field="mode") from error
            results.append({"id": query.id, "keys": [hit.key for hit in hits]})
        return {"index": index.digest, "results": results}

    def text(self, document: Mapping[str, Any]) -> str:
        return "\n".join(f"{row['id']}\t{' '.join(row['keys'])}" for row in document["results"])
