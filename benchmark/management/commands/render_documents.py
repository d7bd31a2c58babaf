"""Render the texts that wait, here and now, and on demand those that an older version of the renderer made."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from benchmark.rendering.actions import render_waiting, renew


class Command(BaseCommand):
    help = "Render the waiting texts. Pages show their source until then; a worker also does this by itself."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--renew",
            action="store_true",
            help="also render again what an older version rendered; block ids may change, so do it between rounds",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        rendered = render_waiting()
        renewed = renew() if options["renew"] else 0
        self.stdout.write(f"{rendered} rendered, {renewed} rendered again")
