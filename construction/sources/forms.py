"""Forms of sources."""

from typing import Any

from django import forms

from benchmark.citations.identifiers import doi
from construction.models import Source, SourceState
from construction.sources.manifest import Published


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Several files at once; its value is a list."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        single = super().clean
        return [single(one, initial) for one in data] if data else [single(None, initial)]


class UploadForm(forms.Form):
    """Archives with a manifest."""

    archives = ManyFilesField(
        help_text="Each is one paper: .tar.gz, .tar, .zip, .gz or .tex. Or one .zip or .tar with all of them.",
    )
    manifest = forms.FileField(
        required=False,
        help_text="A CSV table with what is known of the papers: title, domain, licence and so on. Optional.",
    )


class FilterForm(forms.Form):
    """Which sources are listed."""

    state = forms.ChoiceField(required=False, choices=[("", "Any state"), *SourceState.choices])
    code = forms.CharField(required=False, max_length=40)
    domain = forms.CharField(required=False, max_length=100)
    category = forms.CharField(required=False, max_length=100)
    licence = forms.CharField(required=False, max_length=100)


class DescriptionForm(forms.Form):
    """What is known of a source, and of the paper that it was published as."""

    title = forms.CharField(max_length=1000, required=False)
    authors = forms.CharField(max_length=20_000, required=False, help_text="Separated by semicolons.")
    year = forms.IntegerField(min_value=1500, max_value=2200, required=False)
    category = forms.CharField(max_length=100, required=False, help_text="For example math.CO.")
    domain = forms.CharField(max_length=100, required=False, help_text="Builds need it.")
    licence = forms.CharField(
        max_length=100,
        required=False,
        help_text="SPDX identifier. Without one, only offsets may be exported.",
    )
    published_title = forms.CharField(label="Title in print", max_length=1000, required=False)
    published_authors = forms.CharField(
        label="Authors in print", max_length=20_000, required=False, help_text="Separated by semicolons."
    )
    published_year = forms.IntegerField(label="Year in print", min_value=1500, max_value=2200, required=False)
    published_venue = forms.CharField(label="Journal", max_length=500, required=False)
    published_doi = forms.CharField(label="DOI", max_length=300, required=False)

    def clean_published_doi(self) -> str:
        given: str = self.cleaned_data["published_doi"]
        if given and not doi(given):
            raise forms.ValidationError("This is not a DOI.")
        return doi(given)

    def clean(self) -> None:
        super().clean()
        said = self.cleaned_data
        others = ("published_authors", "published_year", "published_venue", "published_doi")
        if any(said.get(name) for name in others) and not said.get("published_title"):
            self.add_error("published_title", "Give the title of the published paper too.")

    def changes(self) -> dict[str, object]:
        """For `describe_source`."""
        said = self.cleaned_data
        plain = {name: said[name] for name in ("title", "year", "category", "domain", "licence")}
        published = None
        if said["published_title"]:
            published = Published(
                said["published_title"], tuple(people(said["published_authors"])), said["published_year"],
                said["published_venue"], said["published_doi"],
            )  # fmt: skip
        return {**plain, "authors": people(said["authors"]), "published": published}


def description_of(source: Source) -> dict[str, object]:
    """What the form shows at first."""
    shown = {name: getattr(source, name) for name in ("title", "year", "category", "domain", "licence")}
    shown["authors"] = "; ".join(source.authors)
    publication = getattr(source, "publication", None)
    if publication is not None:
        shown |= {
            "published_title": publication.title,
            "published_authors": "; ".join(publication.authors),
            "published_year": publication.year,
            "published_venue": publication.venue,
            "published_doi": publication.doi,
        }
    return shown


def people(text: str) -> list[str]:
    """Names separated by semicolons."""
    return [name for one in text.split(";") if (name := one.strip())]
