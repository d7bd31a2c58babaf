"""manage.py solve --release R --solver S [--attempts k] [--split X] [--artifact A]"""

import json
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.commands import decimal, price
from accounts.refusal import Refused
from benchmark.models import Release
from benchmark.tuples.retrieval import tuple_named
from canonical.documents import as_json
from llm.strict_json import NotJson, loads
from solvers.recipe import get_recipe, recipe_names
from solving.materials.actions import material_named
from solving.models import Material, Solver, SolveRun
from solving.runs.actions import Order, System, begin, make_solver, reconcile_solving
from solving.runs.queries import progress_of
from work.models import RunState
from work.worker import drain

_POLL_SECONDS = 1.0


class Command(TouchstoneCommand):
    help = "Let a solver work on a release, or go on with a run, and wait for its end."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", type=int, help="go on with this run instead of beginning one")
        parser.add_argument("--release", help="name of the release")
        parser.add_argument("--solver", help="NAME-vN of a solver, or the name of one to make with --recipe")
        parser.add_argument("--recipe", choices=recipe_names(), help="make the solver from this recipe")
        parser.add_argument("--configuration", help="a name among the recipe's settings, or a JSON file")
        parser.add_argument("--endpoint", help="a declared endpoint")
        parser.add_argument("--model", help="the model, as its server calls it")
        parser.add_argument("--family", default="", help="family of the model")
        parser.add_argument("--prompt-price", type=price, default=Decimal(0), help="of a million tokens sent")
        parser.add_argument(
            "--completion-price", type=price, default=Decimal(0), help="of a million tokens received"
        )
        parser.add_argument(
            "--roles",
            default="{}",
            help="""models of single roles as JSON: '{"verifier": {"model": "small", "prompt_price": 0.1}}'""",
        )
        parser.add_argument(
            "--cached-price",
            type=price,
            help="of a million tokens from the server's cache, if they cost less",
        )
        parser.add_argument("--track", default="raw")
        parser.add_argument("--condition", default="")
        parser.add_argument("--split", default="", help="only this part of the release")
        parser.add_argument("--instance", action="append", default=[], help="only this instance (repeatable)")
        parser.add_argument("--attempts", type=int, default=1, help="attempts at each instance")
        parser.add_argument("--attempt-tokens", type=int, help="tokens of each attempt")
        parser.add_argument("--attempt-cost", type=decimal, help="cost of each attempt")
        parser.add_argument("--attempt-seconds", type=int, help="active seconds of each attempt")
        parser.add_argument("--rule", choices=SolveRun.Rule.values, default="hard")
        parser.add_argument("--max-tokens", type=int, help="tokens of the whole run")
        parser.add_argument("--max-cost", type=decimal, help="cost of the whole run")
        parser.add_argument("--artifact", help="a frozen tuple of the release, in whose artifact to search")
        parser.add_argument("--bank", help="a knowledge bank")
        parser.add_argument("--blocked", help="a block list")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--no-wait", action="store_true", help="leave the work to workers")

    def run(self, **options: Any) -> dict[str, object]:
        run = SolveRun.objects.filter(pk=options["run"]).first() if options["run"] else self._begin(options)
        if run is None:
            raise Refused(f"There is no run {options['run']}.", code="no_run", field="run")
        while not options["no_wait"]:
            drain()
            reconcile_solving()
            run.refresh_from_db()
            progress = progress_of(run)
            self.progress(f"{progress.ended} of {progress.attempts} attempts, {progress.tokens:,} tokens")
            if run.state != RunState.RUNNING or progress.paused == progress.attempts - progress.ended:
                break
            time.sleep(_POLL_SECONDS)
        run.refresh_from_db()
        shown = as_json(progress_of(run))
        return {"run": run.pk, "solver": run.solver.name, "state": run.state, "note": run.note, **shown}

    def _begin(self, options: dict[str, Any]) -> SolveRun:
        release = Release.objects.filter(name=options["release"]).first()
        if release is None:
            raise Refused(f"There is no release {options['release']}.", code="no_release", field="release")
        named = ("track", "condition", "split", "attempts", "rule", "max_tokens", "max_cost", "seed")
        each = ("attempt_tokens", "attempt_cost", "attempt_seconds")
        order = Order(
            release=release,
            keys=options["instance"],
            artifact=tuple_named(release, options["artifact"]) if options["artifact"] else None,
            bank=material_named(Material.Kind.BANK, options["bank"]) if options["bank"] else None,
            blocked=material_named(Material.Kind.BLOCKED, options["blocked"]) if options["blocked"] else None,
            **{name: options[name] for name in (*named, *each)},
        )
        return begin(actor=None, solver=self._solver(options), order=order)

    def _solver(self, options: dict[str, Any]) -> Solver:
        name = options["solver"] or ""
        if options["recipe"] is None:
            slug, _, version = name.rpartition("-v")
            found = Solver.objects.filter(slug=slug, version=int(version)) if version.isdecimal() else None
            if found is None or not found.exists():
                reason = (
                    f"There is no solver {name!r}. To make one, give --recipe, --endpoint and --model too."
                )
                raise Refused(reason, code="no_solver", field="solver")
            return found.get()
        for needed in ("endpoint", "model", "solver"):
            if not options[needed]:
                raise Refused(f"To make a solver, give --{needed} too.", code="missing", field=needed)
        try:
            roles = loads(options["roles"])
        except NotJson as error:
            raise Refused(f"--roles is not JSON: {error}.", code="bad_role", field="roles") from error
        if not isinstance(roles, dict):
            raise Refused("--roles is not one JSON object.", code="bad_role", field="roles")
        # Settings by name from the recipe's folder, else from a JSON file.
        recipe, given = options["recipe"], options["configuration"]
        by_name = get_recipe(recipe).named_settings
        if given is None or given in by_name:
            settings = by_name.get(given, {})
        else:
            path = Path(given)
            try:
                settings = json.loads(path.read_bytes())
            except (OSError, ValueError) as error:
                known = ", ".join(by_name)
                reason = f"{given} is neither a JSON file nor among the settings of {recipe}: {known}."
                raise Refused(reason, code="no_settings", field="settings") from error
            if not isinstance(settings, dict):
                raise Refused(f"{path} is not one JSON object.", code="no_settings", field="settings")
        named = ("recipe", "endpoint", "model", "family", "prompt_price", "completion_price", "cached_price")
        return make_solver(
            actor=None,
            system=System(name, settings=settings, roles=roles, **{one: options[one] for one in named}),
        )
