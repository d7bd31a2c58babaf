"""Somebody's own label file: received, its columns named, analysed, shown, deleted."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from benchmark.importing.upload_handler import CappedFileHandler
from reports.analysing import uploads
from reports.analysing.forms import AnalysisForm, UploadForm
from reports.analysing.page import analysis_page
from reports.analysing.requests import from_row
from reports.core.requests import explains_refusals
from reports.models import LabelUpload, UploadState
from stats.analyses import running

_OTHER_FIELDS = 64 * 1024  # bytes of a multipart body besides the file: boundaries, token, names


class LabelFileHandler(CappedFileHandler):
    """Stops at `limit` bytes and at the first NUL, which no table has. `refusal` then says why."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit, too_large(limit))

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if b"\0" in raw_data:
            self.stop(
                "The file contains NUL bytes, so it is not a text table. Save it as CSV or JSONL in UTF-8."
            )
        super().receive_data_chunk(raw_data, start)


def too_large(limit: int) -> str:
    """What to do about a file of more than `limit` bytes."""
    return (
        f"The file is larger than {limit >> 20} MB. Leave out columns that the analysis does not need, "
        "or use manage.py analyse, which has no limit."
    )


@csrf_exempt  # the check reads the whole body; _receive makes it once the reader of the file is in place
@login_required
@require_http_methods(["GET", "POST"])
def analyse(request: SignedInRequest) -> HttpResponse:
    """The place to drop a file, and one's files that are still here."""
    if request.method == "GET":
        return _start(request, UploadForm())
    limit = settings.ANALYSE_MAX_BYTES
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit + _OTHER_FIELDS:
        return _start(request, UploadForm(), refusal=too_large(limit), status=413)
    handler = LabelFileHandler(limit)
    request.upload_handlers = [handler]
    return _receive(request, handler)


@csrf_protect
def _receive(request: SignedInRequest, handler: LabelFileHandler) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    if handler.refusal:
        return _start(request, UploadForm(), refusal=handler.refusal, status=400)
    if not form.is_valid():
        return _start(request, form, status=400)
    sent = form.cleaned_data["file"]
    try:
        upload = uploads.store_upload(
            actor=request.user, path=Path(sent.temporary_file_path()), name=sent.name
        )
    except Refused as refusal:
        return _start(request, UploadForm(), refusal=refusal.reason, status=400)
    return redirect("analyse-file", handle=upload.handle)


def _start(
    request: SignedInRequest, form: UploadForm, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "refusal": refusal,
        "limit": settings.ANALYSE_MAX_BYTES,
        "minutes": settings.ANALYSE_KEEP_MINUTES,
        "mine": request.user.label_uploads.order_by("created_at"),
    }
    return render(request, "reports/analysing/analyse.html", context, status=status)


def _own(request: SignedInRequest, handle: str) -> LabelUpload:
    return get_object_or_404(LabelUpload, handle=handle, owner=request.user)


@login_required
@require_http_methods(["GET", "POST"])
@explains_refusals
def analyse_file(request: SignedInRequest, handle: str) -> HttpResponse:
    """First rows, columns, options; below them the answer, or how far it is."""
    upload = _own(request, handle)
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "reports/analysing/_upload_state.html", {"upload": upload})
    asked = from_row(upload.asked) if upload.asked else None
    form = AnalysisForm(request.POST or None, peek=uploads.first_rows(upload), asked=asked)
    if request.method == "POST" and form.is_valid():
        try:
            uploads.request_analysis(actor=request.user, upload=upload, asked=form.cleaned_data["request"])
            return redirect(f"{request.path}#answer")
        except Refused as refusal:
            form.add_error(None, refusal.reason)
    answer = None
    if upload.state == UploadState.DONE:
        answer = analysis_page(upload.asked["analysis"], uploads.document_of(upload))
    context = {"upload": upload, "form": form, "answer": answer}
    return render(request, "reports/analysing/analyse_file.html", context, status=400 if form.errors else 200)


@login_required
@require_GET
def analyse_json(request: SignedInRequest, handle: str) -> HttpResponse:
    """The document as the command prints it with --json."""
    upload = get_object_or_404(_done(request), handle=handle)
    return _download(upload, f"{upload.document}\n", "application/json", "json")


@login_required
@require_GET
def analyse_text(request: SignedInRequest, handle: str) -> HttpResponse:
    """The document as the command prints it."""
    upload = get_object_or_404(_done(request), handle=handle)
    written = running.text(upload.asked["analysis"], uploads.document_of(upload))
    return _download(upload, f"{written}\n", "text/plain; charset=utf-8", "txt")


def _done(request: SignedInRequest) -> Any:
    return LabelUpload.objects.filter(owner=request.user, state=UploadState.DONE)


def _download(upload: LabelUpload, content: str, content_type: str, ending: str) -> HttpResponse:
    answer = HttpResponse(content, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{upload.asked["analysis"]}.{ending}"'
    return answer


@login_required
@require_POST
def analyse_delete(request: SignedInRequest, handle: str) -> HttpResponse:
    """File and answer go at once."""
    uploads.delete_upload(actor=request.user, upload=_own(request, handle))
    messages.success(request, "File and answer are deleted.")
    return redirect("analyse")
