"""The page that maps a folder or table to problems and outputs."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from benchmark.collecting import formats
from benchmark.collecting.actions import remembered_mapping
from benchmark.collecting.forms import FilesForm, TableForm
from benchmark.collecting.mapping import (
    Reading,
    check_mapping,
    guess,
    preview,
    reads_documents,
    sentence,
    table_fields,
)
from benchmark.importing.uploading import map_import
from benchmark.models import ImportUpload, Release, System
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol, protocol_names


@staff_only
@require_http_methods(["GET", "POST"])
def import_mapping(request: SignedInRequest, handle: str) -> HttpResponse:
    """What the upload is and how it is read, with a preview; POST checks it so."""
    upload = get_object_or_404(ImportUpload.objects.filter(owner=request.user), handle=handle)
    if not upload.recognised or upload.applying or upload.is_busy:
        return redirect("import", handle=handle)
    release = Release.objects.select_related("benchmark").filter(name=upload.terms["release"]).first()
    rules = get_protocol(release.benchmark.protocol if release else upload.terms["protocol"])
    known = set(release.instances.values_list("key", flat=True)) if release else None
    systems = set(System.objects.values_list("slug", flat=True))
    before = remembered_mapping(release) if release else {}
    found = upload.recognised
    refusal = ""
    try:
        reading, others = guess(
            found, rules, known=known, known_systems=systems, name=upload.file_name, remembered=before
        )
        if "mapping" in upload.terms:
            reading = Reading(**upload.terms["mapping"])
    except Refused as refused:
        return _page(request, upload, {"refusal": refused.reason}, status=400)
    given = request.POST if request.method == "POST" else None
    form: FilesForm | TableForm
    if "columns" in found:
        form = TableForm(
            given,
            reading=reading,
            fields=table_fields(rules, reading.table) if reading.table else [],
            columns=found["columns"],
            of_problems=reading.table == "problems",
        )
    else:
        form = FilesForm(given, reading=reading, guesses=others, new=known is None)
    if given is not None and form.is_valid():
        try:
            reading = form.reading_given()
            check_mapping(reading, rules, known)
            if "preview" not in request.POST:
                map_import(actor=request.user, upload=upload, reading=reading)
                return redirect("import", handle=handle)
        except Refused as refused:
            refusal = refused.reason
    context: dict[str, object] = {
        "form": form,
        "reading": reading,
        "refusal": refusal,
        "sentence": sentence(found, reading),
        "remembered": bool(before)
        and (reading.columns or reading.outputs) in (before["columns"], before["outputs"]),
        "release": release,
        "protocol": rules,
    }
    if "columns" in found:
        columns, used = found["columns"], list(reading.columns.values())
        places = [columns.index(column) for column in used if column in columns]
        context["mapped"] = list(reading.columns.items())
        context["rows"] = [[row[place] for place in places] for row in found["rows"]]
        context["unused"] = [
            column
            for column in columns
            if not any(
                f"{each}.".startswith(f"{column}.") or f"{column}.".startswith(f"{each}.") for each in used
            )
        ]
    else:
        context["files"] = preview(found, reading, known)
    return _page(request, upload, context, status=400 if refusal else 200)


def _page(
    request: SignedInRequest, upload: ImportUpload, context: dict[str, object], status: int
) -> HttpResponse:
    return render(request, "benchmark/collecting/mapping.html", {"upload": upload, **context}, status=status)


@staff_only
@require_GET
def format_page(request: SignedInRequest, protocol: str) -> HttpResponse:
    """The fields of a protocol's files, with an example and templates."""
    rules = _protocol(protocol)
    found = formats.formats_of(rules)
    others = [{"name": each.name, "title": each.title} for each in map(get_protocol, protocol_names())]
    context = {"protocol": rules, "formats": found, "protocols": others, "documents": reads_documents(rules)}
    return render(request, "benchmark/collecting/format.html", context)


@staff_only
@require_GET
def format_template(request: SignedInRequest, protocol: str, kind: str, ending: str) -> HttpResponse:
    """A template to fill in: a column for every field, or a line of JSON."""
    form = next((form for form in formats.formats_of(_protocol(protocol)) if form.kind == kind), None)
    if form is None or ending not in ("csv", "jsonl"):
        raise Http404
    text = form.as_csv() if ending == "csv" else form.as_jsonl()
    reply = HttpResponse(text, content_type=f"text/{'csv' if ending == 'csv' else 'plain'}; charset=utf-8")
    reply["Content-Disposition"] = f'attachment; filename="{protocol}-{kind}.{ending}"'
    return reply


def _protocol(name: str) -> Protocol:
    if name not in protocol_names():
        raise Http404
    return get_protocol(name)
