"""The exclusion rules of a release: what is declared, what is excluded, and the form of a new one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.site.pages import SignedInRequest, refusals_in
from reports.core.access import staff_only
from reports.core.addresses import release_or_404
from reports.exclusions.actions import declare_rule
from reports.exclusions.forms import RuleForm
from reports.exclusions.objections import rules_document
from reports.exclusions.rules import GROUNDS


@staff_only
@require_http_methods(["GET", "POST"])
def exclusions(request: SignedInRequest, name: str) -> HttpResponse:
    """Rules, objections and the form; POST declares a rule."""
    release = release_or_404(name)
    form = RuleForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            declare_rule(actor=request.user, release=release, **form.cleaned_data)
            messages.success(request, "Declared. The scores show figures with and without the rule.")
            return redirect("exclusions", name=name)
    found = rules_document(release)
    context = {
        "release": release,
        "form": form,
        "found": found,
        "words": GROUNDS,
        "rules": [{**rule, "words": [GROUNDS[key] for key in rule["grounds"]]} for rule in found["rules"]],
        "objections": [{**row, "words": GROUNDS[row["ground"]]} for row in found["objections"]],
    }
    return render(request, "reports/exclusions/exclusions.html", context, status=422 if form.errors else 200)
