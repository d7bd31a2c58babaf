"""The page that says how far another release of the same protocol reproduces this one."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.refusal import Refused
from benchmark.models import Release
from benchmark.releases.queries import releases_like
from benchmark.releases.views import staff_only
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
    release = get_object_or_404(Release.objects.select_related("benchmark"), name=name)
    form = SecondRunForm(release, request.GET if "second" in request.GET else None)
    found: Mapping[str, Any] | None = None
    if form.is_valid():
        try:
            found = reproduction(release, form.cleaned_data["second"], form.cleaned_data["proximate"].split())
        except Refused as refusal:
            form.add_error(refusal.field if refusal.field in form.fields else None, refusal.reason)
    context = {
        "release": release,
        "form": form,
        "others": releases_like(release).exists(),
        "found": found,
        "shares": [_share(key, share) for key, share in found["shares"].items()] if found else [],
        "counts": list(_counts(found)) if found else [],
    }
    return render(
        request, "benchmark/reproduction/reproduction.html", context, status=400 if form.errors else 200
    )


def _share(key: str, estimate: Mapping[str, Any]) -> dict[str, str]:
    """A share in words; without a value, what is missing."""
    if estimate["value"] is None:
        return {"name": _words(key), "value": "", "counts": f"n = {estimate['n']}", "interval": ""}
    low, high = (rounded_percent(end) for end in estimate["ci"])
    return {
        "name": _words(key),
        "value": f"{rounded_percent(estimate['value'])} %",
        "counts": f"{estimate['k']:g}/{estimate['n']}",
        "interval": f"{low} to {high}",
    }


def _counts(document: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """What the document has in addition to the shares: titles, with names and numbers."""
    for title, part in document.items():
        if title not in _NAMES and part:
            rows = [
                (_words(key), str(value) if isinstance(value, int) else rounded(value))
                for key, value in part.items()
            ]
            yield _words(title), rows


def _words(key: str) -> str:
    words = key.replace("_", " ")
    return words if "." in words else words.capitalize()  # math.GR is a name
