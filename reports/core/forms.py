"""What the forms of reports share."""

from collections.abc import Iterable

from django import forms


def offer(form: forms.Form, name: str, choices: Iterable[tuple[str, str]]) -> None:
    """Give a field of choices those that depend on the release or campaign."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)
