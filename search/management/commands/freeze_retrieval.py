"""manage.py freeze_retrieval QUERIES.jsonl --release NAME --index DIGEST --out FILE.zip [--up-to-citing-year]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
from benchmark.releases.years import CITING_YEAR, PUBLICATION_YEAR
from retrieval import artifact
from retrieval.recipes import HYBRID, MODES
from search.freezing.actions import freeze_retrieval
from search.indexes.opened import index_with


class Command(TouchstoneCommand):
    help = "Execute the queries of a release's problems on an index and freeze what was found."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help='JSON Lines: {"instance", "query"} a line')
        parser.add_argument("--release", required=True)
        parser.add_argument("--index", required=True, help="the index's digest, or its beginning")
        parser.add_argument("--out", required=True, type=Path, help="the artifact, a new ZIP file")
        parser.add_argument("--n", type=int, default=20, help="results of each query")
        parser.add_argument("--mode", default=HYBRID, choices=MODES)
        years = parser.add_mutually_exclusive_group()
        years.add_argument(
            "--up-to-citing-year",
            dest="year_policy",
            action="store_const",
            const=CITING_YEAR,
            default="",
            help="nothing that is younger than the problem's paper or of unknown year",
        )
        years.add_argument(
            "--up-to-publication-year",
            dest="year_policy",
            action="store_const",
            const=PUBLICATION_YEAR,
            help="the same, but only for papers with a publication date: their arXiv number says no year",
        )

    def run(self, **options: Any) -> dict[str, object]:
        digest, rows = freeze_retrieval(
            release=release_named(options["release"]),
            index=index_with(options["index"]),
            path=options["file"],
            out=options["out"],
            n=options["n"],
            mode=options["mode"],
            year_policy=options["year_policy"],
        )
        empty = sum(not row.results for row in artifact.read(options["out"]).rows)
        return {"digest": digest, "queries": rows, "found_nothing": empty, "file": str(options["out"])}
