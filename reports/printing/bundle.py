"""Many reports as one ZIP: one file for each submission, to send to its authors, or for each referee."""

import datetime as dt
import gc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.text import slugify

from annotation.core.visibility import Viewer
from annotation.models import Campaign
from reports.core.downloads import table_lines
from reports.models import ReportPer
from reports.printing.items import PrintedItem, printed_items, referees
from reports.printing.pages import own_sheet, print_html

if TYPE_CHECKING:
    from reports.printing.report import ReportOrder

SHEETS = ("pdf.css", "math.css", "print-items.css", "print-document.css")
BETWEEN_COLLECTIONS = 8  # files; each collection walks over everything, an eighth of a second
Document = tuple[str, str, str, list[PrintedItem]]  # file name without ending, heading, what it is on, items


def print_bundle(
    order: "ReportOrder",
    campaigns: Sequence[Campaign],
    who: Viewer,
    path: Path,
    progress: Callable[[int, int], None],
    total: int,
) -> int:
    """Print the files of the order into a ZIP at `path`, with a table of contents; returns their pages."""
    made: list[list[object]] = [["file", "problem", "item", "system", "reports", "comments", "pages"]]
    pages, campaign = 0, order.campaign
    with ZipFile(path, "w", ZIP_DEFLATED) as bundle:
        documents = _by_submission if order.per == ReportPer.SUBMISSION else _by_referee
        for number, (name, heading, subject, items) in enumerate(documents(order, campaigns, who), start=1):
            context = {
                "study": ", ".join(filter(None, (order.release.name, campaign.name if campaign else ""))),
                "is_sample": order.release.is_sample,
                "heading": heading,
                "subject": subject,
                "items": items,
                "alone": order.per == ReportPer.SUBMISSION,
                "referee": order.per == ReportPer.REFEREE,
                "printed_at": timezone.now().astimezone(dt.UTC),
            }
            html = render_to_string("reports/printing/document.html", context)
            printed = print_html(html, [own_sheet(sheet) for sheet in SHEETS])
            bundle.writestr(f"{name}.pdf", printed.content)
            pages += printed.pages
            for item in items:
                comments = len(item.lost) + len(item.on_files) + len(item.general)
                comments += sum(len(place.comments) for part in item.parts for place in part.passages)
                row = [item.key, item.name, item.system, len(item.graders), comments, printed.pages]
                made.append([f"{name}.pdf", *row])
            progress(number, total)
            if number % BETWEEN_COLLECTIONS == 0:
                gc.collect()  # as for a long report: the printing engine's boxes hold each other
        bundle.writestr("contents.csv", "".join(table_lines(made)))
    return pages


def _by_submission(order: "ReportOrder", campaigns: Sequence[Campaign], who: Viewer) -> Iterator[Document]:
    for batch in printed_items(campaigns, who, identities=order.identities, among=order.among):
        for item in batch:
            name = "-".join(filter(None, (slugify(item.key), slugify(item.system), item.name)))
            yield name, item.title, f"{item.key}, {item.name}", [item]


def _by_referee(order: "ReportOrder", campaigns: Sequence[Campaign], who: Viewer) -> Iterator[Document]:
    for number, person in enumerate(referees(campaigns, order.among), start=1):
        batches = printed_items(
            campaigns, who, identities=order.identities, among=order.among, referee=person
        )
        called = person.rater if order.identities else f"Referee {number}"
        # numbered, because what is left of a name in an address may be that of another, or nothing: 张伟
        name = "-".join(
            filter(None, (f"referee-{number}", slugify(person.rater) if order.identities else ""))
        )
        yield name, f"Reports of {called}", called, [item for batch in batches for item in batch]
