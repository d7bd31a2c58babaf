"""manage.py import_corpus PATH --corpus NAME [--licence SPDX] [--freeze] [--dry-run]"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from benchmark.importing.progress import import_verb, progress_bar
from benchmark.releases.queries import release_named
from search.corpora.actions import About, freeze_corpus, import_corpus
from search.corpora.queries import corpus_named
from search.models import Visibility

SHOWN = 3  # places of each reason; --json has all


class Command(TouchstoneCommand):
    help = "Add statements to a corpus, from JSON Lines or out of LaTeX sources: all or nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help="JSON Lines, or LaTeX: a .tex file, a folder, a zip or tar"
        )
        parser.add_argument("--corpus", required=True, help="short name of the corpus; made if it is new")
        parser.add_argument("--title", default="", help="the corpus's name in words")
        parser.add_argument(
            "--visibility", default="", choices=["", *Visibility.values], help="who may search it"
        )
        parser.add_argument("--release", default="", help="a release that it belongs to: for the staff alone")
        parser.add_argument("--licence", default="", help="SPDX identifier of the sources, such as CC-BY-4.0")
        parser.add_argument("--attribution", default="", help="whom to credit with each result")
        parser.add_argument("--url", default="", help="where the sources can be found")
        parser.add_argument("--source-version", default="", help="commit or version of the sources")
        parser.add_argument("--freeze", action="store_true", help="freeze the corpus afterwards, for good")
        parser.add_argument("--dry-run", action="store_true", help="check everything, write nothing")

    def run(self, **options: Any) -> dict[str, object]:
        about = About(
            release=release_named(options["release"]) if options["release"] else None,
            version=options["source_version"],
            **{name: options[name] for name in ("title", "visibility", "licence", "attribution", "url")},
        )
        done = import_corpus(
            actor=None,
            path=options["file"],
            slug=options["corpus"],
            about=about,
            dry_run=options["dry_run"],
            progress=progress_bar(),
        )
        frozen = ""
        if options["freeze"] and not done.dry_run:
            frozen = freeze_corpus(actor=None, corpus=corpus_named(done.corpus))
        return asdict(done) | {"changed": done.changed, "sha256": frozen}

    def text(self, document: Mapping[str, Any]) -> str:
        said = f"{import_verb(document)} {document['corpus']}: {document['statements']:,} statements "
        said += f"({document['new']:,} new) of {document['documents']:,} documents"
        reasons = Counter(one["reason"] for one in document["skipped"])
        for reason, times in reasons.most_common():
            places = [
                f"{one['file']}, line {one['line']}" if one["line"] else one["file"]
                for one in document["skipped"]
                if one["reason"] == reason
            ]
            more = f" and {times - SHOWN:,} more" if times > SHOWN else ""
            said += f"\nSkipped {times:,}, {reason}: {'; '.join(places[:SHOWN])}{more}"
        return f"{said}\nfrozen, sha256 {document['sha256']}" if document["sha256"] else said
