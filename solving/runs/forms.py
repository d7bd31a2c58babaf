"""Forms of runs."""

from django import forms

from work.forms import MoneyField


class CapForm(forms.Form):
    """A new cap of the whole run, in tokens or in money."""

    max_tokens = forms.IntegerField(label="New cap in tokens", min_value=1, max_value=2**62, required=False)
    max_cost = MoneyField(label="New cap in money")
