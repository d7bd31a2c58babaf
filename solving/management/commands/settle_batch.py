"""manage.py settle_batch RUN FILE"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from canonical.documents import as_json
from solving.batches.actions import settle_batch
from solving.models import SolveRun


class Command(TouchstoneCommand):
    help = "Settle the results of a batch file like replies, and plan the run's attempts on: all or nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int, help="number of the run")
        parser.add_argument("file", type=Path, help="the provider's file of results, or of errors")

    def run(self, **options: Any) -> dict[str, object]:
        run = SolveRun.objects.filter(pk=options["number"]).first()
        if run is None:
            raise Refused(f"There is no run {options['number']}.", code="no_run", field="number")
        return dict(as_json(settle_batch(actor=None, run=run, path=options["file"])))
