"""manage.py solve_status [RUN]"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from canonical.documents import as_json
from solving.models import SolveRun
from solving.runs.queries import progress_of


class Command(TouchstoneCommand):
    help = "How far runs of solvers are."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("number", nargs="?", type=int, help="one run; without it, all of them")

    def run(self, **options: Any) -> dict[str, object]:
        chosen = SolveRun.objects.select_related("solver", "release").order_by("pk")
        if options["number"] is not None:
            chosen = chosen.filter(pk=options["number"])
            if not chosen:
                raise Refused(f"There is no run {options['number']}.", code="no_run", field="number")
        return {
            "runs": [
                {
                    "run": run.pk,
                    "solver": run.solver.name,
                    "release": run.release.name,
                    "state": run.state,
                    "note": run.note,
                    **as_json(progress_of(run)),
                }
                for run in chosen
            ]
        }

    def text(self, document: Any) -> str:
        lines = [
            f"{one['run']}  {one['solver']} on {one['release']}: {one['state']}, {one['ended']} of {one['attempts']} "
            f"attempts ended, {one['steps_in_flight']} steps in flight, {one['tokens']:,} tokens"
            + (f" ({one['note']})" if one["note"] else "")
            for one in document["runs"]
        ]
        return "\n".join(lines) or "No solver was run yet: manage.py solve."
