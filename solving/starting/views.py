"""The page of a new run: an estimate, the first questions to read, and the beginning."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import owner_only
from accounts.site.pages import SignedInRequest, refusals_in
from solving.runs.actions import begin
from solving.runs.queries import first_questions
from solving.starting.estimating import MOST_QUESTIONS, TooMany
from solving.starting.forms import RunForm
from solving.starting.queries import estimated, typical, years_ahead
from work.endpoints import no_endpoint_reason


@owner_only
@require_http_methods(["GET", "POST"])
def new_run(request: SignedInRequest) -> HttpResponse:
    """POST with step=estimate, step=questions, or step=begin."""
    form = RunForm(request.POST or None, initial=request.GET.dict())
    context: dict[str, object] = {"form": form, "no_endpoint": no_endpoint_reason()}
    if form.is_valid():
        step = request.POST.get("step", "estimate")
        solver, order = form.cleaned_data["solver"], form.order()
        with refusals_in(form):
            if step == "begin":
                made = begin(actor=request.user, solver=solver, order=order)
                return redirect("solve-run", made.pk)
            given, attempts = typical(solver, order)
            context |= {"years": years_ahead(order), "release": order.release}
            context |= {"order": order, "solver": solver, "estimate": None, "too_many": 0}
            try:
                draft = form.cleaned_data["draft"]
                context["estimate"] = estimated(solver, order, given, attempts, draft=draft)
            except TooMany:
                context["too_many"] = MOST_QUESTIONS
            if step == "questions":
                context["questions"] = first_questions(solver, given)
                context["asked_about"] = given.instance
    status = 400 if form.errors else 200
    return render(request, "solving/starting/new.html", context, status=status)
