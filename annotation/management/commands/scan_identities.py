"""manage.py scan_identities --release NAME"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from annotation.quarantine.reading import with_findings
from benchmark.identities.actions import scan_identities
from benchmark.importing.progress import progress_bar
from benchmark.releases.queries import quarantined, release_named


class Command(BaseCommand):
    help = (
        "Scan the outputs of a release for what reveals their author, and list those waiting for a decision."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True, help="name of the release")

    def run(self, **options: Any) -> dict[str, Any]:
        release = release_named(options["release"])
        counts = scan_identities(release=release, progress=progress_bar())
        waiting = [
            {
                "output": output.pk,
                "instance": output.instance.key,
                "system": output.run.system.slug,
                "attempt": output.attempt,
                "findings": [found for found in output.identity_scan.findings if found["certain"]],
            }
            for output in with_findings(release, undecided=True)
        ]
        return {
            "release": release.name,
            **counts,
            "quarantined": quarantined(release).count(),
            "waiting": waiting,
        }

    def text(self, document: dict[str, Any]) -> str:
        lines = [
            f"{document['scanned']} outputs scanned now, {document['outputs']} in all; "
            f"{document['certain']} have a certain finding, {document['quarantined']} wait for a decision."
        ]
        for row in document["waiting"]:
            told = ", ".join(f"{found['kind']} {found['evidence']!r}" for found in row["findings"][:3])
            lines.append(f"  output {row['output']}  {row['instance']}  {row['system']}: {told}")
        return "\n".join(lines)
