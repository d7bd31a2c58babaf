"""Forms of the hub: copying a study, and the names and dates of its campaigns."""

from typing import Any

from django import forms

from accounts.site.forms import RowsField
from accounts.site.pages import refusals_in
from annotation.campaigns.actions import require_day_to_come
from annotation.core.phases import Phase
from annotation.models import Campaign
from benchmark.models import Release
from reports.hub.actions import NameAndDate


class CopyForm(forms.Form):
    """A name for the copy and what comes along."""

    name = forms.CharField(
        max_length=100,
        label="Name of the new study",
        help_text="Letters, digits, hyphens and underscores: it is part of addresses and tables, and stays.",
    )
    described = forms.BooleanField(required=False, initial=True, label="Licence, authors and citation")
    campaigns = RowsField(
        Campaign.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Grading, with its form, settings and instructions",
    )
    due_on = forms.DateField(
        required=False, widget=forms.DateInput(attrs={"type": "date"}), label="Reports are due on"
    )

    def __init__(self, *args: Any, release: Release, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = release.campaigns.order_by("created_at", "pk")
        self.fields["campaigns"].queryset = rows  # type: ignore[attr-defined]
        self.fields["campaigns"].initial = [row.pk for row in rows]
        if not rows:
            del self.fields["campaigns"], self.fields["due_on"]
        if not hasattr(release, "description"):
            del self.fields["described"]

    def clean(self) -> None:
        with refusals_in(self, "due_on"):
            require_day_to_come(self.cleaned_data.get("due_on"))


class NamesForm(forms.Form):
    """Name and due date of each campaign, as far as they may still change."""

    def __init__(self, *args: Any, campaigns: list[Campaign], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaigns = campaigns
        for row in campaigns:
            self.fields[f"name-{row.pk}"] = forms.CharField(
                max_length=200,
                label=f"Name of {row.name}",
                initial=row.name,
                disabled=row.phase != Phase.DRAFT,
                help_text="" if row.phase == Phase.DRAFT else "Reviewers know it by this name.",
            )
            self.fields[f"due-{row.pk}"] = forms.DateField(
                required=False,
                label=f"Reports of {row.name} are due on",
                initial=row.due_on,
                disabled=row.phase == Phase.CLOSED,
                widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            )

    def clean(self) -> None:
        for name in self.changed_data:
            if name.startswith("due-"):
                with refusals_in(self, name):
                    require_day_to_come(self.cleaned_data.get(name))

    @property
    def wanted(self) -> dict[Campaign, NameAndDate]:
        """What was asked for, of the campaigns that are not closed."""
        given = self.cleaned_data
        return {
            row: NameAndDate(given[f"name-{row.pk}"], given[f"due-{row.pk}"])
            for row in self.campaigns
            if row.phase != Phase.CLOSED
        }
