"""manage.py import_outputs FILE --release NAME --system SLUG [--track raw] [--dry-run]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from benchmark.actions import import_outputs
from benchmark.progress import progress_bar
from benchmark.queries import release_named


class Command(BaseCommand):
    help = "Import the outputs of a system, from a JSONL file or a folder of documents: all or nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a JSONL file, or a folder of .tex and .md documents")
        parser.add_argument("--release", required=True, help="name of the release")
        parser.add_argument("--system", required=True, help="short name of the system")
        parser.add_argument("--system-name", default="", help="the system's name in words")
        parser.add_argument("--family", default="", help="family of models the system belongs to")
        parser.add_argument("--track", default="raw")
        parser.add_argument("--condition", default="")
        parser.add_argument("--dry-run", action="store_true", help="check everything, write nothing")

    def run(self, **options: Any) -> dict[str, Any]:
        names = ("system", "system_name", "family", "track", "condition", "dry_run")
        report = import_outputs(
            actor=None,
            path=options["file"],
            release=release_named(options["release"]),
            progress=progress_bar(),
            **{name: options[name] for name in names},
        )
        return report.document()

    def text(self, document: dict[str, Any]) -> str:
        states = ", ".join(f"{count} {state}" for state, count in document["states"].items())
        return (
            f"{_verb(document)} {document['system']} on {document['release']}: {document['outputs']} outputs "
            f"({states}); {document['without_output']} instances without one\nsha256 {document['sha256']}"
        )


def _verb(document: dict[str, Any]) -> str:
    if not document["changed"]:
        return "Unchanged:"
    return "Would import" if document["dry_run"] else "Imported"
