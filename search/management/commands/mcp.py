"""manage.py mcp [--as EMAIL | --anyone]"""

from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.models import AnonymousUser
from django.core.management.base import CommandParser
from django.db import close_old_connections

from accounts.access import is_study_staff
from accounts.commands import Command as TouchstoneCommand
from accounts.database.sight import be_blind
from accounts.people.queries import member_at_the_console
from accounts.refusal import Refused
from search.mcp.views import INSTALL


class Command(TouchstoneCommand):
    help = (
        "Answer the Model Context Protocol on standard input and output: search, similar statements, one statement, "
        "corpora. For programs that start it themselves; over HTTP the site answers at /mcp."
    )

    def arguments(self, parser: CommandParser) -> None:
        who = parser.add_mutually_exclusive_group()
        who.add_argument(
            "--as", dest="email", default="", metavar="EMAIL", help="who asks; default: the only active owner"
        )
        who.add_argument("--anyone", action="store_true", help="search only what is open to anyone")

    def run(self, **options: Any) -> None:
        try:
            from search.mcp.tools import server_for  # the library is optional, and slow to import
        except ModuleNotFoundError as error:
            raise Refused(INSTALL, code="not_installed") from error
        user: Any = AnonymousUser()
        if options["email"] or not options["anyone"]:
            try:
                user = member_at_the_console(options["email"])
            except Refused as refusal:
                if refusal.code != "no_owner":
                    raise
                self.stderr.write(f"{refusal.reason} Until then only what is open to anyone is searched.")

        def before_call() -> None:
            close_old_connections()  # a program may ask once a day
            if not is_study_staff(user):
                be_blind()

        server = server_for(user, before_call=before_call, too_many=lambda: False)
        async_to_sync(server.run_stdio_async)()
