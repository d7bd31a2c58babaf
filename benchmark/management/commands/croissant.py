"""manage.py croissant --release NAME"""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.urls import reverse

from accounts.commands import Command as BaseCommand
from benchmark.describing.croissant import FILE, croissant
from benchmark.releases.queries import release_named


class Command(BaseCommand):
    help = "Print the Croissant metadata of a release; the file it describes is what export_instances prints."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True, help="name of the release")
        parser.add_argument(
            "--file", default=FILE, help="address of the instances, or their path relative to the metadata"
        )

    def run(self, **options: Any) -> dict[str, Any]:
        release = release_named(options["release"])
        page = settings.SITE_URL + reverse("release", args=[release.name])
        return croissant(release, page=page, file=options["file"])

    def text(self, document: dict[str, Any]) -> str:
        return json.dumps(document, ensure_ascii=False, indent=2)
