"""Fields that the forms of several kinds of work share: which model is asked, and at which prices."""

from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.conf import settings

from accounts.refusal import Refused
from accounts.site.forms import TypedAsText
from work.endpoints import declared_endpoints


class MoneyField(TypedAsText, forms.DecimalField):
    """An amount of money, or a price."""

    def __init__(self, *, max_digits: int = 16, **kwargs: Any) -> None:
        super().__init__(min_value=0, max_digits=max_digits, decimal_places=6, required=False, **kwargs)


price_field = partial(MoneyField, max_digits=12, initial=Decimal(0))


def endpoint_choices() -> list[tuple[str, str]]:
    """The declared endpoints; none where the declaration does not parse."""
    try:
        return [(name, name) for name in declared_endpoints(settings.JUDGE_ENDPOINTS)]
    except Refused:
        return []


class BudgetForm(forms.Form):
    """A run stops before it would exceed one of these."""

    max_cost = MoneyField(label="Budget in money")
    max_tokens = forms.IntegerField(label="Budget in tokens", min_value=1, max_value=2**62, required=False)
