"""Forms of releases."""

from typing import Any, ClassVar

from django import forms

from accounts.site.forms import RowsField
from benchmark.models import STORABLE, FrozenTuple, Release, ReleaseDescription, Run
from benchmark.releases.queries import arm_name


class DescriptionForm(forms.ModelForm):
    """Licence, creators and citation of a release."""

    homepage = forms.URLField(
        assume_scheme="https",
        max_length=500,
        required=False,
        help_text="Where the release is published. If left empty, its page here.",
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


class RunsField(RowsField):
    """Runs by system, track and condition."""

    def label_from_instance(self, obj: Run) -> str:
        return arm_name(obj)


class TupleForm(forms.ModelForm):
    """The entries of a frozen tuple, and the runs that belong to it."""

    runs = RunsField(
        Run.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Runs that are in no tuple yet. To add runs later, enter the same values again, without the files.",
    )

    class Meta:
        model = FrozenTuple
        fields = ("name", "split", "retrieval", "materialisation", "scoring", "evaluated_on")
        help_texts: ClassVar = {
            "retrieval": "Provider, settings and cache, preferably with a hash.",
            "materialisation": "The log of which sources could be read.",
            "scoring": "Judge, prompts and aggregation.",
        }
        widgets: ClassVar = {"evaluated_on": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")}

    field_order = (
        "name", "split", "evaluated_on",
        *(f"{entry}{part}" for entry in STORABLE for part in ("", "_file", "_sha256")),
        "runs",
    )  # fmt: skip

    def __init__(self, *args: Any, release: Release, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for entry in STORABLE:
            what = str(self.fields[entry].label)
            self.fields[f"{entry}_file"] = forms.FileField(
                label=f"File of the {what.lower()}", required=False
            )
            self.fields[f"{entry}_sha256"] = forms.CharField(
                label=f"SHA-256 of the {what.lower()}",
                max_length=100,
                required=False,
                help_text="If it was published: a file with another hash is refused.",
            )
        self.order_fields(self.field_order)
        free = release.runs.filter(tupled__isnull=True).select_related("system")
        self.fields["runs"].queryset = free.order_by("system__slug", "track", "condition")  # type: ignore[attr-defined]

    def terms(self) -> dict[str, Any]:
        """The arguments of declare_tuple; only for a valid form."""
        terms = dict(self.cleaned_data)
        files = {entry: terms.pop(f"{entry}_file") for entry in STORABLE}
        hashes = {entry: terms.pop(f"{entry}_sha256") for entry in STORABLE}
        return {**terms, "files": files, "hashes": hashes}
