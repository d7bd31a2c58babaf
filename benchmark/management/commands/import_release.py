"""manage.py import_release PROTOCOL FILE --release NAME [--dry-run]"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from benchmark.importing.progress import import_verb, progress_bar
from benchmark.protocols import protocol_names
from benchmark.releases.actions import import_release
from stats.core.text import counted


class Command(BaseCommand):
    help = "Import a release file: all or nothing; the same content again changes nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("protocol", choices=protocol_names())
        parser.add_argument("file", type=Path)
        parser.add_argument("--release", required=True, help="name of the release")
        parser.add_argument("--sample", action="store_true", help="mark as sample data on every page")
        parser.add_argument("--dry-run", action="store_true", help="check everything, write nothing")

    def run(self, **options: Any) -> dict[str, object]:
        report = import_release(
            actor=None,
            protocol=options["protocol"],
            path=options["file"],
            name=options["release"],
            is_sample=options["sample"],
            dry_run=options["dry_run"],
            progress=progress_bar(),
        )
        return asdict(report)

    def text(self, document: dict[str, Any]) -> str:
        found, papers = document["overlaps"], counted(document["papers"], "paper")
        if found["merged_count"]:
            papers += f" ({counted(found['clusters'], 'cluster')}: versions of one arXiv paper are one)"
        instances = counted(document["instances"], "instance")
        head = f"{import_verb(document)} {document['release']}: {instances} from {papers}"
        lines = [f"  {domain}: {count}" for domain, count in document["domains"].items()]
        lines += [f"one paper: {', '.join(keys)}" for keys in found["merged"].values()]
        lines += [f"one passage: {', '.join([first, *rest])}" for first, rest in found["duplicates"].items()]
        return "\n".join([head, *lines, f"sha256 {document['sha256']}"])
