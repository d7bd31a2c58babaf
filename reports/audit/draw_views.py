"""Planning a judge audit, and drawing it into a campaign."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, refusals_in
from annotation.models import Campaign, CampaignKind
from reports.audit.draw import audit_buckets, audit_rubrics, comparison, draw_audit
from reports.audit.forms import AuditForm, PlanForm
from reports.core.access import explains_refusals, staff_only
from reports.core.addresses import release_or_404
from reports.core.choosing import choose, only_known
from reports.core.wording import in_words
from reports.planning.page import strata_page


@staff_only
@require_http_methods(["GET", "POST"])
@explains_refusals
def audit_draw(request: SignedInRequest, name: str) -> HttpResponse:
    """The plan of an audit, by the address's parameters; POST draws exactly the plan that was shown."""
    release = release_or_404(name)
    # `n.STRATUM`: there is one for every stratum
    asked = {key: value for key, value in request.GET.dict().items() if not key.startswith("n.")}
    only_known(asked, "track", "judge", *PlanForm.base_fields)
    chosen = choose(release, request.GET)
    buckets = audit_buckets(chosen.release, chosen.track, chosen.judge)
    campaigns = Campaign.objects.filter(
        release=chosen.release, track=chosen.track, kind=CampaignKind.AUDIT, items__isnull=False
    ).distinct()
    plan_form = PlanForm(
        request.GET,
        buckets={bucket: in_words(bucket) for bucket in buckets},
        campaigns=campaigns.order_by("slug"),
    )
    plan = None
    if plan_form.is_valid():
        try:
            plan = plan_form.request(chosen.track, chosen.judge).plan(chosen.release)
        except Refused as refusal:
            field = refusal.field if refusal.field in plan_form.fields else None
            plan_form.add_error(field, refusal.reason)
    rubrics = audit_rubrics(release)
    form = AuditForm(request.POST or None, rubrics=rubrics, initial={"plan": plan.sha256 if plan else ""})
    if request.method == "POST" and plan and form.is_valid():
        terms = dict(form.cleaned_data)
        if terms.pop("plan") != plan.sha256:
            form.add_error(None, "The plan has changed since it was shown; look at the new one.")
        else:
            with refusals_in(form):
                campaign = draw_audit(actor=request.user, plan=plan, **terms)
                drawn = f"{plan.n_sampled} outputs are drawn; now assign and open the campaign."
                messages.success(request, drawn)
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
