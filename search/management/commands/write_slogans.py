"""manage.py write_slogans --corpus NAME --reads body --endpoint NAME --model NAME --max-cost 5 [--estimate]"""

import time
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.commands import decimal, price
from canonical.documents import as_json
from search.corpora.queries import corpus_named
from search.models import Reads
from search.slogans.actions import Order, ask_for_slogans, estimate, reconcile_slogans
from search.slogans.queries import faults_of, runs_with_progress
from work.models import RunState
from work.worker import drain

_POLL_SECONDS = 1.0


class Command(TouchstoneCommand):
    help = "Let a model write a slogan for each statement of a corpus, within a budget."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", required=True, help="short name of the corpus")
        parser.add_argument(
            "--reads", default=Reads.BODY, choices=Reads.values, help="what the model reads with a statement"
        )
        parser.add_argument("--endpoint", required=True, help="a declared endpoint")
        parser.add_argument("--model", required=True, help="the model, as its server calls it")
        parser.add_argument("--prompt-price", type=price, default=0, help="of a million tokens sent")
        parser.add_argument("--completion-price", type=price, default=0, help="of a million tokens received")
        parser.add_argument("--max-cost", type=decimal, help="budget in money")
        parser.add_argument("--max-tokens", type=int, help="budget in tokens")
        parser.add_argument("--estimate", action="store_true", help="only say what it would need")

    def run(self, **options: Any) -> dict[str, object]:
        corpus = corpus_named(options["corpus"])
        named = ("reads", "endpoint", "model", "prompt_price", "completion_price")
        order = Order(**{name: options[name] for name in named})
        if options["estimate"]:
            return dict(as_json(estimate(corpus=corpus, order=order)))
        budget = {name: options[name] for name in ("max_cost", "max_tokens")}
        number = ask_for_slogans(actor=None, corpus=corpus, order=order, **budget).pk
        while True:
            drain()
            reconcile_slogans()
            run: Any = runs_with_progress().get(pk=number)
            self.progress(f"{run.n_written + run.n_refused} of {run.n_tasks} replies")
            if run.state != RunState.RUNNING:
                break
            time.sleep(_POLL_SECONDS)
        return {
            "run": run.pk,
            "state": run.state,
            "note": run.note,
            "statements": run.n_tasks,
            "written": run.n_written,
            "not_used": run.n_refused,
            "failed": run.n_failed,
            "why_not_used": dict(faults_of(run)),
            "tokens": run.tokens_spent,
            "cost": f"{run.cost_spent.normalize():f}",
        }
