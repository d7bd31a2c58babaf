"""A report as one PDF file: front, score, and items in chunks, so that memory does not grow with their number."""

import datetime as dt
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.db.models import Q
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.text import slugify

from accounts.refusal import Refused
from annotation.core.queries import campaigns_with_totals
from annotation.core.visibility import Viewer
from annotation.models import Campaign, Item
from benchmark.models import Release
from benchmark.subjects import USUAL
from reports.comparison.paired import chosen_between
from reports.core.choosing import UNDECLARED, choose, one_tuple
from reports.models import ReportPer
from reports.printing.bundle import print_bundle
from reports.printing.items import PrintedItem, item_count, printed_items, referees
from reports.printing.pages import own_sheet, print_html, require_pdf
from reports.scores.kept import kept_score
from reports.scores.page import score_sections

MAX_ITEMS = 500  # the joined pages stay in memory, half a megabyte each
CHUNK = 10  # items loaded at a time
PORTION = 60_000  # characters of HTML printed at a time: what decides the memory
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ReportOrder:
    """What a report is to hold. Without `campaign` its items are those of all campaigns of the track.

    `score` adds the tables and pictures of the score page, which name systems; `identities` names systems and
    graders at the items too. `condition` ("usual" names the usual one) and `frozen_tuple` ("none": runs of no tuple)
    are those of the score; where one is named, only items with outputs under it are printed. With `per` (a
    reports.models.ReportPer) the report is a ZIP with one file for each submission or each referee.
    """

    release: Release
    campaign: Campaign | None = None
    track: str = ""
    judge: str = ""
    score: bool = True
    items: bool = False
    identities: bool = False
    condition: str = ""
    frozen_tuple: str = ""
    per: str = ""

    @property
    def title(self) -> str:
        parts = [
            self.release.name,
            self.campaign.name if self.campaign else "",
            f"condition {self.condition}" if self.condition else "",
            f"tuple {self.frozen_tuple}" if self.frozen_tuple else "",
        ]
        return "Report on " + ", ".join(part for part in parts if part)

    @property
    def file_name(self) -> str:
        """Release, campaign, track, condition and tuple, as far as they are named; without an ending."""
        named = (self.release.name, self.campaign.slug if self.campaign else "", self.track, self.condition)
        kind = f"reports-per-{self.per}" if self.per else "report"
        return "-".join(slugify(part) for part in (kind, *named, self.frozen_tuple) if part)

    @property
    def choice(self) -> dict[str, str]:
        """The track, condition, judge and tuple of the score, as reports.core.choosing reads them."""
        return {
            "track": self.campaign.track if self.campaign else self.track,
            "condition": self.condition,
            "judge": self.judge,
            "tuple": self.frozen_tuple,
        }

    @property
    def among(self) -> Q:
        """Which items of its campaigns the report holds."""
        found = Q()
        if self.condition:
            found &= Q(output__run__condition="" if self.condition == USUAL else self.condition)
        if self.frozen_tuple == UNDECLARED:
            found &= Q(output__isnull=False, output__run__tupled__isnull=True)
        elif self.frozen_tuple:
            found &= Q(output__run__tupled__tuple__name=self.frozen_tuple)
        return found


@dataclass(frozen=True)
class PrintedEntry:
    """A line of the list of items: the item's title in LaTeX, its system unless the report is blinded, its remarks
    counted, the page where it starts."""

    number: int
    title: str
    system: str
    remarks: str
    page: int


@dataclass(frozen=True)
class PrintedReport:
    """What was written."""

    pages: int
    items: int


def print_report(order: ReportOrder, who: Viewer, path: Path, progress: Progress) -> PrintedReport:
    """Print the report to `path`; `progress` hears (items done, items) and may raise to stop.

    Raises Refused when there is nothing to print, too much, or no pango.
    """
    from reports.printing.joining import JoinedReport  # pypdf: every process would wait for it at its start

    require_pdf()
    campaigns = ordered_campaigns(order)
    total = checked_size(order, campaigns)
    progress(0, total)
    if order.per:
        return PrintedReport(print_bundle(order, campaigns, who, path, progress, total), total)
    joined = JoinedReport(order.title)
    sheets = [own_sheet(name) for name in ("pdf.css", "math.css", "print-items.css")]
    entries = []
    batches = printed_items(campaigns, who, identities=order.identities, batch=CHUNK, among=order.among)
    for batch in batches if total else ():
        for items in portions(batch):
            html = render_to_string("reports/printing/items.html", {"items": items, "subject": order.title})
            first = f"@page :first {{ counter-reset: page {joined.pages + 1} }}"
            printed = print_html(html, [*sheets, first])
            joined.add(
                printed.content, {item.number: printed.places[f"item-{item.number}"] for item in items}
            )
            gc.collect()  # the printing engine's boxes hold each other; left alone, several portions pile up
            progress(items[-1].number, total)
            for item in items:
                n = len(item.lost) + len(item.on_files) + len(item.general)
                n += sum(len(passage.comments) for part in item.parts for passage in part.passages)
                remarks = f"{n} comment{'s' if n != 1 else ''}" if n else ""
                start = joined.starts[item.number]
                entries.append(PrintedEntry(item.number, item.title, item.system, remarks, start))
    context = {
        "order": order,
        "title": order.title,
        "campaigns": campaigns,
        "printed_at": timezone.now().astimezone(dt.UTC),
        "entries": entries,
    }
    if order.score:
        chosen = choose(order.release, order.choice)
        document = kept_score(chosen)
        context |= {"chosen": chosen, "document": document, **score_sections(document)}
        context["compared"] = chosen_between(chosen)
    html = render_to_string("reports/printing/front.html", context)
    pages = print_html(html, [own_sheet(name) for name in ("pdf.css", "print-front.css")]).content
    titles = {entry.number: " ".join(entry.title.replace("$", "").split()) for entry in entries}
    return PrintedReport(joined.write(path, pages, titles), len(entries))


def ordered_campaigns(order: ReportOrder) -> list[Campaign]:
    """The campaigns whose items and figures the report holds, each with its totals."""
    rows = [row for row in campaigns_with_totals() if row.release_id == order.release.pk]
    if order.campaign:
        if order.track and order.track != order.campaign.track:
            raise Refused(
                f"Campaign {order.campaign.slug} is on track {order.campaign.track or 'none'}.",
                code="other_track",
                field="track",
            )
        return [row for row in rows if row.pk == order.campaign.pk]
    track = choose(order.release, order.choice).track
    found = (row for row in rows if row.track == track)
    if order.among:
        items = Item.objects.filter(order.among, campaign__release=order.release).order_by()
        held = set(items.values_list("campaign", flat=True).distinct())
        found = (row for row in found if row.pk in held)
    return sorted(found, key=lambda row: (row.created_at, row.pk))


def checked_size(order: ReportOrder, campaigns: list[Campaign]) -> int:
    """The number of items that the report will print. Raises Refused for none and for too many, and where the
    release has no score of that track, condition, judge and tuple, or several tuples and none named."""
    if order.score:
        chosen = choose(order.release, order.choice)
        one_tuple(order.release, chosen.track, chosen.frozen_tuple, chosen.condition)
    if order.per and (order.score or not order.items):
        raise Refused(
            "A file for each submission or referee holds items and no score.", code="per", field="per"
        )
    if not order.items:
        if not order.score:
            raise Refused("A report needs the score, the items, or both.", code="empty_report")
        return 0
    total = item_count(campaigns, order.among)
    if order.per == ReportPer.REFEREE:
        total = len(referees(campaigns, order.among))
    if not total:
        raise Refused("No item has been drawn for this, so there are none to print.", code="no_items")
    if total > MAX_ITEMS:
        raise Refused(
            f"{total} items are more than the {MAX_ITEMS} of one report; choose a campaign.", code="too_many"
        )
    return total


def portions(items: list[PrintedItem]) -> Iterator[list[PrintedItem]]:
    """The items in order, together while their HTML stays below PORTION; a longer one is a portion of its own."""
    portion: list[PrintedItem] = []
    size = 0
    for item in items:
        length = sum(len(passage.block.html) for part in item.parts for passage in part.passages)
        if portion and size + length > PORTION:
            yield portion
            portion, size = [], 0
        portion.append(item)
        size += length
    if portion:
        yield portion
