"""manage.py write_records: write the files of public records that are missing, and their bands, list and feeds."""

from typing import Any

from accounts.commands import Command as TouchstoneCommand
from reports.records.folder import write_missing


class Command(TouchstoneCommand):
    help = "Write the files of published records that are missing, and what changes after publishing."

    def run(self, **options: Any) -> dict[str, list[str]]:
        return {"written": write_missing()}

    def text(self, document: dict[str, list[str]]) -> str:
        return "\n".join(f"written: {name}" for name in document["written"]) or "nothing was missing"
