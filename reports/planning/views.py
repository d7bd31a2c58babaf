"""The planner: how many audits, items or comparisons a question needs. No row is read or written."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from reports.core.choosing import only_known
from reports.core.requests import explains_refusals
from reports.planning import page as plan_page
from reports.planning.forms import AgreementForm, ComparisonForm, PlannerForm, ProportionForm, StrataForm


@dataclass(frozen=True)
class PlannerPage:
    """One page of the planner: its address, form, and how its document is shown."""

    address: str
    title: str
    form: type[PlannerForm]
    shown: Callable[[plan_page.Document], Mapping[str, object]]

    @property
    def template(self) -> str:
        return f"reports/planning/{self.address.replace('-', '_')}.html"


QUESTIONS = (
    PlannerPage("plan-strata", "Audit of a judge", StrataForm, plan_page.strata_page),
    PlannerPage("plan-agreement", "Agreement", AgreementForm, plan_page.agreement_page),
    PlannerPage("plan-comparison", "Two systems", ComparisonForm, plan_page.comparison_page),
    PlannerPage("plan-proportion", "One proportion", ProportionForm, plan_page.proportion_page),
)


@login_required
@require_GET
@explains_refusals
def plan(request: HttpRequest, question: str) -> HttpResponse:
    """The plan that the address asks for; without parameters a worked example."""
    asked = next(known for known in QUESTIONS if known.address == question)
    only_known(request.GET, *asked.form.base_fields)
    defaults = {name: field.initial for name, field in asked.form.base_fields.items()}
    form = asked.form(request.GET or defaults)
    document = form.document()
    context = {
        "questions": QUESTIONS,
        "asked": asked,
        "form": form,
        "plan": asked.shown(document) if document else None,
    }
    return render(request, asked.template, context, status=200 if document else 400)
