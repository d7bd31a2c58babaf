"""manage.py import_rubric FILE --protocol NAME --actor EMAIL"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from annotation.rubrics import actions
from benchmark.protocols import protocol_names


class Command(CommandForSomebody):
    help = "Store the rubrics of a TOML file for campaigns on releases of a protocol. A stored version never changes."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="[[rubric]] tables, docs/rubrics.md")
        parser.add_argument(
            "--protocol", required=True, choices=protocol_names(), help="whose outputs are graded"
        )

    def run_for(self, actor: User, **options: Any) -> dict[str, object]:
        try:
            content = options["file"].read_bytes()
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from error
        rows = actions.import_rubrics(actor=actor, protocol=options["protocol"], content=content)
        return {"rubrics": [{"label": row.label, "sha256": row.sha256} for row in rows]}

    def text(self, document: dict[str, list[dict[str, str]]]) -> str:
        return "\n".join(f"{row['label']}  {row['sha256']}" for row in document["rubrics"])
