"""Forms of slogans: an order, its budget, and what to do with a run."""

from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.conf import settings

from accounts.refusal import Refused
from search.models import Reads
from search.slogans.actions import Order
from work.endpoints import declared_endpoints

_price = partial(
    forms.DecimalField, min_value=0, max_digits=12, decimal_places=6, required=False, initial=Decimal(0)
)


class OrderForm(forms.Form):
    """What to write, by which model, at which prices."""

    reads = forms.ChoiceField(label="The model reads", choices=Reads.choices)
    endpoint = forms.ChoiceField()
    model = forms.CharField(max_length=200, help_text="As its server calls it.")
    prompt_price = _price(label="Price of a million tokens sent")
    completion_price = _price(label="Price of a million tokens received")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        try:
            names = list(declared_endpoints(settings.JUDGE_ENDPOINTS))
        except Refused:
            names = []
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, name) for name in names]

    def order(self) -> Order:
        """The order."""
        said = self.cleaned_data
        prices = {name: said[name] or Decimal(0) for name in ("prompt_price", "completion_price")}
        return Order(said["reads"], said["endpoint"], said["model"].strip(), **prices)


class BudgetForm(forms.Form):
    """A run stops before it would exceed one of these."""

    max_cost = forms.DecimalField(
        label="Budget in money", min_value=0, max_digits=16, decimal_places=6, required=False
    )
    max_tokens = forms.IntegerField(label="Budget in tokens", min_value=1, max_value=2**62, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
