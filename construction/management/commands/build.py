"""manage.py build NAME --protocol lemmas --endpoint NAME --model NAME --max-tokens 1000000 [--numbers FILE]"""

import time
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db.models import Q, QuerySet
from django.db.models.functions import Concat

from accounts.commands import Command as TouchstoneCommand
from accounts.commands import decimal, price
from accounts.refusal import Refused
from benchmark.importing.jsonl import parse_object
from benchmark.importing.records import RecordError
from canonical import sha256_of
from construction.builds.actions import Plan, begin, read_numbers, reconcile_builds
from construction.builds.queries import funnel, papers_by_code, progress_of
from construction.models import Build, Source, SourceState
from construction.pipeline import pipeline_names
from stats.core.text import aligned, counted, printable
from work.models import RunState, TaskState
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
        parser.add_argument("--seed", type=int, help="1 unless given")
        parser.add_argument("--prompt-price", type=price, help="of a million tokens sent; 0 unless given")
        parser.add_argument(
            "--completion-price", type=price, help="of a million tokens received; 0 unless given"
        )
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
        failed = build.steps.filter(state=TaskState.FAILED).order_by("pk").last()
        return {
            "build": build.name,
            "state": build.state,
            "note": build.note,
            **progress,
            "last_error": failed.last_error if failed else "",
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

    def text(self, document: Mapping[str, Any]) -> str:
        shown = {**document, "not_read": _in_words(document["not_read"])}
        stages = shown.pop("funnel")
        lines = [f"{name}: {printable(value)}" for name, value in shown.items() if value != ""]
        if failed := document["steps_failed"]:
            again = f"manage.py api POST builds/{document['build']}/again/"
            lines.append(f"{counted(failed, 'question')} got no reply; to ask again: {again}")
        columns = ("stage", "reached", "kept", "waiting")
        rows = [
            [
                *(one[name] for name in columns),
                _in_words({code: one[code] for code in one if code not in columns}),
            ]
            for one in stages
        ]
        return "\n".join([*lines, "", aligned((*columns, "dropped"), rows)])

    def _begin(self, options: dict[str, Any]) -> Build:
        for name in ("protocol", "endpoint", "model"):
            if not options[name]:
                reason = f"There is no build {options['name']}; to begin it, give --{name} too."
                raise Refused(reason, code="missing", field=name)
        plan = Plan(
            name=options["name"],
            protocol=options["protocol"],
            endpoint=options["endpoint"],
            model=options["model"],
            numbers=_numbers(options["numbers"]),
            **{name: options[name] for name in ("seed", *_PRICES) if options[name] is not None},
        )
        budget = {name: options[name] for name in _BUDGET}
        return begin(actor=None, plan=plan, sources=_sources(options), **budget)


_PRICES = ("prompt_price", "completion_price")
_BUDGET = ("max_cost", "max_tokens")
_FIXED = ("protocol", "endpoint", "model", "seed", *_PRICES, *_BUDGET)
_NARROWED = ("source", "domain", "category")


def _in_words(times: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {code}" for code, number in times.items()) or "none"


def _numbers(path: Path | None) -> dict[str, object]:
    """What a file says of the recipe's numbers."""
    if path is None:
        return {}
    try:
        return parse_object(path.read_bytes(), 0)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.", field="numbers") from error
    except RecordError as error:
        raise Refused(f"{path} is not one JSON object: {error}", field="numbers") from error


def _sources(options: Mapping[str, Any]) -> QuerySet[Source]:
    """The readable sources that the options name. Raises Refused for a key that none of them has."""
    wanted = {name: options[name] for name in ("domain", "category") if options[name]}
    sources = Source.objects.filter(state=SourceState.READABLE, **wanted)
    if keys := options["source"]:
        sources = sources.annotate(whole=Concat("key", "version")).filter(Q(key__in=keys) | Q(whole__in=keys))
        known = {name for pair in sources.values_list("key", "whole") for name in pair}
        if missing := [key for key in keys if key not in known]:
            raise Refused(f"No readable source is called {missing[0]}.", field="source")
    return sources


def _check_goes_on(build: Build, options: Mapping[str, Any]) -> None:
    """Raises Refused for options that mean another build of that name."""

    def refuse(name: str, what: str) -> None:
        change = (
            f"change it by manage.py api POST builds/{build}/steer/" if name in _BUDGET else "begin another"
        )
        reason = f"The build {build} {what}. Go on with it without this option, or {change}."
        raise Refused(reason, code="name_taken", field=name)

    for name in _FIXED:
        given, there = options[name], getattr(build, name)
        if isinstance(given, str):
            given = given.strip()
        if given not in (None, "", there):
            refuse(name, f"has the {name.replace('_', ' ')} {_shown(there)}, and not {_shown(given)}")
    if options["numbers"]:
        numbers = read_numbers(build.protocol, _numbers(options["numbers"]))
        if sha256_of(numbers) != build.recipe_sha256:
            refuse("numbers", "has other numbers")
    if any(options[name] for name in _NARROWED):
        # Sources that were added since then do not make it another build.
        chosen = set(_sources(options).filter(added_at__lte=build.created_at))
        papers = {paper.source for paper in build.papers.select_related("source")}
        if other := min(map(str, chosen ^ papers), default=""):
            has = "has" if other in map(str, papers) else "does not have"
            refuse(next(name for name in _NARROWED if options[name]), f"has other papers: it {has} {other}")


def _shown(value: object) -> str:
    if isinstance(value, str):
        return repr(value)
    return "none" if value is None else f"{Decimal(str(value)).normalize():f}"
