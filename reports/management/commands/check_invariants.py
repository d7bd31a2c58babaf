"""manage.py check_invariants: every rule that the database cannot hold alone."""

from typing import Any

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from reports.invariants.rules import violations


class Command(TouchstoneCommand):
    help = "Check the rules that span tables; exit 1 and name every violation if one is broken."

    def run(self, **options: Any) -> dict[str, int]:
        found = violations()
        broken = [f"{rule}: {sentence}" for rule, sentences in found.items() for sentence in sentences]
        if broken:
            raise Refused("\n".join(broken), code="invariants_broken")
        return {"rules": len(found), "violations": 0}

    def text(self, document: dict[str, int]) -> str:
        return f"all {document['rules']} rules hold"
