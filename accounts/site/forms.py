"""Forms and their fields as several apps need them."""

from typing import Any, ClassVar

from django import forms
from django.forms.boundfield import BoundField
from django.forms.renderers import DjangoTemplates

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


class TypedAsText(forms.Field):
    """A number with a decimal point, typed as text: in a number input some browsers drop the comma of 0,15, and 15
    would be taken."""

    widget = forms.TextInput(attrs={"inputmode": "decimal"})
    default_error_messages: ClassVar[Any] = {
        "invalid": "Write a number with a decimal point, for example 0.15."
    }


class NumberField(TypedAsText, forms.FloatField):
    """A number that need not be whole."""


class _Field(BoundField):
    """A field whose label, which is above it, has no colon."""

    def label_tag(
        self, contents: Any = None, attrs: Any = None, label_suffix: Any = None, tag: Any = None
    ) -> Any:
        return super().label_tag(contents, attrs, "", tag)


class Renderer(DjangoTemplates):
    bound_field_class = _Field
