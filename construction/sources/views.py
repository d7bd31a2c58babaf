"""Pages of sources, for coordinators and owners."""

from pathlib import Path

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, refusals_in, told
from benchmark.importing.upload_handler import CappedFileHandler
from benchmark.rendering.stored import rendered
from construction.models import Build, BuildPaper, Outcome, Publication, Source, SourceState, SourceUpload
from construction.reading.pairs import Place
from construction.sources.actions import (
    NOT_MAIN,
    choose_main,
    describe_source,
    pair_otherwise,
    remove_source,
    undo_main,
    undo_pairing,
)
from construction.sources.advice import what_to_do
from construction.sources.forms import DescriptionForm, FilterForm, UploadForm, description_of
from construction.sources.manifest import COLUMNS, Fault, FaultyManifest
from construction.sources.matching import decide, differing, questions
from construction.sources.queries import counted_by, listed
from construction.sources.showing import contents_of, part_of, proof_at, statements_by_file
from construction.sources.uploading import (
    KEEP,
    add_upload,
    discard_upload,
    progress_of,
    store_upload,
    try_again,
    uploads,
    without_file,
)
from work.models import RunState, TaskState

ON_A_PAGE = 100
CASES_ON_A_PAGE = 20
MOST_FILES = 100  # in one form: what Django accepts
_OTHER_FIELDS = 64 * 1024


@staff_only
@require_GET
def construction(request: HttpRequest) -> HttpResponse:
    """What there is: sources and builds."""
    counts = {"n_sources": Source.objects.count(), "n_builds": Build.objects.count()}
    return render(request, "construction/construction.html", counts)


@staff_only
@require_GET
def sources(request: HttpRequest) -> HttpResponse:
    """Sources by state, code, domain, category and licence, with counts."""
    form = FilterForm(request.GET)
    wanted = {name: value for name, value in form.cleaned_data.items() if value} if form.is_valid() else {}
    if wanted.get("licence") == "unknown":
        wanted["licence"] = ""
    page = Paginator(listed().filter(**wanted), ON_A_PAGE).get_page(request.GET.get("page"))
    codes = [(code, times, what_to_do(code)) for code, times in counted_by("code") if code]
    context = {
        "page": page,
        "rows": [(source, what_to_do(source.code)) for source in page],
        "wanted": wanted,
        "total": Source.objects.count(),
        "states": [(state, SourceState(state).label, times) for state, times in counted_by("state")],
        "codes": codes,
        "domains": counted_by("domain"),
        "categories": counted_by("category"),
        "licences": counted_by("licence"),
        "open_questions": questions().count(),
        "uploads": uploads()[:5],
    }
    return render(request, "construction/sources/sources.html", context)


@csrf_exempt  # the check reads the whole body; _receive makes it once the reader of the files is in place
@staff_only
@require_http_methods(["GET", "POST"])
def add_sources(request: SignedInRequest) -> HttpResponse:
    """The form for archives and a manifest; POST stores them and shows their dry run."""
    if request.method == "GET":
        return _upload_form(request, UploadForm())
    limit = settings.IMPORT_MAX_BYTES
    words = f"The files have more than {limit >> 20} MB. manage.py import_sources has no limit."
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit + _OTHER_FIELDS:
        return _upload_form(request, UploadForm(), refusal=words, status=413)
    handler = CappedFileHandler(limit, words)
    request.upload_handlers = [handler]
    return _receive(request, handler)


@csrf_protect
def _receive(request: SignedInRequest, handler: CappedFileHandler) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    if handler.refusal:
        return _upload_form(request, UploadForm(), refusal=handler.refusal, status=400)
    if not form.is_valid():
        return _upload_form(request, form, status=400)
    files = [(one.name, Path(one.temporary_file_path())) for one in form.cleaned_data["archives"]]
    manifest = form.cleaned_data["manifest"]
    try:
        upload = store_upload(actor=request.user, files=files, manifest=manifest.read() if manifest else None)
    except FaultyManifest as faulty:
        words = f"The manifest cannot be used: {len(faulty.faults):,} faults. Nothing was stored."
        return _upload_form(request, UploadForm(), refusal=words, faults=faulty.faults, status=400)
    except Refused as refusal:
        return _upload_form(request, UploadForm(), refusal=refusal.reason, status=400)
    return redirect("source-upload", pk=upload.pk)


def _upload_form(
    request: SignedInRequest,
    form: UploadForm,
    *,
    refusal: str = "",
    faults: list[Fault] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form, "refusal": refusal, "faults": (faults or [])[:200], "limit": settings.IMPORT_MAX_BYTES,
        "most": MOST_FILES, "columns": COLUMNS, "uploads": uploads()[:10],
    }  # fmt: skip
    return render(request, "construction/sources/add.html", context, status=status)


@staff_only
@require_GET
def source_upload(request: SignedInRequest, pk: int) -> HttpResponse:
    """The archives of an upload: what the dry run found in each, or what was added."""
    upload = get_object_or_404(uploads(), pk=pk)
    counts = progress_of(upload)
    running = upload.state == RunState.RUNNING
    context: dict[str, object] = {"upload": upload, "counts": counts, "running": running}
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "construction/sources/_upload_state.html", context)
    rows = upload.archives.select_related("source").exclude(outcome=Outcome.UNPACKED).order_by("pk")
    shown = request.GET.get("show", "")
    if shown == "codes":
        rows = rows.exclude(code="", state=TaskState.DONE)
    page = Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))
    codes: dict[str, int] = {}
    for code in upload.archives.exclude(code="").values_list("code", flat=True):
        codes[code] = codes.get(code, 0) + 1
    context |= {
        "page": page,
        "rows": [(archive, what_to_do(archive.code)) for archive in page],
        "shown": shown,
        "codes": [(code, times, what_to_do(code)) for code, times in sorted(codes.items())],
        "missing": [] if running else without_file(upload),
        "days": KEEP.days,
    }
    return render(request, "construction/sources/upload.html", context)


@staff_only
@require_POST
def steer_upload(request: SignedInRequest, pk: int) -> HttpResponse:
    """Add what the dry run showed, read again what failed, or discard the upload."""
    upload = get_object_or_404(SourceUpload, pk=pk)
    step = request.POST.get("step", "")
    with told(request):
        if step == "add":
            add_upload(actor=request.user, upload=upload)
        elif step == "again":
            try_again(upload=upload)
        elif step == "discard":
            discard_upload(upload=upload)
            return redirect("sources")
        else:
            raise Refused(f"{step!r} is not a step; choose add, again or discard.", code="bad_step")
    return redirect("source-upload", pk=pk)


@staff_only
@require_GET
def source(request: SignedInRequest, pk: int) -> HttpResponse:
    """A source: its files, one of them with the chosen range, and what was found in it."""
    return _source_page(request, pk)


@staff_only
@require_POST
def describe(request: SignedInRequest, pk: int) -> HttpResponse:
    """Change what is known of a source."""
    shown = get_object_or_404(Source, pk=pk)
    form = DescriptionForm(request.POST)
    if form.is_valid():
        with refusals_in(form):
            describe_source(actor=request.user, source=shown, changes=form.changes())
    if form.errors:
        return _source_page(request, pk, form)
    with told(request, "Saved."):
        return redirect("source", pk=pk)


@staff_only
@require_POST
def change_main(request: SignedInRequest, pk: int) -> HttpResponse:
    """Choose the main file, or undo the choice."""
    shown = get_object_or_404(Source, pk=pk)
    with told(request, "Done."):
        if "undo" in request.POST:
            undo_main(actor=request.user, source=shown)
        else:
            choose_main(actor=request.user, source=shown, path=request.POST.get("main", ""))
    return redirect("source", pk=pk)


@staff_only
@require_POST
def pair(request: SignedInRequest, pk: int) -> HttpResponse:
    """Say which statement a proof proves, or undo it; back to the proof."""
    shown = get_object_or_404(Source, pk=pk)
    file, start = proof = _place(request.POST.get("proof", ""))
    with told(request, "Done."):
        if "undo" in request.POST:
            undo_pairing(actor=request.user, source=shown, proof=proof)
        else:
            said = request.POST.get("statement", "")
            statement = None if said == "none" else _place(said)
            pair_otherwise(actor=request.user, source=shown, proof=proof, statement=statement)
    query = urlencode({"file": file, "start": str(start), "end": str(_number(request.POST.get("end", "")))})
    return redirect(f"{reverse('source', args=[pk])}?{query}#marked")


@staff_only
@require_POST
def remove(request: SignedInRequest, pk: int) -> HttpResponse:
    """Remove a source that no build uses."""
    shown = get_object_or_404(Source, pk=pk)
    with told(request, f"{shown} was removed."):
        remove_source(actor=request.user, source=shown)
        return redirect("sources")
    return redirect("source", pk=pk)


@staff_only
@require_GET
def archive(request: SignedInRequest, pk: int) -> HttpResponse:
    """The bytes that were submitted, as a download."""
    # The bytes of archives of more than 50 MB are not kept.
    kept = Source.objects.filter(archive__isnull=False).exclude(archive__data=b"")
    shown = get_object_or_404(kept.select_related("archive"), pk=pk)
    reply = HttpResponse(bytes(shown.archive.data), content_type="application/octet-stream")
    reply["Content-Disposition"] = content_disposition_header(True, f"{shown.sha256[:16]}.source") or ""
    reply["X-Content-Type-Options"] = "nosniff"
    return reply


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def matching(request: SignedInRequest) -> HttpResponse:
    """Pairs of a source and a published paper about which the program asks; POST answers one."""
    show = "decided" if request.GET.get("show") == "decided" else "open"
    address = f"{reverse('source-matching')}?show={show}"
    if request.method == "POST":
        pair = get_object_or_404(Publication, pk=_number(request.POST.get("pair", "")))
        with told(request):
            decide(actor=request.user, publication=pair, decision=request.POST.get("decision", ""))
        following = request.POST.get("next", "")
        return redirect(f"{address}#pair-{_number(following)}" if following else address)
    page = Paginator(questions(show), CASES_ON_A_PAGE).get_page(request.GET.get("page"))
    pairs = list(page)
    context = {
        "page": page,
        "cases": [
            (pair, differing(pair), pairs[index + 1].pk if index + 1 < len(pairs) else "")
            for index, pair in enumerate(pairs)
        ],
        "show": show,
        "n_open": questions().count(),
        "n_decided": questions("decided").count(),
        "mine": questions("decided").filter(decided_by=request.user).first(),
    }
    return render(request, "construction/sources/matching.html", context)


def _source_page(request: SignedInRequest, pk: int, form: DescriptionForm | None = None) -> HttpResponse:
    shown = get_object_or_404(
        Source.objects.select_related("reading", "publication__decided_by", "added_by", "main_chosen_by"),
        pk=pk,
    )
    reading = getattr(shown, "reading", None)
    counts = statements_by_file(reading.outline) if reading else {}
    paths = list(shown.files.order_by("path").values_list("path", flat=True))
    file = request.GET.get("file", "")
    if file not in paths:
        best = next((path for path in paths if counts.get(path)), paths[0] if paths else "")
        file = shown.main if counts.get(shown.main) or (shown.main and not counts) else best
    start, end, number = (_number(request.GET.get(name, "")) for name in ("start", "end", "part"))
    text = shown.files.get(path=file).text if file else ""
    found = contents_of(reading.outline, file) if reading and file else None
    chosen = (
        next((one for one in found.statements if (one.start, one.end) == (start, end)), None)
        if found
        else None
    )
    points = dict(shown.candidates)
    choices = [path for path in paths if not path.lower().endswith(NOT_MAIN)]
    context = {
        "source": shown,
        "reading": reading,
        "advice": what_to_do(shown.code),
        "files": [(path, counts.get(path, 0)) for path in paths],
        "file": file,
        "part": part_of(text, start=start, end=end, number=number) if file else None,
        "found": found,
        "chosen": chosen,
        "selected": (start, end),
        "proof": proof_at(reading.outline, file, start) if reading and not chosen else None,
        "document": rendered(chosen.text, "latex", "s-") if chosen else None,
        "choices": sorted(choices, key=lambda path: (-points.get(path, -1000), len(path), path)),
        "builds": list(BuildPaper.objects.filter(source=shown).values_list("run__name", flat=True)),
        "form": form or DescriptionForm(initial=description_of(shown)),
    }
    return render(
        request, "construction/sources/source.html", context, status=400 if form is not None else 200
    )


def _place(text: str) -> Place:
    """START:FILE, as the options of the form have it."""
    start, _, file = text.partition(":")
    return file, _number(start)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
