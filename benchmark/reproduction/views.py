"""The page that says how far another release of the same protocol reproduces this one."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.access import staff_only
from accounts.site.pages import refusals_in
from benchmark.models import Release
from benchmark.releases.queries import release_or_404, releases_like
from benchmark.reproduction.reproducing import reproduction
from stats.core.display import rounded, rounded_percent

_NAMES = ("format", "first", "second", "shares")


class SecondRunForm(forms.Form):
    """Which release is the second run, and which instances experts found in other words."""

    second = forms.ModelChoiceField(
        Release.objects.none(),
        label="Release of the second run",
        to_field_name="name",
        empty_label=None,
        help_text="Another release of the same protocol.",
    )
    proximate = forms.CharField(
        label="Found in other words",
        required=False,
        help_text="Instances of this release that experts found, in other words, in the second: keys, separated by "
        "spaces.",
    )

    def __init__(self, release: Release, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        second = self.fields["second"]
        assert isinstance(second, forms.ModelChoiceField)
        second.queryset = releases_like(release)


@staff_only
@require_GET
def reproduction_page(request: HttpRequest, name: str) -> HttpResponse:
    """The form; with a second release, the shares that it reproduces."""
    release = release_or_404(name)
    form = SecondRunForm(release, request.GET if "second" in request.GET else None)
    found: Mapping[str, Any] | None = None
    if form.is_valid():
        with refusals_in(form):
            found = reproduction(release, form.cleaned_data["second"], form.cleaned_data["proximate"].split())
    shares, counts = [], []
    for key, share in found["shares"].items() if found else ():
        row = {"name": _words(key), "value": "", "counts": f"n = {share['n']}", "interval": ""}
        if share["value"] is not None:
            low, high = (rounded_percent(end) for end in share["ci"])
            row |= {"value": f"{rounded_percent(share['value'])} %", "interval": f"{low} to {high}"}
            row["counts"] = f"{share['k']:g}/{share['n']}"
        shares.append(row)
    # what the document has in addition to the shares
    for title, part in found.items() if found else ():
        if title not in _NAMES and part:
            rows = [
                (_words(key), str(value) if isinstance(value, int) else rounded(value))
                for key, value in part.items()
            ]
            counts.append((_words(title), rows))
    context = {
        "release": release,
        "form": form,
        "others": releases_like(release).exists(),
        "found": found,
        "shares": shares,
        "counts": counts,
    }
    return render(
        request, "benchmark/reproduction/reproduction.html", context, status=400 if form.errors else 200
    )


def _words(key: str) -> str:
    words = key.replace("_", " ")
    return words if "." in words else words.capitalize()  # math.GR is a name
