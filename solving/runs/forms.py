"""Forms of runs."""

from typing import Any

from django import forms


class CapForm(forms.Form):
    """A new cap of the whole run, in tokens or in money."""

    max_tokens = forms.IntegerField(label="New cap in tokens", min_value=1, max_value=2**62, required=False)
    max_cost = forms.DecimalField(
        label="New cap in money", min_value=0, max_digits=16, decimal_places=6, required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
