"""Forms and their fields as several apps need them."""

from typing import Any

from django import forms

_LARGEST = 2**63 - 1  # what a number of a row can be


class RowsField(forms.ModelMultipleChoiceField):
    """Several rows. A number beyond any row is not a choice; SQLite falls over one instead of finding nothing."""

    def clean(self, value: Any) -> Any:
        for one in value or ():
            if str(one).isdecimal() and int(str(one)[:20]) > _LARGEST:
                raise forms.ValidationError(
                    self.error_messages["invalid_choice"], code="invalid_choice", params={"value": one}
                )
        return super().clean(value)


class PlainForm(forms.Form):
    """A form whose labels are above their fields and need no colon."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
