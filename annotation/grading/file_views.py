"""Files of an item for its reviewer: read, saved with their own comments, and their marks in a saved copy read back."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_POST

from accounts.refusal import Refused
from accounts.site.pages import SignedInRequest
from annotation.core import queries
from annotation.core.files import copy_or_404, file_pages, page_id, pdf_or_404
from annotation.core.material import material
from annotation.core.phases import Phase
from annotation.core.places import is_locked, place_or_404, place_to_read_or_404
from annotation.grading.file_marks import commented_pdf, in_words, placed_marks
from annotation.grading.remarks import Remark
from benchmark.files.actions import MAX_BYTES
from benchmark.files.process import marks_in
from benchmark.files.sending import send_commented, send_copy
from benchmark.models import CleanCopy


@login_required
@require_GET
def item_file(request: SignedInRequest, handle: str, number: int) -> HttpResponse:
    """The file with this number on the page of an item, in the copy that readers get."""
    files = material(place_to_read_or_404(request.user, handle)).files
    return send_copy(request, copy_or_404(files, number))


@login_required
@require_POST
def read_marks(request: SignedInRequest, handle: str, number: int) -> JsonResponse:
    """The marks in the sent copy of a PDF as comments, which the page adds to its draft. Nothing is stored here."""
    place = place_or_404(request.user, handle)
    shown = material(place)
    file = pdf_or_404(shown, number)
    if is_locked(place) or place.item.campaign.phase != Phase.OPEN:
        return JsonResponse({"detail": "This item cannot be changed any more."}, status=409)
    sent = request.FILES.get("file")
    if sent is None or not sent.size or sent.size > MAX_BYTES:
        return JsonResponse({"detail": f"Choose a PDF of at most {MAX_BYTES >> 20} MB."}, status=400)
    try:
        found = marks_in(sent.read())
    except Refused as refusal:
        return JsonResponse({"detail": refusal.reason}, status=400)
    own = [page_id(file.block, page) for page in range(1, len(file.pages) + 1)]
    pages = file_pages(shown)
    placed = placed_marks(found, {block: pages[block] for block in own})
    lost = [in_words(mark) for mark in placed.lost]
    return JsonResponse({"comments": placed.comments, "lost": lost, "unusable": found.unusable})


@login_required
@require_GET
def commented(request: SignedInRequest, handle: str, number: int) -> HttpResponse:
    """A PDF with the reviewer's own comments as annotations."""
    place = place_to_read_or_404(request.user, handle)
    file, grade = pdf_or_404(material(place), number), queries.live_grade(place)
    remarks = [Remark(row.block, row) for row in grade.comments.order_by("pk")] if grade else []
    return send_commented(commented_pdf(bytes(CleanCopy.objects.get(pk=file.copy).data), file.block, remarks))
