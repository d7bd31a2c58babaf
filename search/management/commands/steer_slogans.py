"""manage.py steer_slogans RUN pause|resume|cancel, or RUN budget --max-cost 10"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.commands import decimal
from accounts.refusal import Refused
from search.models import SloganRun
from search.slogans.actions import STEPS, raise_budget, steer
from search.slogans.queries import runs_with_progress


class Command(TouchstoneCommand):
    help = "Pause, resume or cancel a run of slogans, or give it another budget."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the number that write_slogans printed")
        parser.add_argument("step", choices=[*STEPS, "budget"])
        parser.add_argument("--max-cost", type=decimal, help="budget in money")
        parser.add_argument("--max-tokens", type=int, help="budget in tokens")

    def run(self, **options: Any) -> dict[str, object]:
        run = SloganRun.objects.filter(pk=options["run"]).first()
        if run is None:
            raise Refused(f"There is no run {options['run']}.", code="no_run", field="run")
        if options["step"] == "budget":
            budget = {name: options[name] for name in ("max_cost", "max_tokens")}
            raise_budget(actor=None, run=run, **budget)
        else:
            steer(actor=None, run=run, to=STEPS[options["step"]])
        shown: Any = runs_with_progress().get(pk=run.pk)
        return {
            "run": shown.pk,
            "state": shown.state,
            "written": shown.n_written,
            "statements": shown.n_tasks,
        }
