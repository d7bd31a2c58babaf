"""Forms of releases."""

from typing import ClassVar

from django import forms

from benchmark.models import ReleaseDescription


class DescriptionForm(forms.ModelForm):
    """Licence, creators and citation of a release."""

    homepage = forms.URLField(
        assume_scheme="https",
        max_length=500,
        required=False,
        help_text="Where the release is published; left out: its page here.",
    )

    class Meta:
        model = ReleaseDescription
        fields = ("licence", "creators", "citation", "homepage", "version", "published_on")
        help_texts: ClassVar = {
            "licence": "An SPDX identifier such as CC-BY-4.0, or the address of the licence.",
            "creators": "Names, separated by semicolons.",
            "citation": "How to cite the release, in words or BibTeX.",
        }
        widgets: ClassVar = {
            "published_on": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "citation": forms.Textarea(attrs={"rows": 4}),
        }
