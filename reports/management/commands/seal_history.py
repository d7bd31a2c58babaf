"""manage.py seal_history: put every new row of the history into the chain, without waiting for the worker."""

from typing import Any

from accounts.commands import Command as TouchstoneCommand
from reports.history.chain import head, seal


class Command(TouchstoneCommand):
    help = "Seal what was written since the last pass and print the head of the chain."

    def run(self, **options: Any) -> dict[str, str | int]:
        return {"sealed": seal(), "head": str(head())}
