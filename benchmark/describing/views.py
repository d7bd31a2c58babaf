"""Pages that describe a release to the world: its description, Croissant metadata, and its instances as a file."""

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, refusals_in, told
from benchmark.describing.actions import describe_release
from benchmark.describing.croissant import croissant
from benchmark.models import Release, ReleaseDescription
from benchmark.releases.forms import DescriptionForm
from benchmark.releases.instance_file import MEDIA_TYPE, instance_lines, output_lines, published_lines
from benchmark.releases.queries import release_or_404, run_called


@staff_only
@require_http_methods(["GET", "POST"])
def describe(request: SignedInRequest, name: str) -> HttpResponse:
    """The form for the description of a release; ?citation= is what it begins with where there is none yet."""
    release = release_or_404(name)
    existing = ReleaseDescription.objects.filter(release=release).first()
    initial = None if existing else {"citation": request.GET.get("citation", "")}
    form = DescriptionForm(request.POST or None, instance=existing, initial=initial)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            describe_release(actor=request.user, release=release, **form.cleaned_data)
            messages.success(request, f"The description of {name} has been saved.")
            return redirect("release", name=name)
    return render(request, "benchmark/describing/describe.html", {"release": release, "form": form})


@staff_only
@require_GET
def croissant_file(request: SignedInRequest, name: str) -> HttpResponse:
    """The Croissant metadata; without a description, a redirect to its form."""
    page, file = (
        request.build_absolute_uri(reverse(view, args=[name]))
        for view in ("release", "release-instances-file")
    )
    with told(request):
        return JsonResponse(
            croissant(release_or_404(name), page=page, file=file),
            json_dumps_params={"ensure_ascii": False, "indent": 1},
            content_type="application/ld+json",
            headers={"Content-Disposition": f'attachment; filename="croissant-{name}.json"'},
        )
    return redirect("release-describe", name=name)


@staff_only
@require_GET
def instances_file(request: SignedInRequest, name: str) -> StreamingHttpResponse:
    """The file that the metadata describes, or with ?published=1 the one in the benchmark's own format."""
    try:
        return instances_download(release_or_404(name), published=request.GET.get("published") == "1")
    except Refused as refusal:
        raise Http404(refusal.reason) from refusal


@staff_only
@require_GET
def outputs_file(request: SignedInRequest, name: str) -> StreamingHttpResponse:
    """The outputs of the run called ?run=, to be imported elsewhere."""
    try:
        return outputs_download(release_or_404(name), request.GET.get("run", ""))
    except Refused as refusal:
        raise Http404(refusal.reason) from refusal


def outputs_download(release: Release, arm: str) -> StreamingHttpResponse:
    """The outputs of a run, streamed. Raises Refused for a run that the release does not have."""
    run = run_called(release, arm)
    response = StreamingHttpResponse(output_lines(run), content_type=MEDIA_TYPE)
    ending = ".".join(filter(None, (run.system.slug, run.track, run.condition)))
    response["Content-Disposition"] = f'attachment; filename="{release.name}.{ending}.jsonl"'
    return response


def instances_download(release: Release, *, published: bool) -> StreamingHttpResponse:
    """The instances of a release, streamed. Raises Refused for a published format that does not exist."""
    lines = published_lines(release) if published else instance_lines(release)
    response = StreamingHttpResponse(lines, content_type=MEDIA_TYPE)
    ending = "published.jsonl" if published else "jsonl"
    response["Content-Disposition"] = f'attachment; filename="{release.name}.{ending}"'
    return response
