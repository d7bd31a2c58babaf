"""manage.py freeze --release NAME"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from benchmark.releases.freezing import freeze_release
from benchmark.releases.queries import release_named


class Command(BaseCommand):
    help = "Freeze a release: from then on the database refuses every change to it."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True, help="name of the release")

    def run(self, **options: Any) -> dict[str, object]:
        release = release_named(options["release"])
        changed = freeze_release(actor=None, release=release)
        release.refresh_from_db()
        return {
            "release": release.name,
            "sha256": release.sha256,
            "frozen_at": release.frozen_at.isoformat() if release.frozen_at else None,
            "changed": changed,
        }
