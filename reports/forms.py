"""Forms of reports: the plan of an audit, and the campaign that is drawn from it."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from annotation.models import Campaign


class PlanForm(forms.Form):
    """Which outputs an audit may draw, and how many of each stratum."""

    per_stratum = forms.IntegerField(
        label="Outputs per stratum",
        min_value=1,
        max_value=100_000,
        initial=5,
        help_text="Strata with fewer outputs are audited completely. Five is the least that says anything.",
    )
    buckets = forms.MultipleChoiceField(
        label="Buckets",
        widget=forms.CheckboxSelectMultiple,
        help_text="A corrected score needs every bucket; leave one out only to look at a single kind of error.",
    )
    exclude = forms.MultipleChoiceField(
        label="Leave out what these campaigns have drawn",
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="The new audit then speaks about the remaining outputs only.",
    )

    def __init__(
        self, data: Any, *, buckets: Mapping[str, str], campaigns: Iterable[Campaign], **kwargs: Any
    ) -> None:
        super().__init__(data, **kwargs)
        earlier = [(campaign.slug, campaign.name) for campaign in campaigns]
        _offer(self, "buckets", list(buckets.items()))
        _offer(self, "exclude", earlier)
        if not earlier:
            del self.fields["exclude"]


class AuditForm(forms.Form):
    """The campaign that asks experts about the drawn outputs."""

    name = forms.CharField(
        max_length=200, help_text="Reviewers see this name: no names of systems or judges in it."
    )
    rubric = forms.ChoiceField()
    reviewers_per_item = forms.IntegerField(
        label="Reviewers per output", min_value=1, max_value=25, initial=3, help_text="Each works alone."
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**53, initial=1, help_text="The same seed draws the same sample again."
    )
    plan = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, data: Any, *, rubrics: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        _offer(self, "rubric", [(label, f"{title} ({label})") for label, title in rubrics.items()])


def _offer(form: forms.Form, name: str, choices: list[tuple[str, str]]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = choices
