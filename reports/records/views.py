"""Public records: their files for everybody, and the pages on which owners publish and withdraw them."""

import re

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from accounts.access import owner_only, staff_only
from accounts.site.pages import SignedInRequest, refusals_in
from benchmark.models import ReleaseDescription
from reports.core.requests import release_or_404
from reports.models import PublicRecord
from reports.records.actions import prepare_record, publish_record, withdraw_record
from reports.records.declared import Declared
from reports.records.embargoes import still_closed
from reports.records.folder import NEWEST, root
from reports.records.forms import PublishForm, WithdrawForm, embargo_text
from reports.records.metadata import media_type
from reports.records.site import archive_name

_PATH = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]*/)*(?:[A-Za-z0-9][A-Za-z0-9._-]*)?")
_SMALL = 1024 * 1024  # larger files are streamed
_CACHED = "public, max-age=60, stale-while-revalidate=600"  # a band can appear on any page


@require_safe
def record_file(request: HttpRequest, path: str = "") -> HttpResponseBase:
    """A file as it was written; no row is read. The address of a name leads to its newest version.

    Nothing that begins with a dot is reached, so neither are versions that are being written.
    """
    if not _PATH.fullmatch(path):
        raise Http404("There is no such file.")
    place = root() / path
    response: HttpResponseBase
    if path and (newest := place / NEWEST).is_file():
        name = path.rstrip("/")
        response = redirect("record-file", path=f"{name}/{newest.read_text()}/")
        response["Cache-Control"] = _CACHED
        return response
    if not path or path.endswith("/"):
        place = place / "index.html"
    try:
        stat = place.stat()
        if place.is_dir():
            return redirect("record-file", path=f"{path}/")
        etag = f'"{stat.st_mtime_ns:x}-{stat.st_size:x}"'
        known = get_conditional_response(request, etag=etag, last_modified=int(stat.st_mtime))
        if known is not None:
            response = known
        elif stat.st_size > _SMALL:
            response = FileResponse(place.open("rb"))
        else:
            response = HttpResponse(content := place.read_bytes())
            response["Content-Length"] = len(content)  # the middleware that adds it comes later
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Http404("There is no such file.") from error
    linked = place.name == "croissant.json"
    response["Content-Type"] = "application/ld+json" if linked else media_type(place.name)
    response["ETag"] = etag
    response["Last-Modified"] = http_date(stat.st_mtime)
    response["Cache-Control"] = _CACHED
    if place.suffix == ".zip":
        response["Content-Disposition"] = f'attachment; filename="{place.name}"'
    return response


@staff_only
@require_GET
def records(request: SignedInRequest, name: str) -> HttpResponse:
    """The versions of a study that were published."""
    release = release_or_404(name)
    rows = PublicRecord.objects.filter(artifact__release=release).select_related("published_by")
    listed = [(row, Declared.from_json(row.declared)) for row in rows.order_by("-pk")]
    context = {"release": release, "listed": listed, "artifacts": release.artifacts.exists()}
    return render(request, "reports/records/records.html", context)


@owner_only
@require_http_methods(["GET", "POST"])
def publish(request: SignedInRequest, name: str) -> HttpResponse:
    """The form; then what would become public, counted; then, with `seen`, publishing."""
    release = release_or_404(name)
    description = ReleaseDescription.objects.filter(release=release).first()
    last = PublicRecord.objects.filter(artifact__release=release).order_by("-pk").first()
    said = dict(last.declared) if last else {"name": name, "title": name}
    initial = {
        key: said[key] for key in PublishForm.base_fields if key in said and key not in ("embargo", "changes")
    }
    # else a correction of a word would make public what is still closed
    initial["embargo"] = embargo_text(still_closed(release))
    form = PublishForm(request.POST or None, release=release, initial=initial)
    context = {"release": release, "form": form, "description": description}
    if request.method == "POST" and form.is_valid() and "back" not in request.POST:
        artifact = release.artifacts.get(pk=form.cleaned_data["artifact"].pk)
        with refusals_in(form):
            if seen := request.POST.get("seen"):
                row = publish_record(actor=request.user, artifact=artifact, wish=form.wish, seen=seen)
                messages.success(request, f"Version {row.version} of {row.name} is public.")
                return redirect("records", name=name)
            made = prepare_record(artifact=artifact, wish=form.wish)
            declared = made.declared
            context |= {
                "made": made,
                "declared": declared,
                "archive": archive_name(declared),
                "sizes": {name: len(content) for name, content in sorted(made.files.items())},
                "n_problems": made.files.get("problems.jsonl", b"").count(b"\n"),
                "n_answers": made.files.get("answers.jsonl", b"").count(b"\n"),
                "n_choices": max(0, made.files.get("choices.csv", b"").count(b"\n") - 1),
                "n_comments": max(0, made.files.get("comments.csv", b"").count(b"\n") - 1),
                "n_labels": max(0, made.files["labels.csv"].count(b"\n") - 1),
                "n_closed": sum(not declared.is_open(key) for key in declared.embargo),
            }
            return render(request, "reports/records/confirm.html", context)
    return render(request, "reports/records/publish.html", context, status=422 if form.errors else 200)


@owner_only
@require_http_methods(["GET", "POST"])
def withdraw(request: SignedInRequest, name: str, record: str, version: int) -> HttpResponse:
    """Withdraw a version, with the reason that its readers see."""
    release = release_or_404(name)
    row = get_object_or_404(PublicRecord, artifact__release=release, name=record, version=version)
    form = WithdrawForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            withdraw_record(actor=request.user, record=row, reason=form.cleaned_data["reason"])
            messages.success(request, f"Version {row.version} of {row.name} is withdrawn; its page stays.")
            return redirect("records", name=name)
    context = {"release": release, "form": form, "row": row, "declared": Declared.from_json(row.declared)}
    return render(request, "reports/records/withdraw.html", context, status=422 if form.errors else 200)
