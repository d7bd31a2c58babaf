"""manage.py export_rubric LABEL --protocol NAME"""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import Command as TouchstoneCommand
from annotation.rubrics.available import rubric_called, rubric_toml
from benchmark.protocols import protocol_names
from benchmark.rubrics import RubricError


class Command(TouchstoneCommand):
    help = "Print a rubric as a TOML file that import_rubric reads."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("label", metavar="LABEL", help="such as proofs-v1")
        parser.add_argument("--protocol", required=True, choices=protocol_names(), help="to which it belongs")

    def run(self, **options: Any) -> dict[str, object]:
        try:
            rubric = rubric_called(options["protocol"], options["label"])
        except RubricError as error:
            raise CommandError(str(error)) from error
        return {"label": rubric.label, "sha256": rubric.sha256, "toml": rubric_toml(rubric)}

    def text(self, document: dict[str, object]) -> str:
        return str(document["toml"])
