"""manage.py export_instances --release NAME [--published] > instances.jsonl"""

from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import Command as BaseCommand
from benchmark.releases.instance_file import instance_lines, published_lines
from benchmark.releases.queries import release_named


class Command(BaseCommand):
    help = "Print the instances of a release as JSON Lines, the same bytes on every machine."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", required=True, help="name of the release")
        parser.add_argument(
            "--published",
            action="store_true",
            help="in the format that the benchmark publishes, if it has one",
        )

    def run(self, **options: Any) -> None:
        if options["published"]:
            self.stdout.writelines(published_lines(release_named(options["release"])))
            return
        for line in instance_lines(release_named(options["release"])):
            self.stdout.write(line.decode(), ending="")
