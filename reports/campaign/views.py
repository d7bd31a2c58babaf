"""Results of one campaign: progress, the reliability of each question, signs that reviewers need a second look.

None of these pages names a system, so that they may be read before the campaign is closed; but for the one that says
whether blinding held, which counts guesses by true system and is for owners.
"""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import owner_only, staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, refusals_in
from annotation.models import Campaign
from annotation.training.reading import training_rows
from reports.campaign import pages as campaign_pages
from reports.campaign.blinding import blinding as blinding_of
from reports.campaign.calibration import calibration_agreement
from reports.campaign.results import campaign_results, monitored_reviewers, question_reliability
from reports.core.cells import number_cell
from reports.core.choosing import only_known
from reports.core.downloads import table_download
from reports.core.requests import explains_refusals, staff_page
from reports.exclusions.objections import excluded_of
from reports.verdicts.copies import copy_verdicts, verdicts_document
from reports.verdicts.forms import VerdictsForm

FIGURES = {
    "progress": campaign_pages.progress_rows,
    "coverage": campaign_pages.coverage_rows,
    "flags": campaign_pages.flag_rows,
}


def campaign_or_404(slug: str) -> Campaign:
    return get_object_or_404(Campaign.objects.select_related("release", "rubric"), slug=slug)


@staff_page
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Progress over time, coverage by domain, agreement so far."""
    only_known(request.GET)
    campaign = campaign_or_404(slug)
    document = campaign_results(campaign)
    sections = campaign_pages.results_sections(document, today=timezone.now().date())
    context = {"campaign": campaign, "excluded": _excluded(campaign), **sections}
    return render(request, "reports/campaign/campaign_results.html", context)


def _excluded(campaign: Campaign) -> int:
    """How many of the campaign's problems the primary rule leaves out of scores."""
    names = excluded_of(campaign.release)
    out = campaign.items.filter(instance__key__in=names).values("instance").distinct()
    return out.count() if names else 0


@staff_page
def results_csv(request: HttpRequest, slug: str, figure: str) -> HttpResponseBase:
    """The numbers behind one of FIGURES."""
    if figure not in FIGURES:
        raise Refused(f"There is no figure {figure!r}; there are: {', '.join(FIGURES)}.", code="no_figure")
    document = campaign_results(campaign_or_404(slug))
    return table_download(FIGURES[figure](document), f"{figure}-{slug}.csv")


@staff_page
def question(request: HttpRequest, slug: str, question: str) -> HttpResponse:
    """How far the experts agree on one question."""
    only_known(request.GET, "more")
    campaign = campaign_or_404(slug)
    document = question_reliability(campaign, question, request.GET.get("more", ""))
    sections = campaign_pages.reliability_sections(document)
    context = {"campaign": campaign, "document": document, "excluded": _excluded(campaign), **sections}
    return render(request, "reports/campaign/question.html", context)


@staff_page
def question_csv(request: HttpRequest, slug: str, question: str) -> HttpResponseBase:
    """Agreement of every two experts on one question."""
    document = question_reliability(campaign_or_404(slug), question)
    return table_download(campaign_pages.reliability_rows(document), f"agreement-{slug}-{question}.csv")


@staff_page
def monitoring(request: HttpRequest, slug: str) -> HttpResponse:
    """Severity, drift, agreement and time of every reviewer, by name."""
    only_known(request.GET)
    campaign = campaign_or_404(slug)
    sections = campaign_pages.monitoring_sections(monitored_reviewers(campaign))
    return render(request, "reports/campaign/monitoring.html", {"campaign": campaign, **sections})


@staff_page
def monitoring_csv(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The same as a table."""
    document = monitored_reviewers(campaign_or_404(slug))
    return table_download(campaign_pages.monitoring_rows(document), f"monitoring-{slug}.csv")


@staff_page
def calibration(request: HttpRequest, slug: str) -> HttpResponse:
    """Agreement of calibration rounds, blind and after the discussion."""
    only_known(request.GET)
    campaign = campaign_or_404(slug)
    document = calibration_agreement(campaign)
    sections = campaign_pages.calibration_sections(document)
    context = {"campaign": campaign, "document": document, **sections}
    return render(request, "reports/campaign/calibration.html", context)


@staff_only
@require_http_methods(["GET", "POST"])
@explains_refusals
def verdicts(request: SignedInRequest, slug: str) -> HttpResponse:
    """The verdicts that reviewers are shown after their answer; POST attaches them to a draft."""
    only_known(request.GET)
    campaign = campaign_or_404(slug)
    form = VerdictsForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            copy_verdicts(actor=request.user, campaign=campaign, **form.terms())
            return redirect("campaign-verdicts", slug=slug)
    context = {"campaign": campaign, "document": verdicts_document(campaign), "form": form}
    return render(request, "reports/campaign/verdicts.html", context)


@staff_page
def training_csv(request: HttpRequest, slug: str) -> HttpResponseBase:
    """What was answered to the training: a table of its own, no labels."""
    return table_download(training_rows(campaign_or_404(slug)), f"training-{slug}.csv")


@owner_only
@require_GET
@explains_refusals
def blinding(request: HttpRequest, slug: str) -> HttpResponse:
    """Guesses by system with Bang's index, and James's index of the campaign."""
    only_known(request.GET)
    campaign = campaign_or_404(slug)
    document = blinding_of(campaign)
    context = {
        "campaign": campaign,
        "document": document,
        "rows": [(row, number_cell(row.bang) if row.bang else None) for row in document.systems],
        "james": number_cell(document.james) if document.james else None,
    }
    return render(request, "reports/campaign/blinding.html", context)
