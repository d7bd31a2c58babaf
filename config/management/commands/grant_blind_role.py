"""manage.py grant_blind_role [--print]"""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import connection, transaction

from accounts.commands import Command as Base
from accounts.refusal import Refused
from config.blind_role import faults, statements, withheld_tables, write_only_tables


class Command(Base):
    help = "Give the role of blinded requests its rights in PostgreSQL; after every migrate."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--print", action="store_true", dest="only_print", help="print the SQL instead of running it"
        )

    def run(self, only_print: bool = False, **options: Any) -> dict[str, object] | None:
        role = settings.BLIND_ROLE
        if not role:
            raise Refused("Name the role in TOUCHSTONE_BLIND_ROLE first.", code="no_role")
        if only_print:
            self.stdout.writelines(f"{statement};" for statement in statements(role))
            return None
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in statements(role):
                cursor.execute(statement)
        if wrong := faults(role):
            raise Refused("; ".join(wrong), code="role_does_not_hold")
        return {"role": role, "withheld": withheld_tables(), "write_only": write_only_tables()}
