"""The page of a release's frozen tuples."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from benchmark.models import Release
from benchmark.releases.forms import TupleForm
from benchmark.tuples.actions import declare_tuple


@staff_only
@require_http_methods(["GET", "POST"])
def tuples(request: SignedInRequest, name: str) -> HttpResponse:
    """The declared tuples with their runs; POST declares a tuple or adds runs to it."""
    release = get_object_or_404(Release, name=name)
    form = TupleForm(request.POST or None, release=release)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            found = declare_tuple(actor=request.user, release=release, **form.cleaned_data)
            messages.success(request, f"{found.name} has been declared.")
            return redirect("release-tuples", name=name)
    rows = release.tuples.order_by("name").prefetch_related("runs__run__system")
    return render(request, "benchmark/tuples/tuples.html", {"release": release, "tuples": rows, "form": form})
