"""The labels of one arm of a release as a table for stats.analyses."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from itertools import chain, islice

from accounts.refusal import Refused
from annotation.core.phases import Phase
from annotation.models import Campaign, CampaignKind
from benchmark.rubrics import rubric_from_content
from benchmark.subjects import PairSubject, Subject, parse_subject
from reports.core.choosing import Chosen
from reports.exclusions.objections import excluded_of
from reports.labels.cells import Row
from reports.labels.exporting import csv_lines
from reports.labels.filters import LabelFilter
from reports.labels.rows import label_rows
from stats.analyses.options import questions_in
from stats.analyses.running import ANALYSES, Document, Request
from stats.core.scale import Scale
from stats.tables.columns import Table
from stats.tables.labels import read_labels
from stats.tables.raw_rows import TableError

MOST_ROWS = 50_000  # about a second of reading; what is larger is exported and analysed by the command
STORED = tuple(name for name in ANALYSES if name != "retrieval")
COMPARING = ("systems", "pairs")  # leave out what the score does; the others take all labels
_NO_STRATUM = dict.fromkeys(("stratum", "stratum_size", "sample_size"), "")


def closed_campaigns(chosen: Chosen) -> list[Campaign]:
    """The campaigns whose labels may be analysed by system: closed ones of this track (ADR 16)."""
    campaigns = Campaign.objects.filter(release=chosen.release, track=chosen.track, phase=Phase.CLOSED)
    return list(campaigns.exclude(kind=CampaignKind.CONSTRUCTION).select_related("rubric").order_by("slug"))


def stored_document(chosen: Chosen, slug: str, asked: Request) -> Document:
    """What `manage.py analyse` says about the labels of a closed campaign ("" for none) and the chosen judge's
    verdicts.

    Level and order of the values are those of the rubric's scales, unless the request says otherwise. Analyses
    that compare systems are made without the instances that a primary exclusion rule leaves out. Raises Refused
    for a campaign that is not there or not closed, for too many rows, and for what the analysis refuses.
    """
    known = {found.slug: found for found in closed_campaigns(chosen)}
    if slug and slug not in known:
        there = ", ".join(known) or "none"
        raise Refused(
            f"There is no closed campaign {slug!r} on this track; there are: {there}.",
            code="no_campaign",
            field="campaign",
        )
    if asked.analysis not in STORED:
        raise Refused(f"Stored labels have no {asked.analysis}.", code="no_analysis", field="analysis")
    questions = rubric_from_content(known[slug].rubric.content).questions if slug else ()
    scales = {question.key: question.scale for question in questions}
    try:
        out = excluded_of(chosen.release) if asked.analysis in COMPARING else ()
        rows = (
            row
            for row in stored_rows(chosen, slug)
            if row["instance"] not in out and _says_something(row, scales)
        )
        lines = list(islice(rows, MOST_ROWS + 1))
        if len(lines) > MOST_ROWS:
            raise Refused(
                f"These are more than {MOST_ROWS:,} labels. Export them and use manage.py analyse.",
                code="too_large",
            )
        table = read_labels(BytesIO("".join(csv_lines(lines)).encode()))
        analysis, only = ANALYSES[asked.analysis], asked.options.question
        # an analysis that asks for a level is made question by question, each with its own scale
        found = []
        for question in questions_in(table) if only is None and "level" in analysis.takes else [only]:
            scale, level, order = scales.get(question or ""), asked.level, asked.options.order
            if scale is not None and not order:
                # Values without an order stay so where somebody asks for another level.
                alike = "level" in analysis.takes and (scale.ranked or asked.level in (None, "nominal"))
                order = _order_of(scale, table, question or "", every_scale=alike)
                level = level or (scale.level if order or scale.level == "nominal" else None)
            options = replace(asked.options, question=question, order=order)
            found.append(analysis.document(table, replace(asked, level=level, options=options)))
        if not found:
            return analysis.document(table, asked)
        joined = {key: entry for document in found for key, entry in document.get("questions", {}).items()}
        return found[0] | ({"questions": joined} if "level" in analysis.takes else {})
    except TableError as refusal:
        # The line is that of a file that nobody has.
        plain = str(refusal).removeprefix(f"line {refusal.line}, ").removeprefix(f"line {refusal.line}: ")
        raise Refused(f"{plain}.", code="not_analysable") from refusal


def _order_of(scale: Scale, table: Table, question: str, *, every_scale: bool) -> tuple[str, ...]:
    """The values of an ordinal scale from low to high, with `every_scale` those of any other scale too.

    AC1 and AC2 depend on how many values there are, intervals of means on how far they reach. () where a judge answers
    in other values.
    """
    if scale.ranked and scale.level == "ordinal":
        return tuple(sorted(scale.judgments, key=scale.height))
    mine = table["question"].is_in(question) & table["state"].is_in("answered")
    fits = set(table.select(mine)["value"].used) <= set(scale.judgments)
    if not every_scale or not fits or len(scale.judgments) < 2:
        return ()
    return tuple(sorted(scale.judgments, key=scale.height)) if scale.ranked else scale.judgments


def _says_something(row: Row, scales: Mapping[str, Scale]) -> bool:
    """Whether a row is a judgment: no free text, and not "not assessed"."""
    scale = scales.get(row["question"])
    if scale is None or (row["rater_kind"] == "judge" and not row.get("step")):
        return True
    return scale.has_values and (row["state"] != "answered" or row["value"] in scale.judgments)


def stored_rows(chosen: Chosen, campaign: str) -> Iterator[Row]:
    """Rows of the label table about outputs of the chosen track and condition: of the campaign, "" for none, and the
    verdicts of the chosen judge.

    Systems go by their names alone. Strata count outputs, so that rows about steps are left without them: an audit of
    steps then has the judge's labels as its strata.
    """
    track = frozenset({chosen.track})
    given = label_rows(chosen.release, campaign=campaign, wanted=LabelFilter({"track": track}))
    verdicts = label_rows(
        chosen.release,
        wanted=LabelFilter({"rater_kind": {"judge"}, "judge": {chosen.judge}, "track": track}),
    )
    for row in chain(given if campaign else (), verdicts if chosen.judge else ()):
        subject = parse_subject(row["subject"])
        outputs = subject.ordered if isinstance(subject, PairSubject) else (subject,)
        if any(
            (output.track, output.condition) != (chosen.track, chosen.condition)
            for output in outputs
            if isinstance(output, Subject)
        ):
            continue
        systems = "|".join(arm.partition("@")[0] for arm in row["system"].split("|"))
        yield {**row, "system": systems, **(_NO_STRATUM if row.get("step") else {})}
