"""Frozen score artifacts: their list, one as a file, and the freezing of a new one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import owner_only, role_names, staff_only
from accounts.models import RoleName
from accounts.refusal import NotAllowed
from accounts.site.pages import SignedInRequest, told
from reports.artifact.comparing import compare_stored
from reports.artifact.comparison_text import SHOWN, counted
from reports.artifact.freezing import freeze_artifact
from reports.core.choosing import choose, only_known
from reports.core.requests import chosen_of, explains_refusals
from reports.models import Artifact


@staff_only
@require_http_methods(["GET", "POST"])
@explains_refusals
def artifacts(request: SignedInRequest, name: str) -> HttpResponse:
    """All artifacts of a release; an owner's POST freezes the score of a track as it is now."""
    chosen = chosen_of(request, name)
    release = chosen.release
    if request.method == "POST":
        with told(request):
            if RoleName.OWNER not in role_names(request.user):
                raise NotAllowed("Only owners freeze a score.")
            wanted = choose(release, request.POST.dict())
            made = freeze_artifact(
                actor=request.user,
                release=release,
                track=wanted.track,
                judge=wanted.judge,
                condition=wanted.condition,
                frozen_tuple=wanted.frozen_tuple,
            )
            messages.success(request, f"The score is kept as artifact {made.sha256[:12]}.")
        return redirect(f"{request.path}?{chosen.query}")
    rows = release.artifacts.defer("content").order_by("-pk")
    return render(request, "reports/artifact/artifacts.html", {"chosen": chosen, "artifacts": rows})


@owner_only
@require_GET
def artifact(request: SignedInRequest, name: str, sha256: str) -> HttpResponse:
    """One artifact, byte for byte as it was frozen."""
    found = get_object_or_404(Artifact, release__name=name, sha256=sha256)
    response = HttpResponse(found.content, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="artifact-{name}-{sha256[:12]}.json"'
    return response


@owner_only
@require_GET
@explains_refusals
def comparison(request: SignedInRequest) -> HttpResponse:
    """Two stored artifacts side by side, named by their hashes in `left` and `right`."""
    only_known(request.GET, "left", "right")
    document = compare_stored(request.GET.get("left", ""), request.GET.get("right", ""))
    parts = [
        {
            "name": name,
            "counted": counted(found),
            "kinds": [
                (kind, entries[:SHOWN], len(entries) - SHOWN) for kind, entries in found.items() if entries
            ],
        }
        for name, found in document["inputs"].items()
    ]
    return render(request, "reports/artifact/comparison.html", {"document": document, "parts": parts})
