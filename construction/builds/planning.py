"""Pages before a build: recipes with their numbers, and the plan with an estimate."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from construction.builds.actions import begin
from construction.builds.estimating import chosen_sources, estimate
from construction.builds.forms import PlanForm, SourcesForm
from construction.builds.views import owner_only
from construction.models import Source, SourceState
from construction.pipeline import get_pipeline, pipeline_names
from construction.recipes.about import described
from stats.core.text import counted
from work.endpoints import no_endpoint_reason
from work.forms import BudgetForm


@staff_only
@require_GET
def recipe(request: HttpRequest, protocol: str) -> HttpResponse:
    """The recipe of a protocol: numbers with the paper's next to ours, stages, and prompts as they are sent."""
    _check(protocol)
    pipeline = get_pipeline(protocol)
    context = {
        "protocol": protocol,
        "protocols": pipeline_names(),
        "numbers": described(pipeline.numbers),
        "stages": pipeline.stages.items(),
        "prompts": pipeline.prompts,
    }
    return render(request, "construction/builds/recipe.html", context)


@owner_only
@require_http_methods(["GET", "HEAD", "POST"])
def new_build(request: SignedInRequest) -> HttpResponse:
    """A plan by GET shows what it would need; the same with a budget by POST begins the build."""
    sent = request.POST if request.method == "POST" else request.GET
    protocol = sent.get("protocol", "") or pipeline_names()[0]
    _check(protocol)
    planned = "name" in sent
    sources = SourcesForm(sent or None)
    form = PlanForm(protocol, sent if planned else None)
    budget = BudgetForm(request.POST if request.method == "POST" else None)
    narrowed = sources.cleaned_data if sources.is_bound and sources.is_valid() else {}
    chosen = chosen_sources(**narrowed)
    status, refusal, found = 200, None, None
    valid = planned and form.is_valid() and not sources.errors
    if valid:
        plan = form.plan()
        try:
            if request.method == "POST" and budget.is_valid():
                made = begin(actor=request.user, plan=plan, sources=chosen, **budget.cleaned_data)
                with told(
                    request, f"{counted(made.papers.count(), 'paper waits', 'papers wait')} to be read."
                ):
                    return redirect("build", name=made.name)
            found = estimate(
                protocol=protocol, numbers=dict(plan.numbers), sources=chosen, prompt_price=plan.prompt_price,
                completion_price=plan.completion_price,
            )  # fmt: skip
        except Refused as refused:
            refusal, status = refused.reason, 409
    if (planned and not valid) or budget.errors:
        status = 400
    context = {
        "protocol": protocol,
        "protocols": pipeline_names(),
        "sources": sources,
        "form": form,
        "budget": budget,
        "refusal": refusal,
        "estimate": found,
        "different": form.different() if valid else {},
        "n_chosen": chosen.count(),
        "n_without_domain": Source.objects.filter(state=SourceState.READABLE, domain="").count(),
        "no_endpoint": no_endpoint_reason(),
        "hidden": {name: value for name, value in sent.items() if name not in _OF_A_POST},
        "here": reverse("new-build"),
    }
    return render(request, "construction/builds/new.html", context, status=status)


_OF_A_POST = frozenset(("csrfmiddlewaretoken", "max_cost", "max_tokens"))


def _check(protocol: str) -> None:
    if protocol not in pipeline_names():
        raise Http404
