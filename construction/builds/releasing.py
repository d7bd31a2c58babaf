"""Pages at the end of a build: which lines a release takes and why not the others, the release, and downloads."""

import json
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from benchmark.describing.licences import OPEN, class_of
from benchmark.protocols import get_protocol
from construction.builds.emission import Line, emit, offsets_only
from construction.builds.forms import EmitForm
from construction.builds.funnels import Choice, choice_of, domain_matrix, rows_of
from construction.builds.queries import licences_of
from construction.builds.scans import scan_lines
from construction.models import Build, BuiltInstance
from construction.recipes.passages import Drop
from stats.core.text import counted

PAGE = 100


@dataclass(frozen=True)
class Standing:
    """A line with its place in the selection: `rank` is 0 and `points` are empty where lines do not compete."""

    line: Line
    is_selected: bool
    reason: Drop | None
    rank: int
    points: tuple[tuple[str, float], ...]

    @property
    def total(self) -> float:
        return sum(points for _, points in self.points)

    @property
    def earned(self) -> tuple[tuple[str, float], ...]:
        """The rules that gave or took something."""
        return tuple((rule, points) for rule, points in self.points if points)


def standings(choice: Choice) -> list[Standing]:
    """Every line with what the selection says about it, the best of each domain first."""
    taken = set(choice.selected.places)
    found = [
        Standing(
            line,
            place in taken,
            choice.selected.reasons.get(place),
            choice.selected.ranks.get(place, 0),
            tuple(choice.selected.points.get(place, ())),
        )
        for place, line in enumerate(choice.lines)
    ]
    return sorted(found, key=lambda one: (one.line.candidate.paper.source.domain, one.rank == 0, one.rank))


@staff_only
@require_GET
def selection(request: HttpRequest, name: str) -> HttpResponse:
    """Quotas, the points of every line, and why not this one."""
    build = get_object_or_404(Build, name=name)
    choice = choice_of(build)
    code = request.GET.get("code", "")
    rows = standings(choice) if choice else []
    if code == "selected":
        rows = [one for one in rows if one.is_selected]
    elif code:
        rows = [one for one in rows if one.reason and one.reason.code == code]
    context = {
        "build": build,
        "choice": choice,
        "code": code,
        "codes": sorted({drop.code for drop in choice.selected.reasons.values()}) if choice else [],
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "matrix": domain_matrix(build, choice) if choice else [],
        "quota": build.recipe.get("quota"),
        "cap": build.recipe.get("cap"),
    }
    return render(request, "construction/builds/selection.html", context)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def release(request: SignedInRequest, name: str) -> HttpResponse:
    """What a release of the build would be; a POST makes it."""
    build = get_object_or_404(Build.objects.select_related("release"), name=name)
    form = EmitForm(request.POST or None, initial={"release": build.name})
    if request.method == "POST" and form.is_valid():
        with refusals_in(form, "release"):
            said = form.cleaned_data
            made = emit(actor=request.user, build=build, name=said["release"], is_sample=said["is_sample"])
            messages.success(
                request, f"The release {made.name} has {counted(made.instances.count(), 'instance')}."
            )
            return redirect("build-release", name=name)
    choice = choice_of(build)
    taken = [choice.lines[place] for place in choice.selected.places] if choice else []
    licences = [(licence, class_of(licence), times) for licence, times in licences_of(build)]
    built = BuiltInstance.objects.filter(instance__release__build=build).select_related("instance")
    context = {
        "build": build,
        "form": form,
        "choice": choice,
        "n_taken": len(taken),
        "findings": scan_lines(build, taken) if build.release_id is None else [],
        "licences": licences,
        "restricted": sum(times for _, kind, times in licences if kind != OPEN),
        "instances": built.order_by("instance__key")[:500],
        "n_instances": built.count(),
        "description": description_of(build, choice),
        "rubric": construction_rubric(build.protocol),
    }
    return render(request, "construction/builds/release.html", context, status=400 if form.errors else 200)


def construction_rubric(protocol: str) -> str:
    """The label of the rubric with which experts audit instances of the protocol; "" without one."""
    rubrics = get_protocol(protocol).rubrics
    return next((rubric.label for rubric in rubrics if rubric.kind == "construction"), "")


def description_of(build: Build, choice: Choice | None) -> str:
    """Words for the citation of a release: how it was made, so that others can make it again."""
    rows = rows_of(build, choice)
    stages = "; ".join(f"{row.title}: {row.kept:,} of {row.reached:,}" for row in rows)
    return (
        f"Built by Touchstone as {build.name} with the recipe {build.recipe_sha256} from sources "
        f"{build.sources_sha256}, seed {build.seed}, model {build.model}. {stages}."
    )


@staff_only
@require_GET
def offsets(request: HttpRequest, name: str) -> StreamingHttpResponse:
    """The release without its texts as JSON Lines; with ?licence=restricted only of sources that may not be copied."""
    build = get_object_or_404(Build, name=name)
    return offsets_reply(build, only_restricted=request.GET.get("licence") == "restricted")


def offsets_reply(build: Build, *, only_restricted: bool) -> StreamingHttpResponse:
    """Where each string of the release is to be found, one instance a line."""
    lines = (
        json.dumps(row, ensure_ascii=False) + "\n"
        for row in offsets_only(build)
        if not only_restricted or class_of(str(row["licence"])) != OPEN
    )
    reply = StreamingHttpResponse(lines, content_type="application/jsonl")
    reply["Content-Disposition"] = f'attachment; filename="{build.name}-offsets.jsonl"'
    return reply
