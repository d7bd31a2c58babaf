"""manage.py search_run --release NAME --index DIGEST --out run.jsonl [--mode hybrid] [--k 20]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from benchmark.releases.queries import release_named
from retrieval.recipes import HYBRID, MODES
from search.freezing.actions import search_run
from search.indexes.opened import index_with

MOST = 1_000


class Command(TouchstoneCommand):
    help = "Answer a release of theorem search with an index; import_outputs takes the file."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)
        parser.add_argument("--index", required=True, help="the index's digest, or its beginning")
        parser.add_argument("--out", required=True, type=Path, help="the run, a new file")
        parser.add_argument("--mode", default=HYBRID, choices=MODES)
        parser.add_argument("--k", type=int, default=20)

    def run(self, **options: Any) -> dict[str, object]:
        if not 1 <= options["k"] <= MOST:
            raise Refused(f"--k is a number from 1 to {MOST}.", field="k")
        release, index = release_named(options["release"]), index_with(options["index"])
        done = search_run(
            release=release, index=index, out=options["out"], mode=options["mode"], k=options["k"]
        )
        return {"queries": done, "index": index.digest, "file": str(options["out"])}
