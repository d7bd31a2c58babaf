"""manage.py reparse --run ID: read the stored replies of a run with today's parser."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from judging.models import JudgeRun
from judging.reading.reparsing import Reparsed, reparse


class Command(TouchstoneCommand):
    help = (
        "Parse the stored replies of a judge run again, without calling the model. If a vote is read differently than "
        "before, all votes are stored under a judge version of their own and the changes are listed."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--run", type=int, required=True, help="the number of the run, as on the judges page"
        )

    def run(self, **options: Any) -> Reparsed:
        run = JudgeRun.objects.select_related("judge").filter(pk=options["run"]).first()
        if run is None:
            raise Refused(f"There is no judge run {options['run']}.", code="no_run")
        return reparse(actor=None, run=run).document()

    def text(self, document: Reparsed) -> str:
        lines = [f"{len(document.changed)} of {document.votes} votes are read differently."]
        if document.judge:
            lines.append(f"All of them are stored as {document.judge}.")
        for row in document.changed:
            attempt = f", attempt {row.attempt}" if row.attempt else ""
            place = f"{row.instance}{attempt}, {row.predicate}, vote {row.vote}"
            lines.append(f"{place}: {row.before} -> {row.after}")
        return "\n".join(lines)
