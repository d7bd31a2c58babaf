"""manage.py import_outputs FILE --release NAME --system SLUG [--track raw] [--dry-run]"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from benchmark.importing.outputs import import_outputs
from benchmark.importing.progress import import_verb, progress_bar
from benchmark.models import Run
from benchmark.releases.queries import release_named
from benchmark.rendering.formulas import report_formulas
from stats.core.text import counted


class Command(BaseCommand):
    help = "Import the outputs of a system, from a file or folder: all or nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help="a file or folder as the protocol reads it, or of another tool"
        )
        parser.add_argument("--release", required=True, help="name of the release")
        parser.add_argument("--system", required=True, help="short name of the system")
        parser.add_argument("--system-name", default="", help="the system's name in words")
        parser.add_argument("--family", default="", help="family of models the system belongs to")
        parser.add_argument("--track", default="raw")
        parser.add_argument("--condition", default="")
        parser.add_argument(
            "--key", default="", help="in a file of another tool: the column that names the problem"
        )
        parser.add_argument(
            "--ids", default="", help="how names hold problem and attempt, such as {problem}:{attempt}"
        )
        parser.add_argument(
            "--tuple",
            dest="tuple_name",
            default="",
            help="the frozen tuple that the run joins; its frozen retrieval artifact decides what outputs were shown",
        )
        parser.add_argument(
            "--no-render", action="store_true", help="leave rendering the documents to a worker"
        )
        parser.add_argument("--dry-run", action="store_true", help="check everything, write nothing")

    def run(self, **options: Any) -> dict[str, object]:
        names = (
            "system",
            "system_name",
            "family",
            "track",
            "condition",
            "ids",
            "key",
            "tuple_name",
            "dry_run",
        )
        release, progress = release_named(options["release"]), progress_bar()
        report = import_outputs(
            actor=None,
            path=options["file"],
            release=release,
            progress=progress,
            **{name: options[name] for name in names},
        )
        document = asdict(report) | {"rendering": None}
        if not (options["no_render"] or options["dry_run"]):
            place = {name: options[name] for name in ("track", "condition")}
            run = Run.objects.get(release=release, system__slug=options["system"], **place)
            document["rendering"] = asdict(report_formulas(run, progress=progress))
        return document

    def text(self, document: dict[str, Any]) -> str:
        states = ", ".join(f"{count} {state}" for state, count in document["states"].items())
        lines = [
            f"{import_verb(document)} {document['system']} on {document['release']}: "
            f"{counted(document['outputs'], 'output')} ({states}); "
            f"{counted(document['without_output'], 'instance')} without one",
            f"sha256 {document['sha256']}",
        ]
        if retrieval := document["retrieval"]:
            lines.append(f"sources as frozen in the retrieval artifact {retrieval}")
        if flagged := document["flagged"]:
            lines.append(
                f"flagged: {flagged}; a rule of the protocol is broken, or may be; see compare_sources"
            )
        rendering = document["rendering"]
        if rendering is not None:
            formulas, documents = (counted(rendering[noun + "s"], noun) for noun in ("formula", "document"))
            lines.append(f"{formulas} in {documents}, {rendering['failed']} shown as source")
            for failure in rendering["failures"]:
                source = " ".join(failure["source"].split())[:100]
                lines.append(f"  {failure['instance']}/{failure['attempt']}: {source}: {failure['reason']}")
            if rendering["waiting"]:
                lines.append(f"left to a worker: {counted(rendering['waiting'], 'document')}")
        return "\n".join(lines)
