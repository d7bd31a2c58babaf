"""manage.py reopen_account EMAIL --actor EMAIL"""

from typing import Any

from accounts.commands import CommandOnMember
from accounts.models import User
from accounts.people import members


class Command(CommandOnMember):
    help = "Open a closed account again."

    def act(self, actor: User, member: User, **options: Any) -> None:
        members.reactivate_user(actor=actor, member=member, reason=options["reason"])
