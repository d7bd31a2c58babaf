"""manage.py create_judge: a judge version, the same as on the judges page."""

import json
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from judging.runs.actions import create_judge
from judging.runs.forms import judge_settings

_FLAGS = {
    "early_stop": "do not ask for votes that can no longer change the majority",
    "repair": "ask once more if a reply cannot be read",
}
_MONEY = {
    "prompt_price": "price per million prompt tokens, e.g. 0.15",
    "completion_price": "price per million completion tokens",
    "budget_tokens": "most tokens that one run may use",
    "budget_cost": "most cost of one run, in the currency of the prices",
}


class Command(TouchstoneCommand):
    help = "Create a judge, or a new version of it when any setting or prompt has changed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name, e.g. strict-reader")
        parser.add_argument("--protocol", required=True)
        parser.add_argument("--program", default="", help="a program of the protocol instead of a model")
        parser.add_argument("--model", default="", help="the model's name at the endpoint")
        parser.add_argument("--endpoint", default="", help="a name from TOUCHSTONE_JUDGE_ENDPOINTS")
        parser.add_argument("--family", default="", help="the model's family, to report self-preference")
        parser.add_argument(
            "--votes", type=int, default=1, help="independent votes per question (default: 1)"
        )
        for name, meaning in _FLAGS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=meaning)
        for name, meaning in _MONEY.items():
            parser.add_argument(f"--{name.replace('_', '-')}", help=meaning)
        parser.add_argument("--decoding", default="{}", help="JSON, e.g. '{\"temperature\": 0.7}'")

    def run(self, **options: Any) -> dict[str, Any]:
        judge = create_judge(actor=None, **judge_settings(options))
        return {
            "judge": judge.label,
            "sha256": judge.sha256,
            "program": judge.program,
            "prompts": json.loads(json.dumps(judge.prompts)),
        }
