"""manage.py verify_history: check that no sealed row of the history was changed, removed or put in between."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from reports.history.chain import Head, fault_of, faults, head, seal, waiting

SHOWN = 20  # a chain that is broken once differs at many places


class Command(TouchstoneCommand):
    help = "Recompute the chain of history from the rows themselves; exit 1 and name what does not fit."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--head",
            action="append",
            default=[],
            metavar="POSITION:HASH",
            help="a head that was kept elsewhere and must still be in the chain; may be given several times",
        )

        parser.add_argument(
            "--seal", action="store_true", help="first seal what was written since the last pass"
        )

    def run(self, **options: Any) -> dict[str, object]:
        if options["seal"]:
            seal()
        kept = []
        for text in options["head"]:
            position, _, chain = text.partition(":")
            if not position.isdecimal() or len(chain) != 64:
                raise Refused(f"{text!r} is not POSITION:HASH, as this command prints it", code="bad_head")
            kept.append(fault_of(Head(int(position), chain.lower())))
        found = [fault for fault in kept if fault] + list(islice(faults(), SHOWN))
        if found:
            listed = "\n".join(map(str, found))
            raise Refused(f"The history is not what was sealed:\n{listed}", code="history_broken")
        return {"head": str(head()), "heads_checked": len(kept), "waiting": waiting()}

    def text(self, document: Mapping[str, Any]) -> str:
        open_rows = ", ".join(f"{count} {kind}" for kind, count in document["waiting"].items() if count)
        return (
            f"every sealed row is as it was; head {document['head']}\n"
            f"not sealed yet: {open_rows or 'nothing'}"
        )
