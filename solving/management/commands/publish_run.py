"""manage.py publish_run RUN [--dry-run]"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from canonical.documents import as_json
from solving.models import SolveRun
from solving.publishing.actions import publish


class Command(TouchstoneCommand):
    help = "Make a finished run's outputs those of a system, as import_outputs would."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", type=int, help="number of the run")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would be imported, and change nothing"
        )

    def run(self, **options: Any) -> dict[str, object]:
        run = SolveRun.objects.filter(pk=options["number"]).first()
        if run is None:
            raise Refused(f"There is no run {options['number']}.", code="no_run", field="number")
        report = publish(actor=None, run=run, dry_run=options["dry_run"])
        return dict(as_json(report))
