"""The page of a corpus's slogans: runs with their progress, an estimate, and the start of a run."""

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import owner_only, role_names, staff_only
from accounts.models import RoleName
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from search.models import Corpus, SloganRun
from search.slogans.actions import ask_for_slogans, estimate, raise_budget, steer
from search.slogans.forms import OrderForm
from search.slogans.queries import faults_of, runs_with_progress
from stats.core.text import counted
from work.endpoints import no_endpoint_reason
from work.forms import BudgetForm
from work.steering import MOVES


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def slogans(request: SignedInRequest, slug: str) -> HttpResponse:
    """The runs of a corpus. A GET with an order shows what it would cost; an owner's POST begins it."""
    corpus = get_object_or_404(Corpus, slug=slug)
    is_owner = RoleName.OWNER in role_names(request.user)
    if request.method == "POST" and not is_owner:
        raise PermissionDenied
    sent = request.POST if request.method == "POST" else request.GET
    form, budget = OrderForm(sent or None), BudgetForm(request.POST or None)
    context: dict[str, object] = {
        "corpus": corpus,
        "form": form,
        "budget": budget,
        "no_endpoint": no_endpoint_reason(),
    }
    status = 200
    if form.is_bound:
        status = 200 if form.is_valid() else 400
        try:
            if status == 200 and request.method == "POST" and budget.is_valid():
                run = ask_for_slogans(
                    actor=request.user, corpus=corpus, order=form.order(), **budget.cleaned_data
                )
                with told(
                    request,
                    f"{counted(run.tasks.count(), 'statement waits', 'statements wait')} for a slogan.",
                ):
                    return redirect("slogans", slug=slug)
            if status == 200:
                context["estimate"] = estimate(corpus=corpus, order=form.order())
        except Refused as refusal:
            context["refusal"], status = refusal.reason, 409
            context["estimate"] = estimate(corpus=corpus, order=form.order())
        status = 400 if budget.is_bound and not budget.is_valid() else status
    runs = list(runs_with_progress().filter(corpus=corpus)[:20])
    context["runs"] = [(run, faults_of(run)) for run in runs]
    return render(request, "search/slogans.html", context, status=status)


@owner_only
@require_POST
def slogan_run(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Pause, resume or cancel a run, or give it another budget."""
    run = get_object_or_404(SloganRun, pk=pk, corpus__slug=slug)
    step = request.POST.get("step", "")
    with told(request, "Done."):
        if step in MOVES:
            steer(actor=request.user, run=run, to=MOVES[step])
        else:
            form = BudgetForm(request.POST)
            if not form.is_valid():
                raise Refused("A budget is a positive number.", code="bad_budget")
            raise_budget(actor=request.user, run=run, **form.cleaned_data)
    return redirect("slogans", slug=slug)
