"""The form that asks for a printed report."""

from typing import Any

from django import forms

from annotation.models import Campaign
from benchmark.models import Release
from benchmark.subjects import USUAL
from reports.core.choosing import judges_of_release, release_arms, tuples_of_release
from reports.core.forms import offer
from reports.models import ReportPer
from reports.printing.report import ReportOrder


class ReportForm(forms.Form):
    """What a report of a release is to hold."""

    campaign = forms.ModelChoiceField(
        Campaign.objects.none(),
        required=False,
        empty_label="All campaigns of the track",
        to_field_name="slug",
        help_text="Of which campaign the items are.",
    )
    track = forms.ChoiceField(required=False, help_text="Of the score. A campaign has its own.")
    condition = forms.ChoiceField(
        required=False,
        help_text="Of the score. Where one is chosen, only items with outputs under it are printed.",
    )
    tuple = forms.ChoiceField(
        label="Frozen tuple",
        required=False,
        help_text="Needed where the runs belong to several; then only their items are printed.",
    )
    judge = forms.ChoiceField(required=False)
    per = forms.ChoiceField(
        label="Files",
        required=False,
        choices=[("", "One file"), *ReportPer.choices],
        help_text="A ZIP with a file for each submission is for their authors, one for each referee for the record.",
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
        arms = release_arms(release)
        tracks = dict.fromkeys(track for track, _ in arms)
        conditions = dict.fromkeys(condition or USUAL for _, condition in arms)
        judges = [judge.label for judge in judges_of_release(release)]
        for name, nothing, values in (
            ("track", "Raw, or the first there is", tracks),
            ("condition", "The usual one, and items of all", conditions),
            ("tuple", "The only one there is", tuples_of_release(release)),
            ("judge", "The first that has verdicts", judges),
        ):
            offer(self, name, [("", nothing), *((value, value) for value in values)])

    def order(self, release: Release) -> ReportOrder:
        """The report that was chosen; files for each submission or referee have items and no score."""
        wanted = dict(self.cleaned_data)
        if wanted["per"]:
            wanted |= {"items": True, "score": False}
        return ReportOrder(release, frozen_tuple=wanted.pop("tuple"), **wanted)
