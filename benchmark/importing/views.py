"""Pages of imports: a file is uploaded, its dry run read, then imported as it was shown."""

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from benchmark.collecting.showing import summarise
from benchmark.importing.archives import MAX_BYTES, MAX_MEMBERS
from benchmark.importing.folders import MAX_DOCUMENT_BYTES
from benchmark.importing.forms import IMPORT_FORMS, ImportForm
from benchmark.importing.upload_handler import CappedFileHandler
from benchmark.importing.uploading import KEEP, apply_import, delete_import, how_far, store_import
from benchmark.models import ImportState, ImportUpload

FAULTS_ON_A_PAGE = 100
_OTHER_FIELDS = 64 * 1024


@staff_only
@require_GET
def imports(request: SignedInRequest) -> HttpResponse:
    """The user's files that are still stored, and links to upload another."""
    return render(
        request, "benchmark/importing/imports.html", {"uploads": _own(request).order_by("-created_at")}
    )


@csrf_exempt  # the check reads the whole body; _receive makes it once the reader of the file is in place
@staff_only
@require_http_methods(["GET", "POST"])
def import_new(request: SignedInRequest, kind: str) -> HttpResponse:
    """The form of one kind; POST stores the file and shows its dry run."""
    form_class = IMPORT_FORMS[kind]
    if request.method == "GET":
        asked = {name: request.GET[name] for name in ("release", "protocol") if name in request.GET}
        return _form_page(request, form_class(initial=asked))
    limit = settings.IMPORT_MAX_BYTES
    words = f"The file is larger than {limit >> 20} MB. manage.py import_{kind} has no limit."
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit + _OTHER_FIELDS:
        return _form_page(request, form_class(), refusal=words, status=413)
    handler = CappedFileHandler(limit, words)
    request.upload_handlers = [handler]
    return _receive(request, form_class, handler)


@csrf_protect
def _receive(
    request: SignedInRequest, form_class: type[ImportForm], handler: CappedFileHandler
) -> HttpResponse:
    form = form_class(request.POST, request.FILES)
    if handler.refusal:
        return _form_page(request, form_class(), refusal=handler.refusal, status=400)
    if not form.is_valid():
        return _form_page(request, form, status=400)
    path, name = form.stored_file()
    try:
        upload = store_import(
            actor=request.user,
            path=path,
            name=name,
            kind=form.kind,
            terms=form.terms(),
        )
    except Refused as refusal:
        return _form_page(request, form, refusal=refusal.reason, status=400)
    return redirect("import", handle=upload.handle)


def _form_page(
    request: SignedInRequest, form: ImportForm, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "refusal": refusal,
        "limit": settings.IMPORT_MAX_BYTES,
        "archive": MAX_BYTES,
        "members": MAX_MEMBERS,
        "document": MAX_DOCUMENT_BYTES,
        "hours": int(KEEP.total_seconds() // 3600),
    }
    return render(request, form.template, context, status=status)


@staff_only
@require_GET
def import_page(request: SignedInRequest, handle: str) -> HttpResponse:
    """The state of the file: what its dry run found, every problem by page, or what was imported."""
    upload = get_object_or_404(_own(request), handle=handle)
    context: dict[str, object] = {"upload": upload, "far": how_far(upload) if upload.is_busy else None}
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "benchmark/importing/_import_state.html", context)
    if upload.state == ImportState.RECOGNISED:
        return redirect("import-mapping", handle=handle)
    context["kinds"] = summarise(upload.faults)
    context["page"] = Paginator(upload.faults, FAULTS_ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "benchmark/importing/import.html", context)


@staff_only
@require_POST
def import_apply(request: SignedInRequest, handle: str) -> HttpResponse:
    """Import what the dry run showed."""
    upload = get_object_or_404(_own(request), handle=handle)
    with told(request):
        apply_import(actor=request.user, upload=upload, seen=request.POST.get("checked", ""))
    return redirect("import", handle=handle)


@staff_only
@require_POST
def import_delete(request: SignedInRequest, handle: str) -> HttpResponse:
    """Delete the stored file; what was imported stays."""
    upload = get_object_or_404(_own(request), handle=handle)
    with told(request, f"{upload.file_name} has been deleted."):
        delete_import(actor=request.user, upload=upload)
        return redirect("imports")
    return redirect("import", handle=handle)


def _own(request: SignedInRequest) -> QuerySet[ImportUpload]:
    return ImportUpload.objects.filter(owner=request.user)
