"""manage.py import_sources PATH [--manifest CSV] [--dry-run] [--lines]"""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from construction.sources.adding import Report, add_many, archives_in
from construction.sources.manifest import read_manifest


class Command(TouchstoneCommand):
    help = "Add the LaTeX sources in a folder of archives, an archive of archives, or one archive."
    every_line = False

    def arguments(self, parser: CommandParser) -> None:
        what = "an archive, a folder of archives, or an archive of archives"
        parser.add_argument("path", type=Path, help=what)
        parser.add_argument("--manifest", type=Path, help="CSV with what is known of the papers")
        parser.add_argument("--dry-run", action="store_true", help="say what would come of it; store nothing")
        parser.add_argument("--lines", action="store_true", help="print a line for every archive")

    def run(self, **options: Any) -> Report:
        self.every_line = options["lines"]
        rows = []
        if path := options["manifest"]:
            try:
                rows = read_manifest(path.read_bytes())
            except OSError as error:
                raise Refused(f"{path} cannot be read: {error.strerror}.", field="manifest") from error

        def tell(phase: str, done: int, total: int) -> None:
            if sys.stderr.isatty():
                self.stderr.write(f"\r{phase} {done:,} of {total:,}", ending="\n" if done == total else "")

        files = archives_in(options["path"])
        return add_many(actor=None, files=files, manifest=rows, dry_run=options["dry_run"], progress=tell)

    def text(self, document: Any) -> str:
        report: Report = document
        head = f"{report.archives:,} archives: "
        head += ", ".join(f"{times:,} {name}" for name, times in report.outcomes.items())
        if report.dry_run:
            head += ". Nothing was stored"
        codes = [f"{times:,} of them {code}" for code, times in report.codes.items()]
        shown = report.lines if self.every_line else report.unusable
        lines = [f"{'; '.join([head, *codes])}."]
        for line in shown:
            found = ""
            if line.main:
                counts = f"{line.statements} statements, {line.proofs} proofs, {line.citations} citations"
                found = f", {line.main}, {counts}"
            why = f"\n    {line.code}: {line.sentence} {line.what_to_do}" if line.code else ""
            lines.append(f"  {line.file} ({line.source}): {line.outcome}, {line.form}{found}{why}")
        return "\n".join(lines)
