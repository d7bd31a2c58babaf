"""manage.py verify_retrieval FILE.zip [--index FOLDER] [--digest SHA256]"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from retrieval.artifact import Verified
from search.freezing.actions import verify_retrieval
from stats.core.text import counted


class Command(TouchstoneCommand):
    help = "Check a frozen retrieval artifact, and execute its queries again where its index is at hand."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--index", type=Path, help="the folder of the index; left out, the site's own of that name"
        )
        parser.add_argument("--digest", default="", help="the digest that the artifact must have")

    def run(self, **options: Any) -> Verified:
        found = verify_retrieval(path=options["file"], folder=options["index"], digest=options["digest"])
        if found.faults:
            raise Refused("\n".join(found.faults[:20]), code="differs")
        return found

    def text(self, document: Verified) -> str:
        how = (
            "every query was executed again and found the same"
            if document.executed_again
            else "hashes agree; the index is not at hand, so no query was executed again"
        )
        unchecked = (
            f"\nNot checked, except that the file agrees with itself: {', '.join(document.unchecked)}. "
            "Give --digest with the digest that was published to have all of it checked."
            if document.unchecked
            else ""
        )
        return f"{document.digest}: {counted(document.rows, 'query', 'queries')}; {how}{unchecked}"
