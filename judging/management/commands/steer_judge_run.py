"""manage.py steer_judge_run: pause, resume or cancel a run, retry its failed tasks, change priority or caps."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.access import is_study_staff
from accounts.commands import CommandForSomebody
from accounts.models import User
from accounts.refusal import Refused
from judging.management.commands.judge import decimal
from judging.models import JudgeRun, RunState
from judging.runs.queries import runs_with_progress
from judging.runs.steering import adjust_run, retry_failed, steer

_STATES = {"pause": RunState.PAUSED, "resume": RunState.RUNNING, "cancel": RunState.CANCELLED}


class Command(CommandForSomebody):
    help = "Pause, resume or cancel a judge run, retry its failed tasks, or change its priority or caps."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, help="the run's number, as on the judges page")
        parser.add_argument("verb", choices=[*_STATES, "retry", "adjust"])
        parser.add_argument("--reason", default="", help="recorded in the audit trail")
        parser.add_argument("--priority", type=int, help="with adjust: higher goes first")
        parser.add_argument("--max-tokens", type=int, help="with adjust: cap on the run's tokens")
        parser.add_argument("--max-cost", type=decimal, help="with adjust: cap on the run's cost")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        if not is_study_staff(actor):
            raise Refused("Only coordinators and owners can steer judge runs.", code="not_staff")
        run = JudgeRun.objects.filter(pk=options["run"]).first()
        if run is None:
            raise Refused(f"There is no judge run {options['run']}.", code="no_run")
        match options["verb"]:
            case "retry":
                retry_failed(actor=actor, run=run)
            case "adjust":
                caps = {name: options[name] for name in ("priority", "max_tokens", "max_cost")}
                adjust_run(actor=actor, run=run, **caps)
            case verb:
                steer(actor=actor, run=run, to=_STATES[verb], reason=options["reason"])
        now = runs_with_progress().get(pk=run.pk)
        return {
            "run": run.pk,
            "state": now.state,
            "priority": now.priority,
            "done": now.n_done,
            "failed": now.n_failed,
        }
