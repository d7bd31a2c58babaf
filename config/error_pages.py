"""What an error page of Django's debug mode hides besides Django's own list."""

import re

from django.views.debug import SafeExceptionReporterFilter

_DJANGO = SafeExceptionReporterFilter.hidden_settings.pattern


class SecretsHidden(SafeExceptionReporterFilter):
    """Endpoints hold the keys of models, addresses of servers may hold a password."""

    hidden_settings = re.compile(f"{_DJANGO}|ENDPOINTS|BROKER|_URL$", re.IGNORECASE)
