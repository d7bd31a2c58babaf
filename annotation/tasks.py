"""Celery tasks of this app."""

from celery import shared_task

from annotation.actions.reminding import remind_due


@shared_task(name="annotation.remind_due")
def remind() -> dict[str, int]:
    """Mail those whose work is due; nobody gets two mails on a day, however often this runs."""
    return remind_due()
