"""The judge of one track against the experts: the page and the data behind its pictures."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from reports.audit import document as audits
from reports.audit.page import judge_audit_rows, judge_audit_sections
from reports.core.access import staff_page
from reports.core.addresses import chosen_of
from reports.core.choosing import Chosen
from reports.core.downloads import table_download
from reports.scores.inputs import collect_chosen
from reports.scores.success_types import types_of_successes


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
