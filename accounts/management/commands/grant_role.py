"""manage.py grant_role EMAIL ROLE --actor EMAIL"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandOnMember
from accounts.models import RoleName, User
from accounts.people import members


class Command(CommandOnMember):
    help = "Give a member a role."

    def arguments(self, parser: CommandParser) -> None:
        super().arguments(parser)
        parser.add_argument("role", metavar="ROLE", choices=RoleName.values, help=", ".join(RoleName.values))

    def act(self, actor: User, member: User, **options: Any) -> None:
        members.grant_role(actor=actor, member=member, role=options["role"], reason=options["reason"])
