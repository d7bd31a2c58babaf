"""manage.py export_batch RUN --out FILE"""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from canonical.documents import as_json
from solving.batches.actions import MOST, export_batch, withdraw_batch
from solving.batches.queries import batch_lines, batch_state
from solving.models import SolveRun


class Command(TouchstoneCommand):
    help = "Write the waiting questions of a paused run as a batch file for a provider."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int, help="number of the run")
        parser.add_argument("--out", type=Path, help="the file to write; written again while a batch is out")
        parser.add_argument("--limit", type=int, default=MOST, help="at most so many questions")
        parser.add_argument(
            "--withdraw", action="store_true", help="let the questions that are out wait again instead"
        )

    def run(self, **options: Any) -> dict[str, object]:
        run = SolveRun.objects.filter(pk=options["number"]).first()
        if run is None:
            raise Refused(f"There is no run {options['number']}.", code="no_run", field="number")
        if options["withdraw"]:
            withdraw_batch(actor=None, run=run)
        elif options["out"] is None:
            raise Refused("Name the file to write: --out FILE.", code="missing", field="out")
        else:
            path = options["out"]
            # A place where nothing can be written is refused before anything is claimed.
            if path.is_dir() or not os.access(path.parent, os.W_OK):
                raise Refused(f"{path} cannot be written.", code="no_file", field="out")
            export_batch(actor=None, run=run, limit=options["limit"])
            # The whole file or none: what was there before stays until the new one is complete.
            with NamedTemporaryFile(dir=path.parent, delete=False) as file:
                try:
                    file.writelines(batch_lines(run))
                except BaseException:
                    Path(file.name).unlink()
                    raise
            Path(file.name).replace(path)
        return dict(as_json(batch_state(run)))
