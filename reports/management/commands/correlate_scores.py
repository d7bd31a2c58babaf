"""manage.py correlate_scores FILE --release NAME: do others put the systems in the same order?"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from reports.core.outcomes import chosen_kind, outcomes
from reports.core.release_argument import chosen_inputs, track_arguments
from reports.external.document import external_document, read_external
from stats.core.text import ESTIMATE_HEADER, aligned, estimate_row, number


class Command(TouchstoneCommand):
    help = "Rank correlation of the systems' scores with scores from elsewhere: a CSV file, system,score."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="CSV with the head system,score")
        track_arguments(parser)
        parser.add_argument(
            "--outcome",
            default="",
            help="measure:KEY, judge:METRIC or CAMPAIGN:QUESTION; left out: the first there is",
        )

    def run(self, **options: Any) -> dict[str, Any]:
        try:
            external = read_external(options["file"].read_text("utf-8-sig"))
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"{options['file']} cannot be read: {error}", code="no_file") from error
        inputs = chosen_inputs(options)
        return external_document(outcomes(inputs, chosen_kind(inputs, options["outcome"])), external)

    def text(self, document: dict[str, Any]) -> str:
        rows = [
            [row["system"], number(row["score"]), row["n"], number(row["external"])]
            for row in document["systems"]
        ]
        found = [
            estimate_row("Spearman's rho", document["spearman"]),
            estimate_row("Kendall's tau-b", document["kendall_tau_b"]),
        ]
        lacking = [
            f"{words}: {', '.join(document[key])}"
            for key, words in (("only_here", "without an external score"), ("only_external", "not here"))
            if document[key]
        ]
        tables = [aligned(("system", "score", "n", "external"), rows), aligned(ESTIMATE_HEADER, found)]
        return "\n\n".join([document["outcome"]["title"], *tables, *lacking])
