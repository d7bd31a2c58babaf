"""manage.py seed_demo: load the sample project into the demo."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from reports.demo import seed_demo


class Command(TouchstoneCommand):
    help = "Load the sample project (people, releases, labels, campaigns). A second time changes nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--answer", action="store_true", help="let programs that judge answer at once")

    def run(self, **options: Any) -> dict[str, object]:
        quiet = options["json"] or options["verbosity"] == 0
        say = (lambda line: None) if quiet else self.stdout.write
        seed_demo(folder=settings.SAMPLE_DIR, say=say, answer=options["answer"])
        accounts = [{"email": account.email, "role": account.role} for account in settings.DEMO_ACCOUNTS]
        return {"accounts": accounts, "password": settings.DEMO_PASSWORD}

    def text(self, document: Mapping[str, Any]) -> str:
        rows = [f"  {account['email']:<24} {account['role']}" for account in document["accounts"]]
        return "\n".join(["Demo accounts:", *rows, f"Password of all of them: {document['password']}"])
