"""The form of an exclusion rule."""

from django import forms

from reports.exclusions.rules import GROUNDS


class RuleForm(forms.Form):
    """The terms of a rule; the action checks what needs rows."""

    name = forms.SlugField(
        max_length=100, help_text="Short, such as leaked-by-two; it is shown with figures."
    )
    grounds = forms.MultipleChoiceField(
        choices=list(GROUNDS.items()),
        widget=forms.CheckboxSelectMultiple,
        label="An instance is excluded when",
    )
    at_least = forms.IntegerField(
        min_value=1, max_value=25, initial=2, label="said by at least so many reviewers"
    )
    reason = forms.CharField(max_length=1000, widget=forms.Textarea(attrs={"rows": 2}))
    primary = forms.BooleanField(
        required=False,
        label="Primary: the release's scores leave these instances out",
        help_text="Only one rule, and only before a campaign of the release is unblinded.",
    )
