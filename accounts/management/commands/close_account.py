"""manage.py close_account EMAIL --actor EMAIL"""

from typing import Any

from accounts import actions
from accounts.commands import CommandOnMember
from accounts.models import User


class Command(CommandOnMember):
    help = "Close an account: no sign-in, no tokens. Labels and history stay."

    def act(self, actor: User, member: User, **options: Any) -> None:
        actions.deactivate_user(actor=actor, member=member, reason=options["reason"])
