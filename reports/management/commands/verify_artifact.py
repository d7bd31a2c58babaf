"""manage.py verify_artifact: recompute an artifact from its own inputs and say what differs."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from reports.artifacts import verify


class Command(TouchstoneCommand):
    help = "Recompute the score of an artifact from the inputs it carries; needs no stored release."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("artifact", type=Path)

    def run(self, **options: Any) -> dict[str, Any]:
        verification = verify(_read(options["artifact"]))
        if not verification.verified:
            listed = "\n".join(verification.differences)
            raise Refused(f"The artifact does not verify:\n{listed}", code="does_not_verify")
        return {"verified": True, "sha256": verification.sha256}

    def text(self, document: dict[str, Any]) -> str:
        return f"verified: every number follows from the inputs (sha256 {document['sha256']})"


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}", code="no_file") from error
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path} is not JSON: {error}", code="not_json") from error
    if not isinstance(document, dict):
        raise Refused(f"{path} holds no JSON object.", code="not_an_artifact")
    return document
