"""manage.py judge: ask a judge about a release, and work on the queue until its verdicts are stored."""

import sys
import time
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.commands import decimal
from accounts.refusal import Refused
from benchmark.models import Release
from judging.models import Judge, JudgeRun, RunSubject
from judging.runs.actions import ask, reconcile
from judging.runs.queries import (
    left_out,
    newest_judge,
    newest_judges,
    run_cost,
    runs_with_progress,
    verdict_counts,
)
from work.endpoints import HOW_TO, declared_endpoints
from work.models import RunState
from work.worker import drain

_POLL_SECONDS = 0.5


class Command(TouchstoneCommand):
    help = (
        "Ask the newest version of a judge for verdicts on a release. The questions are queued in the database; "
        "this process works on them alongside any Celery workers and ends when all are answered. Ctrl-C leaves the "
        "rest to the workers."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True, help="the release's name")
        parser.add_argument("--judge", required=True, help="the judge's short name, as on the judges page")
        parser.add_argument("--track", default="", help="the track to judge (default: raw)")
        parser.add_argument(
            "--condition", default="", help="of the runs, such as oracle or usual (default: all conditions)"
        )
        parser.add_argument(
            "--instances", action="store_true", help="ask about the release's instances instead of outputs"
        )
        parser.add_argument("--priority", type=int, default=0, help="runs with a higher number go first")
        parser.add_argument("--max-tokens", type=int, help="hard cap on the run's tokens")
        parser.add_argument("--max-cost", type=decimal, help="hard cap on the run's cost")
        parser.add_argument("--predicate", nargs="+", default=[], help="predicates to ask (default: all)")
        parser.add_argument(
            "--after", default="", help="ask only about what this judge left undecided, and combine the two"
        )

    def run(self, **options: Any) -> dict[str, object]:
        judge = _judge(options["judge"])
        release = Release.objects.select_related("benchmark").filter(name=options["release"]).first()
        if release is None:
            raise Refused(f"There is no release {options['release']!r}.", code="no_release")
        if judge.endpoint and judge.endpoint not in declared_endpoints(settings.JUDGE_ENDPOINTS):
            raise Refused(f"{judge.label} asks endpoint {judge.endpoint!r}. {HOW_TO}", code="no_endpoint")
        run = ask(
            actor=None,
            judge=judge,
            release=release,
            subject=RunSubject.INSTANCE if options["instances"] else RunSubject.OUTPUT,
            track=options["track"],
            condition=options["condition"],
            predicates=options["predicate"],
            after=_judge(options["after"]) if options["after"] else None,
            **{name: options[name] for name in ("priority", "max_tokens", "max_cost")},
        )
        self._work(run)
        state = runs_with_progress().get(pk=run.pk)
        return {
            "run": run.pk,
            "judge": run.judge.label,
            "release": run.release.name,
            "subject": run.subject,
            "track": run.track,
            "condition": run.condition,
            "predicates": run.predicates,
            "left_out": left_out(run),
            "state": state.state,
            "tasks": state.n_tasks,
            "done": state.n_done,
            "failed": state.n_failed,
            **run_cost(run),
            "tokens_booked": state.tokens_spent,
            "cost_booked": f"{state.cost_spent.normalize():f}",
            "verdicts": verdict_counts(run),
        }

    def _work(self, run: JudgeRun) -> None:
        while True:
            drain()
            reconcile()
            state = runs_with_progress().get(pk=run.pk)
            self.progress(f"{state.n_done} of {state.n_tasks} verdicts, {state.n_failed} failed")
            if state.state != RunState.RUNNING:
                break
            time.sleep(_POLL_SECONDS)
        if sys.stderr.isatty():
            self.stderr.write("")


def _judge(slug: str) -> Judge:
    judge = newest_judge(slug)
    if judge is None:
        known = ", ".join(known.slug for known in newest_judges()) or "none yet; POST judges/ makes one"
        raise Refused(f"There is no judge {slug!r}. Judges: {known}.", code="no_judge")
    return judge
