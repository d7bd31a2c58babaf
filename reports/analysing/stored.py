"""The labels of one arm of a release as a table for stats.analyses."""

from collections.abc import Iterator
from io import BytesIO
from itertools import chain, islice

from accounts.refusal import Refused
from annotation.models import Campaign, CampaignKind, Phase
from benchmark.subjects import InstanceSubject, PairSubject, Subject, parse_subject
from reports.choosing import Chosen
from reports.exporting import csv_lines
from reports.label_cells import Row
from reports.label_filters import LabelFilter
from reports.label_rows import label_rows
from stats.analyses.running import ANALYSES, Document, Request
from stats.labels import read_labels
from stats.raw_rows import TableError
from stats.tables import Table

MOST_ROWS = 50_000  # about a second of reading; what is larger is exported and analysed by the command


def closed_campaigns(chosen: Chosen) -> list[Campaign]:
    """The campaigns whose labels may be analysed by system: closed ones of this track (ADR 16)."""
    campaigns = Campaign.objects.filter(release=chosen.release, track=chosen.track, phase=Phase.CLOSED)
    return list(campaigns.exclude(kind=CampaignKind.CONSTRUCTION).order_by("slug"))


def stored_document(chosen: Chosen, campaign: str, asked: Request) -> Document:
    """What `manage.py analyse` says of the labels of a closed campaign and the verdicts of the chosen judge.

    Raises Refused for a campaign that is not there or not closed, for too many rows, and for what the analysis refuses.
    """
    known = [found.slug for found in closed_campaigns(chosen)]
    if campaign and campaign not in known:
        there = ", ".join(known) or "none"
        raise Refused(
            f"There is no closed campaign {campaign!r} on this track; there are: {there}.",
            code="no_campaign",
            field="campaign",
        )
    if asked.analysis not in STORED:
        raise Refused(f"Stored labels have no {asked.analysis}.", code="no_analysis", field="analysis")
    try:
        return ANALYSES[asked.analysis].document(_table(chosen, campaign), asked)
    except TableError as refusal:
        # The line is that of a file that nobody has.
        plain = str(refusal).removeprefix(f"line {refusal.line}, ").removeprefix(f"line {refusal.line}: ")
        raise Refused(f"{plain}.", code="not_analysable") from refusal


STORED = tuple(name for name in ANALYSES if name != "retrieval")


def _table(chosen: Chosen, campaign: str) -> Table:
    lines = list(islice(stored_rows(chosen, campaign), MOST_ROWS + 1))
    if len(lines) > MOST_ROWS:
        raise Refused(
            f"These are more than {MOST_ROWS:,} labels. Export them and use manage.py analyse.",
            code="too_large",
        )
    return read_labels(BytesIO("".join(csv_lines(lines)).encode()))


def stored_rows(chosen: Chosen, campaign: str) -> Iterator[Row]:
    """Rows of the label table about outputs of the chosen track and condition: of the campaign, "" for none, and the
    verdicts of the chosen judge.

    Systems go by their names alone, and each step of an output is a subject of its own.
    """
    track = frozenset({chosen.track})
    given = label_rows(chosen.release, campaign=campaign, wanted=LabelFilter({"track": track}))
    verdicts = label_rows(
        chosen.release,
        wanted=LabelFilter({"rater_kind": {"judge"}, "judge": {chosen.judge}, "track": track}),
    )
    for row in chain(given if campaign else (), verdicts if chosen.judge else ()):
        subject = parse_subject(row["subject"])
        outputs = _outputs(subject)
        if any((output.track, output.condition) != (chosen.track, chosen.condition) for output in outputs):
            continue
        systems = "|".join(arm.partition("@")[0] for arm in row["system"].split("|"))
        step = f"/{row['step']}" if row.get("step") else ""
        yield {**row, "system": systems, "subject": f"{row['subject']}{step}"}


def _outputs(subject: Subject | PairSubject | InstanceSubject) -> tuple[Subject, ...]:
    if isinstance(subject, PairSubject):
        return subject.ordered
    return (subject,) if isinstance(subject, Subject) else ()
