"""Emails about waiting items: when a campaign opens, when a coordinator reminds, once a day when items are due."""

import datetime as dt
import logging
import time

from django.conf import settings
from django.core.mail import send_mail
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, Min, OuterRef, Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.site.mail import was_silent
from accounts.trail import record
from annotation.campaigns.actions import require_staff
from annotation.core.identities import informed_people
from annotation.core.phases import Phase
from annotation.core.queries import reviewers
from annotation.models import Assignment, AssignmentState, Campaign, Reminder
from benchmark.models import Release

NEAR = dt.timedelta(days=3)
NEWS = dt.timedelta(days=1)  # for so long after an opening, those who were not told are told
log = logging.getLogger(__name__)


def remind_campaign(*, actor: User, campaign: Campaign) -> dict[str, int]:
    """Email everyone with waiting items in the campaign; counts of `sent`, `held_back` and `not_sent` people.

    Held back are those who want no reminders, who are away, who had one today, or who may no longer grade. The mail
    server did not take what was not sent.
    """
    require_staff(actor)
    counts = _remind(Q(item__campaign=campaign))
    record(actor=actor, verb="remind", target=campaign, details=counts)
    return counts


def tell_opened(campaign: int) -> dict[str, int]:
    """Email everyone who has places in a campaign that was opened. Counts as above."""
    return _remind(Q(item__campaign=campaign))


def tell_missed() -> dict[str, int]:
    """Email everyone whom the opening of a campaign did not reach, because the broker, the mail server or a worker
    was away: who had a place in it then, and no email since that day. Counts as above.

    What is later than now was noted before the clock was set back, and counts for nothing.
    """
    now, since = timezone.now(), OuterRef("item__campaign__opened_at__date")
    told = Reminder.objects.filter(reviewer=OuterRef("reviewer"), sent_on__range=(since, now.date()))
    opened = Q(item__campaign__opened_at__range=(now - NEWS, now))
    return _remind(opened & Q(assigned_at__lte=F("item__campaign__opened_at")) & Q(~Exists(told)))


def remind_due() -> dict[str, int]:
    """Email everyone whose items are due within three days, or overdue. Counts as above."""
    return _remind(Q(item__campaign__due_on__lte=timezone.now().date() + NEAR))


def _remind(which: Q) -> dict[str, int]:
    waiting = Assignment.objects.filter(
        which, state=AssignmentState.WAITING, item__campaign__phase=Phase.OPEN
    )
    asked = waiting.values("reviewer").distinct().count()
    # accounts are closed, roles revoked and systems seen while places wait: their queue would refuse these people
    able = waiting.filter(reviewer__in=reviewers())
    for release in Release.objects.filter(pk__in=waiting.values("item__campaign__release")):
        able = able.exclude(item__campaign__release=release, reviewer__in=informed_people(release))
    rows = (
        able.order_by("reviewer")
        .values("reviewer")
        .annotate(places=Count("pk"), due=Min("item__campaign__due_on"))
    )
    people = User.objects.in_bulk([row["reviewer"] for row in rows])
    today, sent, held_back = timezone.now().date(), 0, asked - len(rows)
    for row in rows:
        person, places, due = people[row["reviewer"]], row["places"], row["due"]
        away = person.away_until is not None and person.away_until >= today
        if not person.reminders or away:
            held_back += 1
            continue
        try:
            with transaction.atomic():
                noted = Reminder.objects.create(reviewer=person, sent_on=today, waiting=places)
        except IntegrityError:  # they had one today
            held_back += 1
            continue
        context = {
            "places": places,
            "due": due,
            "late": due is not None and due < today,
            "queue": settings.SITE_URL + reverse("queue"),
            "profile": settings.SITE_URL + reverse("profile"),
        }
        text = render_to_string("annotation/campaigns/reminder.txt", context)
        begun = time.monotonic()
        try:
            send_mail("Items are waiting for you", text, None, [person.email])
            sent += 1
        except OSError as error:
            log.error("The reminder of account %s was not sent: %s", person.pk, error)
            noted.delete()
            if was_silent(begun):  # a worker is held up for this long by one person, not by everybody
                break
    return {"sent": sent, "held_back": held_back, "not_sent": asked - sent - held_back}
