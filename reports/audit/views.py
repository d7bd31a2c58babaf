"""The judge of one track against the experts, and the planning and drawing of an audit."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, refusals_in
from annotation.models import Campaign, CampaignKind
from reports.audit import document as audits
from reports.audit.draw import audit_buckets, audit_rubrics, comparison, draw_audit
from reports.audit.forms import AuditForm, PlanForm
from reports.audit.page import judge_audit_rows, judge_audit_sections
from reports.core.choosing import Chosen, choose, only_known
from reports.core.downloads import table_download
from reports.core.requests import chosen_of, explains_refusals, release_or_404, staff_page
from reports.core.wording import in_words
from reports.planning.page import strata_page
from reports.scores.inputs import collect_chosen
from reports.scores.success_types import types_of_successes
from stats.core.text import counted


@staff_page
def judge_audit(request: HttpRequest, name: str) -> HttpResponse:
    """Every audit of the chosen judge; without a judge or an audit, what to do."""
    chosen, document = _asked(request, name)
    sections = judge_audit_sections(document) if document else []
    context = {"chosen": chosen, "document": document, "audits": sections}
    return render(request, "reports/audit/judge_audit.html", context)


@staff_page
def judge_audit_csv(request: HttpRequest, name: str) -> HttpResponseBase:
    """Counts of judge against experts, by stratum."""
    chosen, document = _asked(request, name)
    rows = judge_audit_rows(document.audits if document else ())
    return table_download(rows, f"judge-audit-{name}-{chosen.track}.csv")


def _asked(request: HttpRequest, name: str) -> tuple[Chosen, audits.JudgeAudit | None]:
    chosen = chosen_of(request, name)
    if not chosen.judge:
        return chosen, None
    inputs = collect_chosen(chosen)
    return chosen, audits.judge_audit(inputs, types_of_successes(inputs))


@staff_only
@require_http_methods(["GET", "POST"])
@explains_refusals
def audit_draw(request: SignedInRequest, name: str) -> HttpResponse:
    """The plan of an audit, by the address's parameters; POST draws exactly the plan that was shown."""
    release = release_or_404(name)
    # `n.STRATUM`: there is one for every stratum
    asked = {key: value for key, value in request.GET.dict().items() if not key.startswith("n.")}
    only_known(asked, "track", "condition", "judge", "name", *PlanForm.base_fields)
    chosen = choose(release, request.GET)
    buckets = audit_buckets(chosen.release, chosen.track, chosen.judge, chosen.condition)
    campaigns = Campaign.objects.filter(
        release=chosen.release,
        track=chosen.track,
        kind=CampaignKind.AUDIT,
        items__output__run__condition=chosen.condition,
    ).distinct()
    plan_form = PlanForm(
        request.GET,
        buckets={bucket: in_words(bucket) for bucket in buckets},
        campaigns=campaigns.order_by("slug"),
    )
    plan = None
    if plan_form.is_valid():
        try:
            plan = plan_form.request(chosen).plan(chosen.release)
        except Refused as refusal:
            field = refusal.field if refusal.field in plan_form.fields else None
            plan_form.add_error(field, refusal.reason)
    rubrics = audit_rubrics(release)
    start = {"plan": plan.sha256 if plan else "", "name": asked.get("name", "")}
    form = AuditForm(request.POST or None, rubrics=rubrics, initial=start)
    if request.method == "POST" and plan and form.is_valid():
        terms = dict(form.cleaned_data)
        if terms.pop("plan") != plan.sha256:
            form.add_error(None, "The plan has changed since it was shown; look at the new one.")
        else:
            with refusals_in(form):
                campaign = draw_audit(actor=request.user, plan=plan, **terms)
                drawn = counted(plan.n_sampled, "output is", "outputs are")
                messages.success(request, f"{drawn} drawn; now assign and open the campaign.")
                return redirect("campaign", slug=campaign.slug)
    context = {
        "chosen": chosen,
        "plan_form": plan_form,
        "plan": plan,
        "form": form if rubrics else None,
        "comparison": strata_page(comparison(plan, plan_form.wanted_half_width)) if plan else None,
    }
    refused = plan_form.errors or form.errors
    return render(request, "reports/audit/audit_draw.html", context, status=400 if refused else 200)
