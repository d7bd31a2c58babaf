"""The page on which stored labels are analysed as `manage.py analyse` analyses a file."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.refusal import Refused
from reports.analysing.forms import CHOICES, OptionsForm
from reports.analysing.page import analysis_page
from reports.analysing.stored import STORED, closed_campaigns, stored_document
from reports.core.choosing import Chosen
from reports.core.forms import offer
from reports.core.requests import chosen_of, staff_page
from reports.exclusions.objections import excluded_of


class StoredForm(OptionsForm):
    """The options with the campaign whose labels are meant; the track and the judge are chosen as on other pages."""

    campaign = forms.ChoiceField(required=False, label="Labels of")
    MAIN = ("campaign", *OptionsForm.MAIN)
    OTHERS = tuple(name for name in OptionsForm.OTHERS if name != "k")

    def __init__(self, data: Any, *, chosen: Chosen) -> None:
        campaigns = closed_campaigns(chosen)
        super().__init__(
            data, initial={"analysis": "agreement", "campaign": campaigns[0].slug if campaigns else ""}
        )
        del self.fields["k"]
        offer(self, "analysis", [(name, title) for name, title in CHOICES if name in STORED])
        nothing = ("", "No campaign: the judge’s verdicts only")
        offer(self, "campaign", [nothing, *((found.slug, found.name) for found in campaigns)])


@staff_page
def stored_analysis(request: HttpRequest, name: str) -> HttpResponse:
    """The form; below it, once an analysis is asked for, its answer."""
    chosen = chosen_of(request, name, *OptionsForm.base_fields, "campaign")
    form = StoredForm(request.GET if "analysis" in request.GET else None, chosen=chosen)
    answer = None
    if form.is_bound and form.is_valid():
        try:
            asked = form.cleaned_data["request"]
            document = stored_document(chosen, form.cleaned_data["campaign"], asked)
            answer = analysis_page(asked.analysis, document)
        except Refused as refusal:
            form.add_error(None, refusal.reason)
    excluded = len(excluded_of(chosen.release))
    context = {"chosen": chosen, "form": form, "answer": answer, "excluded": excluded}
    status = 400 if form.errors else 200
    return render(request, "reports/analysing/stored_analysis.html", context, status=status)
