"""manage.py read_sources [--all] [--source KEY]"""

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from construction.models import Source
from construction.reading.process import Reader
from construction.sources.actions import read_again
from construction.sources.queries import stale
from latex import OUTLINE_VERSION


class Command(TouchstoneCommand):
    help = "Read again the sources whose outline an older program made, or that it could not read within its limits."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--all", action="store_true", help="those that this program has read too")
        parser.add_argument("--source", action="append", help="only sources with this key (repeatable)")

    def run(self, **options: Any) -> dict[str, str | int]:
        chosen = Source.objects.all() if options["all"] else stale()
        if options["source"]:
            chosen = chosen.filter(key__in=options["source"])
        numbers = list(chosen.order_by("pk").values_list("pk", flat=True))
        codes: Counter[str] = Counter()
        with Reader() as reader:
            for done, number in enumerate(numbers, 1):
                source = Source.objects.filter(pk=number).first()
                if source is not None:
                    codes[read_again(source=source, reader=reader) or "readable"] += 1
                self.progress(f"{done:,} of {len(numbers):,}")
        return {"outline": OUTLINE_VERSION, "sources": sum(codes.values()), **dict(sorted(codes.items()))}
