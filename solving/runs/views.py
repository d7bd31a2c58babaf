"""Pages of runs: the list, a run with its attempts, and the verbs of owners."""

from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import owner_only, staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from solving.batches.queries import batch_state
from solving.models import Attempt, SolveRun, Step
from solving.publishing.actions import publish
from solving.runs.actions import raise_budget, steer
from solving.runs.forms import CapForm
from solving.runs.queries import attempts_of, changed_models, progress_of, runs, years_in
from work.endpoints import no_endpoint_reason
from work.models import RunState, TaskState
from work.steering import MOVES

PAGE = 50


@staff_only
@require_GET
def runs_list(request: HttpRequest) -> HttpResponse:
    """All runs, the newest first; with the header X-Fragment only the table."""
    page = Paginator(runs(), PAGE).get_page(request.GET.get("page"))
    rows = list(page.object_list)
    leased = Step.objects.filter(run__in=rows, state=TaskState.LEASED)
    flying = dict(leased.order_by().values_list("run").annotate(times=Count("pk")))
    context = {
        "page": page,
        "rows": [(row, flying.get(row.pk, 0)) for row in rows],
        "running": any(row.state == RunState.RUNNING for row in rows),
        "no_endpoint": no_endpoint_reason(),
    }
    fragment = request.headers.get("X-Fragment") == "progress"
    return render(request, "solving/runs/_runs.html" if fragment else "solving/runs/runs.html", context)


@staff_only
@require_GET
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """One run with its attempts; with the header X-Fragment only the part that moves."""
    row = get_object_or_404(runs(), pk=pk)
    progress = progress_of(row)
    attempts = Paginator(attempts_of(row).defer("result", "ranking"), PAGE)
    context = {
        "run": row,
        "running": row.state == RunState.RUNNING,
        "open": row.finished_at is None,
        "progress": progress,
        "because": [(Attempt.Because(name).label.lower(), times) for name, times in progress.because.items()],
        "page": attempts.get_page(request.GET.get("page")),
        "publishable": row.state == RunState.DONE and row.published_id is None,
    }
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "solving/runs/_progress.html", context)
    context["others"] = runs().filter(release=row.release_id).exclude(pk=pk)[:20]
    context["cap_form"] = CapForm()
    context["years"] = years_in(row)
    context["release"] = row.release
    context["changed_models"] = changed_models(row)
    batch = batch_state(row)
    if batch.out or (row.state == RunState.PAUSED and (batch.waiting or batch.tools_waiting)):
        context["batch"] = batch
    return render(request, "solving/runs/run.html", context)


@owner_only
@require_POST
def steer_run(request: SignedInRequest, pk: int) -> HttpResponse:
    """Pause, resume or cancel a run, give it another cap, or publish what it came to."""
    row = get_object_or_404(SolveRun, pk=pk)
    step = request.POST.get("step", "")
    if step in MOVES:
        with told(request):
            steer(actor=request.user, run=row, to=MOVES[step])
    elif step == "publish":
        with told(request, f"The outputs of {row.solver.name} are published."):
            publish(actor=request.user, run=row)
    else:
        with told(request, "The run has another cap."):
            form = CapForm(request.POST)
            if not form.is_valid():
                raise Refused("A cap is a positive number.", code="bad_budget")
            raise_budget(actor=request.user, run=row, **form.cleaned_data)
    if request.POST.get("from") == "list":
        return redirect("solve-runs")
    return redirect("solve-run", pk)
