"""Celery tasks of this app."""

from celery import shared_task

from annotation.campaigns.reminding import remind_due, tell_missed, tell_opened
from annotation.core.documents import texts
from annotation.core.material import item_material
from annotation.models import Item, TrainingItem
from annotation.training.sheets import training_texts
from benchmark.rendering.stored import ask_for


@shared_task(name="annotation.remind_due")
def remind() -> dict[str, int]:
    """Email reviewers whose items are due; at most one email per day, however often this runs."""
    return remind_due()


@shared_task(name="annotation.tell_reviewers")
def tell_reviewers(campaign: int) -> dict[str, int]:
    """Tell those who have places in an opened campaign that their work is waiting."""
    return tell_opened(campaign)


@shared_task(name="annotation.tell_missed")
def tell_again() -> dict[str, int]:
    """Tell those whom the opening of a campaign has not reached; nobody a second time."""
    return tell_missed()


@shared_task(name="annotation.prepare_campaign")
def prepare_campaign(campaign: int) -> int:
    """Have everything rendered that an opened campaign shows, before a reviewer comes; returns how many items."""
    items = Item.objects.filter(campaign=campaign).select_related(
        "campaign__release__benchmark", "instance", "output", "second"
    )
    count = items.count()
    for start in range(0, count, 100):
        page = items.order_by("pk")[start : start + 100]
        ask_for(text for item in page for text in texts(item_material(item)))
    for trained in TrainingItem.objects.filter(training__campaign=campaign):
        ask_for(training_texts(trained))
    return count
