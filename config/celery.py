"""The Celery application. The database is the queue of record; the broker only carries the signal to look."""

import os
from typing import Any

from celery import Celery, bootsteps
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("touchstone")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class OwnSessions(bootsteps.Step):
    """A worker does not start behind a pooler that shares sessions and was not declared (docs/adr/0029)."""

    def __init__(self, parent: Any, **options: Any) -> None:
        from accounts.database.pooling import refuse_undeclared_pooler_at_start  # needs Django to be set up

        try:
            refuse_undeclared_pooler_at_start()
        except ImproperlyConfigured as refusal:
            raise SystemExit(str(refusal)) from None


app.steps["worker"].add(OwnSessions)
