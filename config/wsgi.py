"""Entry point for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

from accounts.database.pooling import refuse_undeclared_pooler_at_start  # noqa: E402 # needs Django to be set up

refuse_undeclared_pooler_at_start()
