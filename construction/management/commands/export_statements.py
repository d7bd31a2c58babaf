"""manage.py export_statements [--domain D] [--category C] [--source KEY] > statements.jsonl"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from canonical import canonical_json
from construction.models import Source
from construction.sources.queries import statements_of


class Command(TouchstoneCommand):
    help = "Print every statement of readable sources as JSON Lines, with its places and its text in standard LaTeX."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--domain", help="only papers of this domain")
        parser.add_argument("--category", help="only papers of this category")
        parser.add_argument("--source", action="append", help="only papers with this key (repeatable)")

    def run(self, **options: Any) -> None:
        wanted = {"domain": options["domain"], "category": options["category"], "key__in": options["source"]}
        chosen = Source.objects.filter(**{name: value for name, value in wanted.items() if value})
        for statement in statements_of(chosen):
            self.stdout.write(canonical_json(statement).decode())
