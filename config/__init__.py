"""The roof: settings, URLs, Celery and the server entry points."""

import gc

# By default Python looks for garbage whenever 700 more objects are alive than before, at times among all of them.
# Starting makes two hundred thousand that stay, and a page some ten thousand: that is 6 % of a start and 4 % of work.
gc.set_threshold(50_000)

from config.celery import app as celery_app  # noqa: E402 # its imports are most of a start

__all__ = ["celery_app"]
