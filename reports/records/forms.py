"""Forms of public records: publishing, and withdrawing a version."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django import forms

from benchmark.models import Release
from reports.models import Artifact
from reports.records.actions import Wish


class PublishForm(forms.Form):
    """Which frozen score, under which name, with which texts, and what its readers must know."""

    artifact = forms.ModelChoiceField(Artifact.objects.none(), label="Frozen score", empty_label=None)
    name = forms.SlugField(
        max_length=100,
        label="Name in the address",
        help_text="Small letters, digits and hyphens. The same name again makes a new version.",
    )
    title = forms.CharField(max_length=300, label="Title")
    asked = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 5}),
        label="What was asked",
        help_text="Where the problems come from, what the systems got and what they might use.",
    )
    limitations = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 5}),
        label="Limitations",
        help_text="What the study does not show. One paragraph for each.",
    )
    changes = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="What is new in this version",
        help_text="Empty for a first version.",
    )
    doi = forms.CharField(required=False, max_length=200, label="DOI", help_text="Only if one is registered.")
    show_problems = forms.BooleanField(required=False, label="Show the problems")
    show_outputs = forms.BooleanField(
        required=False,
        label="Show what the systems answered",
        help_text="As they answered: what was redacted for the referees can be read.",
    )
    show_reports = forms.BooleanField(
        required=False,
        label="Show what referees wrote",
        help_text="Comments with the passages they quote, and answers in words, under the referees’ numbers.",
    )
    embargo = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Texts that stay closed",
        help_text=(
            "A date for all, such as 2027-03-01, or a line for each problem: its key, a space and the date. "
            "Before that day only the title is published. A day begins at midnight UTC."
        ),
    )

    def __init__(self, *args: Any, release: Release, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = release.artifacts.defer("content").order_by("-pk")
        field: Any = self.fields["artifact"]
        field.queryset = rows
        field.label_from_instance = lambda row: f"{row.created_at:%-d %b %Y, %H:%M} · {row.sha256[:12]}"

    def clean_embargo(self) -> dict[str, dt.date]:
        found = {}
        for number, line in enumerate(self.cleaned_data["embargo"].splitlines(), start=1):
            if not line.strip():
                continue
            key, _, day = (part.strip() for part in line.strip().rpartition(" "))
            if key in found:
                raise forms.ValidationError(f"Line {number}: there is already a date for {key or 'all'}.")
            try:
                found[key] = dt.date.fromisoformat(day)
            except ValueError as error:
                raise forms.ValidationError(
                    f"Line {number}: {day!r} is not a date such as 2027-03-01."
                ) from error
        return found

    @property
    def wish(self) -> Wish:
        said = {name: value for name, value in self.cleaned_data.items() if name != "artifact"}
        return Wish(**said)


def embargo_text(closed: Mapping[str, dt.date]) -> str:
    """Until when texts are closed, as the field of the form takes it."""
    return "\n".join(f"{key} {day}" for key, day in closed.items())


class WithdrawForm(forms.Form):
    """The reason, which everybody reads."""

    reason = forms.CharField(
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        label="Reason",
        help_text="Shown at the top of the page, in the list and in the feed.",
    )
