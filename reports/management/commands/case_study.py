"""manage.py case_study: one instance, all systems side by side."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from benchmark.models import Instance
from reports.cases.page import case_text
from reports.cases.study import case_document
from reports.core.release_argument import release_called


class Command(TouchstoneCommand):
    help = "What every system did on one instance, in the columns of its protocol's case studies."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("instance", help="key of the instance")
        parser.add_argument("--release", required=True)
        parser.add_argument("--track", default="", help="left out: raw, or the first track there is")
        parser.add_argument("--judge", default="", help="a judge version; left out: the first with verdicts")

    def run(self, **options: Any) -> dict[str, Any]:
        release = release_called(options["release"])
        found = Instance.objects.filter(release=release, key=options["instance"])
        instance = found.select_related("release__benchmark").first()
        if instance is None:
            raise Refused(f"{release.name} has no instance {options['instance']!r}.", code="no_instance")
        return case_document(instance, track=options["track"], judge=options["judge"])

    def text(self, document: dict[str, Any]) -> str:
        return case_text(document)
