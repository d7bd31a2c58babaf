"""Files of a release for those who run the study: attached, read, removed."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_POST

from accounts.access import staff_only
from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest, told
from benchmark.files import actions
from benchmark.files.sending import send_copy, send_original
from benchmark.models import Attachment, Instance, Output
from benchmark.releases.queries import release_or_404


@staff_only
@require_POST
def attach(request: SignedInRequest, name: str) -> HttpResponse:
    """Attach the sent file to an `output` or an `instance` of the release, by number."""
    release, number = release_or_404(name), request.POST.get("number", "")
    if not number.isdecimal() or len(number) > 18:
        raise Http404
    subject: Output | Instance
    if request.POST.get("kind") == "output":
        rows = Output.objects.select_related("run__release__benchmark", "instance")
        subject = get_object_or_404(rows, pk=number, run__release=release)
    else:
        subject = get_object_or_404(release.instances.select_related("release"), pk=number)
    sent = request.FILES.get("file")
    with told(request, f"{sent.name} has been attached." if sent else ""):
        if sent is None or not sent.size or sent.size > actions.MAX_BYTES:
            raise Refused(f"Choose a file of at most {actions.MAX_BYTES >> 20} MB.", code="bad_file")
        actions.attach(actor=request.user, subject=subject, name=sent.name or "", data=sent.read())
    return _back(subject)


@staff_only
@require_POST
def remove(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """Remove a file that is not frozen yet."""
    attachment = _attachment(name, pk)
    subject = actions.subject_of(attachment)
    with told(request, "The file has been removed."):
        actions.detach(actor=request.user, attachment=attachment)
    return _back(subject)


@staff_only
@require_GET
def read(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """The copy that readers get."""
    return send_copy(request, _attachment(name, pk).copy_id)


@staff_only
@require_GET
def original(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """The file as it was sent, to be saved."""
    return send_original(_attachment(name, pk).original)


def _attachment(name: str, pk: int) -> Attachment:
    rows = Attachment.objects.select_related("output__run__release__benchmark", "instance__release")
    of_output, of_instance = (
        rows.filter(output__run__release__name=name),
        rows.filter(instance__release__name=name),
    )
    return of_output.filter(pk=pk).first() or get_object_or_404(of_instance, pk=pk)


def _back(subject: Output | Instance) -> HttpResponse:
    instance = subject.instance if isinstance(subject, Output) else subject
    return redirect("instance", name=instance.release.name, key=instance.key)
