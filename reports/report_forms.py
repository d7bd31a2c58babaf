"""The form that asks for a printed report."""

from typing import Any

from django import forms

from annotation.models import Campaign
from benchmark.models import Release


class ReportForm(forms.Form):
    """What a report of a release is to hold."""

    campaign = forms.ModelChoiceField(
        Campaign.objects.none(),
        required=False,
        empty_label="All campaigns of the track",
        to_field_name="slug",
        help_text="Of which campaign the items are.",
    )
    items = forms.BooleanField(label="Every item with its comments and grades", required=False, initial=True)
    score = forms.BooleanField(
        label="Score, tables and figures",
        required=False,
        initial=True,
        help_text="They name systems: leave them out of a report that a reviewer will see.",
    )
    identities = forms.BooleanField(
        label="Name systems and graders at the items",
        required=False,
        help_text="Otherwise the items are blinded.",
    )

    def __init__(self, release: Release, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        campaign = self.fields["campaign"]
        if isinstance(campaign, forms.ModelChoiceField):
            campaign.queryset = release.campaigns.filter(items__isnull=False).distinct().order_by("slug")
