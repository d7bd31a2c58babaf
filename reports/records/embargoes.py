"""Embargoes that end: the next version of a record, with the texts whose day has come."""

import logging
from datetime import date

from django.db import transaction
from django.utils import timezone

from accounts.refusal import Refused
from benchmark.models import Release
from reports.models import PublicRecord
from reports.records.actions import Wish, publish_record
from reports.records.declared import Declared
from stats.core.text import counted

logger = logging.getLogger(__name__)


def still_closed(release: Release) -> dict[str, date]:
    """Until when the newest versions of all records of a study keep problems closed: what the next version does, under
    whichever name, unless its owner says otherwise."""
    rows = PublicRecord.objects.filter(artifact__release=release).order_by("version")
    newest = {row.name: Declared.from_json(row.declared) for row in rows}
    found: dict[str, date] = {}
    for declared in newest.values():
        for key, day in declared.still_closed(timezone.now().date()).items():
            found[key] = max(day, found.get(key, day))
    return dict(sorted(found.items()))


def end_embargoes() -> int:
    """Publish the newest version of every record again, if a text has become public since; returns how many.

    What a record cannot publish today, because grading is open for example, it publishes on a later day.
    """
    done = 0
    for name in PublicRecord.objects.order_by("name").values_list("name", flat=True).distinct():
        try:
            done += _publish_ended(name)
        except Refused as refusal:
            logger.warning(
                "The embargo of %s has ended, and it cannot be published: %s", name, refusal.reason
            )
    return done


@transaction.atomic
def _publish_ended(name: str) -> bool:
    Release.objects.select_for_update().filter(
        artifacts__records__name=name
    ).first()  # two rounds publish once
    row = PublicRecord.objects.filter(name=name).select_related("artifact__release").latest("version")
    said, today = Declared.from_json(row.declared), timezone.now().date()
    ended = [
        key for key, day in said.embargo.items() if not said.is_open(key) and date.fromisoformat(day) <= today
    ]
    if row.withdrawn_at is not None or not ended:
        return False
    wish = Wish(
        name=name,
        title=said.title,
        asked=said.asked,
        limitations=said.limitations,
        changes=f"As announced, the texts of {counted(len(ended), 'problem')} are public now.",
        doi=said.doi,
        show_problems=said.show_problems,
        show_outputs=said.show_outputs,
        show_reports=said.show_reports,
        embargo={key: date.fromisoformat(day) for key, day in said.embargo.items()},
    )
    publish_record(actor=None, artifact=row.artifact, wish=wish, announced=said)
    return True
