"""Forms of slogans: an order, its budget, and what to do with a run."""

from decimal import Decimal

from django import forms

from search.models import Reads
from search.slogans.actions import Order
from work.forms import endpoint_choices, price_field


class OrderForm(forms.Form):
    """What to write, by which model, at which prices."""

    reads = forms.ChoiceField(label="The model reads", choices=Reads.choices)
    endpoint = forms.ChoiceField(choices=endpoint_choices)
    model = forms.CharField(max_length=200, help_text="As its server calls it.")
    prompt_price = price_field(label="Price of a million tokens sent")
    completion_price = price_field(label="Price of a million tokens received")

    def order(self) -> Order:
        """The order."""
        said = self.cleaned_data
        prices = {name: said[name] or Decimal(0) for name in ("prompt_price", "completion_price")}
        return Order(said["reads"], said["endpoint"], said["model"].strip(), **prices)
