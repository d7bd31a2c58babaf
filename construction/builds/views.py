"""Pages of builds: the list, a build with its funnel, its papers, two builds side by side; and the verbs of owners."""

from collections.abc import Sequence

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import owner_only, staff_only
from accounts.refusal import Refused
from accounts.site.downloads import csv_reply
from accounts.site.pages import SignedInRequest, told
from construction.builds.actions import ask_again, raise_budget, steer
from construction.builds.comparing import Drift, compare
from construction.builds.funnels import BY_HAND, choice_of, domain_matrix, rows_of, table
from construction.builds.queries import builds_like, builds_with_progress, calls_of, papers_of, progress_of
from construction.models import Build
from construction.pipeline import get_pipeline, pipeline_names
from construction.recipes.about import described
from stats.core.display import percent, rounded_percent, signed
from work.forms import BudgetForm
from work.models import RunState
from work.steering import MOVES

PAGE = 100


@staff_only
@require_GET
def builds(request: HttpRequest) -> HttpResponse:
    """All builds, the newest first."""
    page = Paginator(builds_with_progress(), PAGE).get_page(request.GET.get("page"))
    return render(request, "construction/builds/builds.html", {"page": page, "protocols": pipeline_names()})


@staff_only
@require_GET
def build(request: HttpRequest, name: str) -> HttpResponse:
    """One build; with the header X-Fragment only the part that moves."""
    row = get_object_or_404(Build.objects.select_related("release", "created_by"), name=name)
    running = row.state == RunState.RUNNING
    choice = choice_of(row)
    rows = []
    for one in rows_of(row, choice):
        # below the build's address, where what this stage has dropped is listed
        listed = {"papers": "papers/?", "lines": "selection/?"}.get(one.counts)
        dropped = []
        for code, times in sorted(one.dropped.items()):
            if listed is None and code == BY_HAND:
                below = "candidates/?decision=drop"
            else:
                below = f"{listed or f'candidates/?stage={one.stage}&'}code={code}"
            dropped.append((code, times, below))
        rows.append((one, dropped))
    context = {
        "build": row,
        "running": running,
        "open": row.finished_at is None,
        "progress": progress_of(row),
        "calls": calls_of(row),
        "rows": rows,
        "matrix": domain_matrix(row, choice) if choice else [],
    }
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "construction/builds/_progress.html", context)
    numbers = described(get_pipeline(row.protocol).numbers, row.recipe)
    context["different"] = [one for one in numbers if one.differs]
    context["others"] = builds_like(row)[:20]
    context["budget"] = BudgetForm()
    return render(request, "construction/builds/build.html", context)


@staff_only
@require_GET
def funnel_csv(request: HttpRequest, name: str) -> StreamingHttpResponse:
    """The funnel as CSV."""
    row = get_object_or_404(Build, name=name)
    return csv_reply(table(row, rows_of(row, choice_of(row))), f"funnel-{name}.csv")


@staff_only
@require_GET
def papers(request: HttpRequest, name: str) -> HttpResponse:
    """The papers of a build, or those that could not be read, with the reason."""
    row = get_object_or_404(Build, name=name)
    code = request.GET.get("code", "")
    page = Paginator(papers_of(row, code), PAGE).get_page(request.GET.get("page"))
    return render(request, "construction/builds/papers.html", {"build": row, "page": page, "code": code})


@owner_only
@require_POST
def steer_build(request: SignedInRequest, name: str) -> HttpResponse:
    """Pause, resume or cancel a build, ask what failed again, or give it another budget."""
    row = get_object_or_404(Build, name=name)
    step = request.POST.get("step", "")
    with told(request):
        if step in MOVES:
            steer(actor=request.user, build=row, to=MOVES[step])
        elif step == "again":
            ask_again(actor=request.user, build=row)
        else:
            form = BudgetForm(request.POST)
            if not form.is_valid():
                raise Refused("A budget is a positive number.", code="bad_budget")
            raise_budget(actor=request.user, build=row, **form.cleaned_data)
    return redirect("build", name=name)


@staff_only
@require_GET
def comparison(request: HttpRequest, name: str) -> HttpResponse:
    """The build ?with= and this one: papers in both, statements again, and the drift of the funnel."""
    second = get_object_or_404(Build, name=name)
    others = builds_like(second)
    chosen = request.GET.get("with", "")
    first = get_object_or_404(others, name=chosen) if chosen else others.first()
    found = compare(first, second) if first else None
    context = {
        "build": second,
        "first": first,
        "others": others[:100],
        "found": found,
        "drift": [_in_words(one) for one in found.drift] if found else [],
    }
    return render(request, "construction/builds/comparison.html", context)


def _in_words(one: Drift) -> dict[str, object]:
    """Shares and their difference in percent, with intervals."""

    def share(kept: int, of: int, interval: Sequence[float] | None) -> str:
        if interval is None:
            return "nothing came here"
        low, high = interval
        return f"{percent(kept, of)} ({rounded_percent(low)} to {rounded_percent(high)}), {kept:,} of {of:,}"

    difference = "undefined"
    if one.difference is not None and one.low is not None and one.high is not None:
        value, low, high = (signed(rounded_percent(points)) for points in (one.difference, one.low, one.high))
        difference = f"{value} ({low} to {high})"
    return {
        "title": one.title,
        "first": share(one.first_kept, one.first_of, one.first),
        "second": share(one.second_kept, one.second_of, one.second),
        "difference": difference,
        "differs": one.differs,
    }
