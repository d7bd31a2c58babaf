"""manage.py attach_training SLUG FILE [--may-skip] --actor EMAIL"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import CommandForSomebody
from accounts.models import User
from accounts.refusal import Refused
from annotation.core.queries import campaign_called
from annotation.training import actions
from annotation.training.file import form_of


class Command(CommandForSomebody):
    help = "Attach training to a campaign in draft, or replace it: all items of the file or none."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="the campaign's short name")
        parser.add_argument("file", type=Path, metavar="FILE", help="items with their gold, .jsonl or .csv")
        parser.add_argument("--may-skip", action="store_true", help="reviewers may skip the training")

    def run_for(self, actor: User, **options: Any) -> dict[str, Any]:
        file: Path = options["file"]
        try:
            raw = file.read_bytes()
        except OSError as error:
            raise Refused(f"{file.name} cannot be read: {error.strerror}.", code="no_file") from error
        campaign = campaign_called(options["slug"])
        training = actions.attach_training(
            actor=actor,
            campaign=campaign,
            file=raw,
            form=form_of(file.name),
            may_skip=options["may_skip"],
        )
        return {
            "campaign": campaign.slug,
            "items": training.items.count(),
            "may_skip": training.may_skip,
            "sha256": training.sha256,
        }
