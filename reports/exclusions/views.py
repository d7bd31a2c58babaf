"""The exclusion rules of a release: what is declared, what is excluded, and the form of a new one."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from reports.core.requests import release_or_404
from reports.exclusions.actions import declare_rule
from reports.exclusions.objections import rules_document
from reports.exclusions.rules import DUPLICATE, GROUNDS


class RuleForm(forms.Form):
    """The terms of a rule; the action checks what needs rows."""

    name = forms.SlugField(
        max_length=100, help_text="Short, such as leaked-by-two; it is shown with figures."
    )
    grounds = forms.MultipleChoiceField(
        choices=list(GROUNDS.items()),
        widget=forms.CheckboxSelectMultiple,
        label="An instance is excluded on any of these grounds",
    )
    at_least = forms.IntegerField(
        min_value=1, max_value=25, initial=2, label="Least number of reviewers who say so"
    )
    reason = forms.CharField(max_length=1000, widget=forms.Textarea(attrs={"rows": 2}))
    primary = forms.BooleanField(
        required=False,
        label="Primary: scores and comparisons of the release leave these instances out",
        help_text="Only one rule, and only before a campaign of the release is unblinded. Declare it before the first "
        "campaign is closed: afterwards it is marked as late.",
    )


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
        "rules": [
            {
                **rule,
                "words": [GROUNDS[key] for key in rule["grounds"] if key != DUPLICATE],
                "duplicates": DUPLICATE in rule["grounds"],
            }
            for rule in found["rules"]
        ],
        "objections": [{**row, "words": GROUNDS[row["ground"]]} for row in found["objections"]],
    }
    return render(request, "reports/exclusions/exclusions.html", context, status=422 if form.errors else 200)
