"""manage.py build NAME --protocol lemmas --endpoint NAME --model NAME --max-tokens 1000000 [--numbers FILE]"""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db.models import Q
from django.db.models.functions import Concat

from accounts.commands import Command as TouchstoneCommand
from accounts.commands import decimal, price
from accounts.refusal import Refused
from construction.builds.actions import Plan, begin, reconcile_builds
from construction.builds.queries import funnel, papers_by_code, progress_of
from construction.models import Build, Source, SourceState
from construction.pipeline import pipeline_names
from work.models import RunState
from work.worker import drain

_POLL_SECONDS = 1.0


class Command(TouchstoneCommand):
    help = "Follow a recipe through the sources, or go on with a build of that name, and wait for its end."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name of the build")
        parser.add_argument("--protocol", choices=pipeline_names(), help="whose recipe to follow")
        parser.add_argument("--endpoint", help="a declared endpoint")
        parser.add_argument("--model", help="the model, as its server calls it")
        parser.add_argument("--numbers", type=Path, help="JSON file with the recipe's numbers that differ")
        parser.add_argument("--domain", help="only papers of this domain")
        parser.add_argument("--category", help="only papers of this category")
        parser.add_argument(
            "--source", action="append", help="only the paper with this key, or key and version (repeatable)"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--prompt-price", type=price, default=0, help="of a million tokens sent")
        parser.add_argument("--completion-price", type=price, default=0, help="of a million tokens received")
        parser.add_argument("--max-cost", type=decimal, help="budget in money")
        parser.add_argument("--max-tokens", type=int, help="budget in tokens")

    def run(self, **options: Any) -> dict[str, object]:
        build = Build.objects.filter(name=options["name"]).first()
        if build is None:
            build = self._begin(options)
        else:
            _check_goes_on(build, options)
        while True:
            drain()
            reconcile_builds()
            build.refresh_from_db()
            progress = progress_of(build)
            over = progress["papers"] - progress["papers_open"]
            self.progress(f"{over} of {progress['papers']} papers")
            if build.state != RunState.RUNNING:
                break
            time.sleep(_POLL_SECONDS)
        return {
            "build": build.name,
            "state": build.state,
            "note": build.note,
            **progress,
            "not_read": papers_by_code(build),
            "funnel": [
                {
                    "stage": one.name,
                    "reached": one.reached,
                    "kept": one.kept,
                    "waiting": one.waiting,
                    **one.dropped,
                }
                for one in funnel(build)
            ],
            "tokens": build.tokens_spent,
            "cost": f"{build.cost_spent.normalize():f}",
        }

    def _begin(self, options: dict[str, Any]) -> Build:
        for name in ("protocol", "endpoint", "model"):
            if not options[name]:
                reason = f"There is no build {options['name']}; to begin it, give --{name} too."
                raise Refused(reason, code="missing", field=name)
        numbers: Any = {}
        if path := options["numbers"]:
            try:
                numbers = json.loads(path.read_bytes())
            except (OSError, ValueError) as error:
                raise Refused(f"{path} cannot be read as JSON: {error}", field="numbers") from error
            if not isinstance(numbers, dict):
                raise Refused(f"{path} is not one JSON object.", field="numbers")
        wanted = {"domain": options["domain"], "category": options["category"]}
        sources = Source.objects.filter(
            state=SourceState.READABLE, **{name: value for name, value in wanted.items() if value}
        )
        if keys := options["source"]:
            sources = sources.annotate(whole=Concat("key", "version")).filter(
                Q(key__in=keys) | Q(whole__in=keys)
            )
            known = {name for pair in sources.values_list("key", "whole") for name in pair}
            if missing := [key for key in keys if key not in known]:
                raise Refused(f"No readable source is called {missing[0]}.", field="source")
        named = ("name", "protocol", "endpoint", "model", "seed", "prompt_price", "completion_price")
        plan = Plan(numbers=numbers, **{name: options[name] for name in named})
        budget = {name: options[name] for name in ("max_cost", "max_tokens")}
        return begin(actor=None, plan=plan, sources=sources, **budget)


def _check_goes_on(build: Build, options: Mapping[str, Any]) -> None:
    """Raises Refused for options that mean another build of that name."""
    for name in ("protocol", "endpoint", "model"):
        given, there = (options[name] or "").strip(), getattr(build, name)
        if given not in ("", there):
            reason = f"The build {build} has the {name} {there!r}, and goes on with it; for {given!r} begin another."
            raise Refused(reason, code="name_taken", field=name)
