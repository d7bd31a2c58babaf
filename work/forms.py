"""Fields that the forms of several kinds of work share: which model is asked, and at which prices."""

from decimal import Decimal
from functools import partial

from django import forms
from django.conf import settings

from accounts.refusal import Refused
from accounts.site.forms import PlainForm
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


class BudgetForm(PlainForm):
    """A run stops before it would exceed one of these."""

    max_cost = forms.DecimalField(
        label="Budget in money", min_value=0, max_digits=16, decimal_places=6, required=False
    )
    max_tokens = forms.IntegerField(label="Budget in tokens", min_value=1, max_value=2**62, required=False)
