"""Fields that the forms of several kinds of work share: which model is asked, and at which prices."""

from decimal import Decimal
from functools import partial

from django import forms
from django.conf import settings

from accounts.refusal import Refused
from work.endpoints import declared_endpoints

price_field = partial(
    forms.DecimalField, min_value=0, max_digits=12, decimal_places=6, required=False, initial=Decimal(0)
)


def endpoint_choices() -> list[tuple[str, str]]:
    """The declared endpoints; none where the declaration does not parse."""
    try:
        return [(name, name) for name in declared_endpoints(settings.JUDGE_ENDPOINTS)]
    except Refused:
        return []
