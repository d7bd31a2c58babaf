"""The environment of a test run; a pytest plugin, because Django reads its settings before any conftest."""

import os

os.environ["TOUCHSTONE_DEMO"] = "1"
os.environ["TOUCHSTONE_STATIC_STORAGE"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
os.environ["TOUCHSTONE_CACHE"] = "memory"
os.environ["TOUCHSTONE_EMAIL_URL"] = "memorymail://"
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright's synchronous interface runs a loop
