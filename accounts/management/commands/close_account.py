"""manage.py close_account EMAIL --actor EMAIL"""

from typing import Any

from accounts.commands import CommandOnMember
from accounts.models import User
from accounts.people import members


class Command(CommandOnMember):
    help = "Close an account: its owner cannot sign in and its tokens stop working. Labels and history stay."

    def act(self, actor: User, member: User, **options: Any) -> None:
        members.deactivate_user(actor=actor, member=member, reason=options["reason"])
