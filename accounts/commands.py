"""What all management commands share: `--json`, plain refusals, and exit codes.

0 done; 1 refused, with the reason on standard error; 2 wrong usage (argparse's own).
"""

import errno
import json
import sys
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from accounts.refusal import Refused
from canonical.documents import as_json

_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES}


class Command(BaseCommand):
    """Base of all commands: subclasses implement `run` and return the document that `--json` prints."""

    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
        self.arguments(parser)

    def arguments(self, parser: CommandParser) -> None:
        """Subclasses add their arguments here."""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            document = self.run(**options)
        except Refused as refusal:
            raise CommandError(str(refusal)) from refusal
        except OperationalError as error:  # it is locked, its disk is full, or its server is away
            raise CommandError(
                f"The database could not do this: {str(error).strip()}. Run the command again when it can."
            ) from error
        except OSError as error:
            if error.errno not in _DISK:
                raise
            where = f" ({error.filename})" if error.filename else ""
            raise CommandError(f"The disk could not do this: {error.strerror}{where}.") from error
        if document is None:
            return
        if options["json"]:
            self.stdout.write(json.dumps(as_json(document), ensure_ascii=False, indent=2, allow_nan=False))
        else:
            self.stdout.write(self.text(document))

    def run(self, **options: Any) -> Any:
        """Do the work and return a document (canonical/documents.py), or None when output was already streamed."""
        raise CommandError(f"{type(self).__module__} does not say what it does")

    def progress(self, text: str) -> None:
        """Say on a terminal how far the work has come, in place of what was said before."""
        if sys.stderr.isatty():
            self.stderr.write(f"\r{text}", ending="")
            self.stderr.flush()

    def text(self, document: Any) -> str:
        """The document in words; subclasses override where a plain list of fields would read badly."""
        return "\n".join(f"{key}: {value}" for key, value in document.items())


def decimal(text: str, below: int = 10**10) -> Decimal:
    """An amount of money as argparse takes it: ValueError for what is none, or what no column holds."""
    try:
        read = Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None
    if not read.is_finite() or abs(read) >= below or read != round(read, 6):
        raise ValueError(text)
    return read


def price(text: str) -> Decimal:
    """A price of a million tokens, in the same way."""
    return decimal(text, below=10**6)
