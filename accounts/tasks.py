"""Celery tasks of this app."""

import datetime as dt

from celery import shared_task
from django.utils import timezone

from accounts.models import IdempotencyRecord

KEPT = dt.timedelta(days=7)


@shared_task(name="accounts.forget_old_answers")
def forget_old_answers() -> int:
    """Delete stored answers to writes older than a week: no client repeats a request after that."""
    deleted, _ = IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    return deleted
