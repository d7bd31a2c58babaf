"""manage.py reopen_account EMAIL --actor EMAIL"""

from typing import Any

from accounts import actions
from accounts.commands import CommandOnMember
from accounts.models import User


class Command(CommandOnMember):
    help = "Open a closed account again."

    def act(self, actor: User, member: User, **options: Any) -> None:
        actions.reactivate_user(actor=actor, member=member, reason=options["reason"])
