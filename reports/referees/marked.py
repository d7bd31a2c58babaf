"""A PDF in which a referee marked passages, as rows of the comment table: it lies next to the report, by its name."""

import json

from accounts.refusal import Refused
from annotation.core.files import file_pages
from annotation.core.material import item_material
from annotation.grading.file_anchors import FilePage
from annotation.grading.file_marks import placed_marks, severity_and_kind
from annotation.grading.word_anchors import Anchored
from annotation.models import Campaign, Item, Rubric
from benchmark.collecting.documents import Member
from benchmark.files.actions import MAX_BYTES
from benchmark.files.process import marks_in
from benchmark.importing.records import RecordError
from benchmark.models import Output, Release
from benchmark.subjects import Subject, parse_subject


def marks_of_pdf(member: Member, name: str, release: Release) -> list[dict[str, str]]:
    """The cells that say where a mark is and what it says; none for an output that the release does not have.

    Of several PDFs of the output, the one is meant that has most of the marks. A mark that none has is kept as lost.
    Raises RecordError for a file that is no PDF, and for an output without any.
    """
    try:
        subject = parse_subject(name)
    except ValueError as error:
        raise RecordError(str(error), field="submission") from error
    if not isinstance(subject, Subject):
        return []
    rows = Output.objects.filter(
        run__release=release,
        run__system__slug=subject.system,
        run__track=subject.track,
        run__condition=subject.condition,
        instance__key=subject.instance,
        attempt=subject.attempt,
    )
    output = rows.select_related("instance", "redacted").first()
    if output is None:
        return []
    if member.file.stat().st_size > MAX_BYTES:
        raise RecordError(f"is larger than {MAX_BYTES >> 20} MB")
    try:
        found = marks_in(member.file.read_bytes())
    except Refused as refusal:
        raise RecordError(refusal.reason) from refusal
    campaign = Campaign(rubric=Rubric(protocol=release.benchmark.protocol))
    documents: dict[str, dict[str, FilePage]] = {}
    for page, content in file_pages(
        item_material(Item(campaign=campaign, instance=output.instance, output=output))
    ).items():
        documents.setdefault(page.rpartition("-page")[0], {})[page] = content
    if not documents:
        raise RecordError(f"{name} has no PDF here that these marks could be on")
    placed = max(
        (placed_marks(found, pages) for pages in documents.values()), key=lambda one: len(one.comments)
    )
    cells = []
    for comment in placed.comments:
        anchor = comment["anchor"]
        quote = {"quote" if key == "exact" else key: words for key, words in (anchor["quote"] or {}).items()}
        place = {"anchor": Anchored.PDF, "block": comment["block"], "page": str(anchor["page"])}
        said = {key: comment[key] for key in ("severity", "kind", "text")}
        cells.append({**place, **quote, **said, "rects": json.dumps(anchor["rects"])})
    for mark in placed.lost:
        severity, kind = severity_and_kind(mark)
        place = {"anchor": Anchored.LOST, "page": str(mark.page), "rects": json.dumps(mark.rects)}
        quote = {"quote": mark.quote, "prefix": mark.prefix, "suffix": mark.suffix}
        cells.append({**place, **quote, "severity": severity, "kind": kind, "text": mark.text})
    return cells
