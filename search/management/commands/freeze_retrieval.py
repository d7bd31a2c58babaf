"""manage.py freeze_retrieval QUERIES.jsonl --release NAME --index DIGEST --out FILE.zip [--up-to-citing-year]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.releases.queries import release_named
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
        parser.add_argument(
            "--up-to-citing-year",
            action="store_true",
            help="nothing that is younger than the problem's paper or of unknown year",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        digest, rows = freeze_retrieval(
            release=release_named(options["release"]),
            index=index_with(options["index"]),
            path=options["file"],
            out=options["out"],
            n=options["n"],
            mode=options["mode"],
            up_to_year=options["up_to_citing_year"],
        )
        return {"digest": digest, "queries": rows, "file": str(options["out"])}
