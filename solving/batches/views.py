"""The batch of a run on its page: export, download, upload of the results, and withdrawing."""

import sys
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from accounts.access import owner_only
from accounts.refusal import Refused
from accounts.rest.auth import is_console
from accounts.site.pages import SignedInRequest, told
from benchmark.importing.upload_handler import CappedFileHandler
from solving.batches.actions import Settled, export_batch, settle_batch, withdraw_batch
from solving.batches.queries import MEDIA_TYPE, batch_lines
from solving.models import SolveRun
from stats.core.text import counted


def results_handler(request: HttpRequest) -> CappedFileHandler:
    """What stops a file of results that is too large; at the console none is."""
    limit = sys.maxsize if is_console(request) else settings.IMPORT_MAX_BYTES
    words = f"The file is larger than {limit >> 20} MB. Make smaller batches, or use manage.py api, which has no limit."
    return CappedFileHandler(limit, words)


def sent_path(sent: UploadedFile | None, handler: object) -> Path:
    """Where an uploaded file of results is; raises Refused if there is none."""
    if isinstance(handler, CappedFileHandler) and handler.refusal:
        raise Refused(handler.refusal, code="too_large", field="file")
    if sent is None or not hasattr(sent, "temporary_file_path"):
        raise Refused("Choose the file with the results.", code="no_file", field="file")
    return Path(sent.temporary_file_path())


def download(run: SolveRun) -> StreamingHttpResponse:
    """The file of the questions that are out; raises Refused if none is."""
    reply = StreamingHttpResponse(batch_lines(run), content_type=MEDIA_TYPE)
    reply["Content-Disposition"] = f'attachment; filename="run-{run.pk}-batch.jsonl"'
    return reply


@csrf_exempt  # the check reads the whole body; _change makes it once the reader of the file is in place
@owner_only
@require_http_methods(["GET", "POST"])
def batch(request: SignedInRequest, pk: int) -> HttpResponseBase:
    """The file of the questions that are out; POST exports, settles results, or withdraws the batch."""
    if request.method == "GET":
        run = get_object_or_404(SolveRun, pk=pk)
        with told(request):
            return download(run)
        return redirect("solve-run", pk)
    handler = results_handler(request)
    request.upload_handlers = [handler]
    return _change(request, pk, handler)


@csrf_protect
def _change(request: SignedInRequest, pk: int, handler: CappedFileHandler) -> HttpResponseBase:
    run = get_object_or_404(SolveRun, pk=pk)
    step = request.POST.get("step", "")
    with told(request):
        if step == "export":
            count = export_batch(actor=request.user, run=run)
            messages.success(
                request, f"Out now: {counted(count, 'question')}. Download the file and send it."
            )
        elif step == "withdraw":
            count = withdraw_batch(actor=request.user, run=run)
            messages.success(
                request, f"{counted(count, 'question')} {'waits' if count == 1 else 'wait'} again."
            )
        elif step != "settle":
            raise Refused("A batch is exported, settled or withdrawn.", code="unknown_step", field="step")
        else:
            path = sent_path(request.FILES.get("file"), handler)
            messages.success(request, words_of(settle_batch(actor=request.user, run=run, path=path)))
    return redirect("solve-run", pk)


def words_of(settled: Settled) -> str:
    """What a file of results came to, in a sentence."""
    words = f"{counted(settled.settled, 'result')} stored, {settled.failed:,} failed"
    if settled.known:
        words += f"; {settled.known:,} were stored before"
    return f"{words}. {counted(settled.out, 'question')} {'is' if settled.out == 1 else 'are'} still out."
