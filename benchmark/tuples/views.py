"""The page of a release's frozen tuples, and their files."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from benchmark.importing.upload_handler import CappedFileHandler
from benchmark.models import FrozenTuple, Release
from benchmark.releases.forms import TupleForm
from benchmark.releases.years import years_of
from benchmark.tuples.actions import declare_tuple
from benchmark.tuples.files import file_or_404, send_file, too_large


@csrf_exempt  # the check reads the whole body; _declare makes it once the reader of the files is in place
@staff_only
@require_http_methods(["GET", "POST"])
def tuples(request: SignedInRequest, name: str) -> HttpResponse:
    """The declared tuples with their runs; POST declares a tuple or adds runs to it."""
    if request.method == "GET":
        release = get_object_or_404(Release, name=name)
        return _page(request, release, TupleForm(release=release))
    handler = CappedFileHandler(settings.IMPORT_MAX_BYTES, too_large())
    request.upload_handlers = [handler]
    return _declare(request, name, handler)


@csrf_protect
def _declare(request: SignedInRequest, name: str, handler: CappedFileHandler) -> HttpResponse:
    release = get_object_or_404(Release, name=name)
    form = TupleForm(request.POST, request.FILES, release=release)
    if handler.refusal:
        form.add_error(None, handler.refusal)
    if form.is_valid():
        with refusals_in(form):
            found = declare_tuple(actor=request.user, release=release, **form.terms())
            messages.success(request, f"{found.name} has been declared.")
            return redirect("release-tuples", name=name)
    return _page(request, release, form)


def _page(request: SignedInRequest, release: Release, form: TupleForm) -> HttpResponse:
    rows = FrozenTuple.objects.filter(release=release).order_by("name")
    rows = rows.select_related("retrieval_file", "materialisation_file", "scoring_file")
    context = {
        "release": release,
        "tuples": rows.prefetch_related("runs__run__system"),
        "form": form,
        "years": years_of(release.instances.all()) if release.papers.exists() else None,
        "limit": settings.IMPORT_MAX_BYTES,
    }
    return render(request, "benchmark/tuples/tuples.html", context)


@staff_only
@require_GET
def tuple_file(request: SignedInRequest, name: str, frozen: str, entry: str) -> StreamingHttpResponse:
    """The file of an entry, byte for byte."""
    return send_file(file_or_404(name, frozen, entry))
