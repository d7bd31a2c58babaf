"""Scores of systems next to those that others published, given on the page."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.refusal import Refused
from reports.comparison.views import asked_outcomes
from reports.core.cells import number_cell
from reports.core.requests import staff_page
from reports.external.document import external_document, read_external
from stats.core.display import minus, rounded

NO_INTERVAL = "No interval: too few systems, or the orders agree or disagree completely."


@staff_page
def external_scores(request: HttpRequest, name: str) -> HttpResponse:
    """The form; with scores (CSV, system,score), both scores of every system and their rank correlations."""
    asked = asked_outcomes(request, name, "scores")
    found = asked.found
    scores = request.GET.get("scores", "")
    document, problem = None, ""
    if scores.strip() and found:
        try:
            document = external_document(found, read_external(scores))
        except Refused as refusal:
            problem = refusal.reason
    correlations = []
    if document:
        for key, title in (("spearman", "Spearman’s rho"), ("kendall_tau_b", "Kendall’s tau-b")):
            cell = number_cell(document[key])
            if cell.value and not cell.interval:
                cell = replace(cell, reason=NO_INTERVAL)
            correlations.append((title, cell))
    context = {
        **asked.context,
        "outcome": found.kind if found else None,
        "scores": scores,
        "problem": problem,
        "document": document,
        "systems": [
            {**row, "cell": rounded(row["score"], places=3), "given": minus(f"{row['external']:.15g}")}
            for row in (document["systems"] if document else ())
        ],
        "correlations": correlations,
    }
    return render(request, "reports/external/external.html", context, status=400 if problem else 200)
