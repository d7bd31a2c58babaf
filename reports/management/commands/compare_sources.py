"""manage.py compare_sources: whose source every output selected, and which of them is the citing paper."""

import time
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as TouchstoneCommand
from accounts.refusal import Refused
from benchmark.releases.queries import release_named
from judging.models import JudgeRun
from judging.programs.sources import ask_about_sources, source_program
from judging.runs.actions import reconcile
from reports.sources.document import newest_matcher, protocol_flags
from stats.core.text import counted
from work.models import RunState
from work.worker import drain

_POLL_SECONDS = 0.5


class Command(TouchstoneCommand):
    help = (
        "Compare the source that each output selected with the cited source and with the citing paper, and list "
        "the outputs whose source is the citing paper or may be. Asked again, only new outputs are compared."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True)

    def run(self, **options: Any) -> dict[str, object]:
        release = release_named(options["release"])
        try:
            ask_about_sources(actor=None, release=release)
        except Refused as refusal:
            if refusal.code not in ("nothing_to_ask", "being_compared"):
                raise
        # lend a hand until no comparison of the release is running
        running = JudgeRun.objects.filter(
            release=release, state=RunState.RUNNING, judge__program=source_program(release).label
        )
        while running.exists():
            drain()
            reconcile()
            if running.exists():
                time.sleep(_POLL_SECONDS)
        matcher = newest_matcher(release)
        flags = [
            {
                "instance": output.instance.key,
                "system": output.run.system.slug,
                "track": output.run.track,
                "attempt": output.attempt,
                "value": flag.value,
                "reason": flag.reason,
            }
            for flag in protocol_flags(release, matcher)
            for output in [flag.output]
        ]
        return {"release": release.name, "matcher": matcher.label if matcher else None, "flags": flags}

    def text(self, document: Mapping[str, Any]) -> str:
        head = f"{document['release']}: {counted(len(document['flags']), 'output')} to look at ({document['matcher']})"
        return "\n".join(
            [head, *(f"{f['instance']} {f['system']} {f['track']}: {f['reason']}" for f in document["flags"])]
        )
