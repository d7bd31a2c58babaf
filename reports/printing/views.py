"""Asking for a printed report, following it, and taking its file."""

from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import staff_only
from accounts.site.pages import SignedInRequest, refusals_in, told
from reports.core.choosing import PARAMETERS
from reports.core.requests import release_or_404
from reports.models import ReportJob, ReportState
from reports.printing.files import path_of
from reports.printing.forms import ReportForm
from reports.printing.jobs import ask_report, cancel_report, has_file, order_of, retry_report
from reports.printing.pages import pdf_problem

SHOWN = 50


@staff_only
@require_http_methods(["GET", "POST"])
def report_jobs(request: SignedInRequest, name: str) -> HttpResponse:
    """The latest reports of a release; POST asks for one."""
    release = release_or_404(name)
    asked = {key: request.GET[key] for key in PARAMETERS if key in request.GET}
    form = ReportForm(release, request.POST if request.method == "POST" else None, initial=asked)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            job = ask_report(actor=request.user, order=form.order(release))
            return redirect("report-job", pk=job.pk)
    rows = release.report_jobs.select_related("campaign", "asked_by").order_by("-pk")[:SHOWN]
    context = {"release": release, "form": form, "jobs": rows, "pdf_problem": pdf_problem()}
    return render(request, "reports/printing/report_jobs.html", context, status=400 if form.errors else 200)


@staff_only
@require_GET
def report_job(request: SignedInRequest, pk: int) -> HttpResponse:
    """One report; with the header X-Fragment only the part that moves."""
    job = _job(pk)
    running = job.state in (ReportState.QUEUED, ReportState.RUNNING)
    fragment = request.headers.get("X-Fragment") == "progress"
    template = "reports/printing/_report_job.html" if fragment else "reports/printing/report_job.html"
    context = {"job": job, "running": running, "has_file": has_file(job)}
    return render(request, template, context)


@staff_only
@require_POST
def steer_report(request: SignedInRequest, pk: int, verb: str) -> HttpResponse:
    """Cancel a report, or try a failed one again."""
    act = {"cancel": cancel_report, "retry": retry_report}.get(verb)
    if act is None:
        raise Http404
    with told(request):
        act(actor=request.user, job=_job(pk))
    return redirect("report-job", pk=pk)


@staff_only
@require_GET
def report_file(request: SignedInRequest, pk: int) -> HttpResponseBase:
    """The printed file, as a download that nothing on the way keeps; back to the report when it is gone."""
    job = _job(pk)
    if job.state == ReportState.DONE and not has_file(job):
        return redirect("report-job", pk=pk)
    return file_response(job)


def file_response(job: ReportJob) -> FileResponse:
    """The file of a report that is done. Raises Http404 when there is none, or it was removed."""
    try:
        file = path_of(job.file).open("rb") if job.file else None
    except (OSError, ValueError) as error:
        raise Http404("The file is no longer there.") from error
    if file is None:
        raise Http404("There is no file.")
    name = f"{order_of(job).file_name}-{job.pk}{path_of(job.file).suffix}"
    kind = "application/zip" if job.per else "application/pdf"
    response = FileResponse(file, as_attachment=True, filename=name, content_type=kind)
    response["Cache-Control"] = "private, no-store"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _job(pk: int) -> ReportJob:
    return get_object_or_404(ReportJob.objects.select_related("release", "campaign", "asked_by"), pk=pk)
