"""The comment table: every anchored comment of a live grade, with the words that it is about."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby

from django.db.models import QuerySet

from accounts.refusal import Refused
from annotation.campaigns.pairing import upright_block
from annotation.core.material import item_material
from annotation.grading.file_anchors import page_of, rects_of, words_of
from annotation.models import Comment, Item
from benchmark.models import Output, Release
from benchmark.rendering.stored import rendered_all
from benchmark.subjects import Subject
from reports.labels.rows import opaque

COLUMNS = (
    "release", "campaign", "subject", "instance", "system", "attempt", "rater", "rater_kind", "question", "anchor",
    "block", "start", "end", "page", "rects", "quote", "prefix", "suffix", "severity", "kind", "text", "created_at",
)  # fmt: skip
AROUND = 32  # characters of the source before and after the quote
_ITEM = "grade__assignment__item"


def comment_rows(
    release: Release, *, campaign: str = "", identities: bool = False
) -> Iterator[dict[str, object]]:
    """One row per comment, in the order of the table of labels; outputs are named only with `identities`.

    `quote`, `prefix` and `suffix` are from the source of the block, at the offsets of the comment, or from the page of
    a PDF. Where the text no longer has the block, they are empty. Raises Refused (code "being_prepared") while one of
    the texts waits for a worker to render it. Blocks of a pair are named as if its first answer had been shown first.
    """
    comments = _live(release, campaign)
    for number, group in groupby(comments.iterator(chunk_size=500), lambda one: one.grade.assignment.item_id):
        item = _item(number)
        sources = _sources(item)
        for comment in group:
            yield _row(release, item, comment, sources, identities=identities)


def comment_table(rows: Iterable[dict[str, object]]) -> Iterator[list[object]]:
    """The same as a table with a head."""
    yield list(COLUMNS)
    yield from (list(row.values()) for row in rows)


def _live(release: Release, campaign: str) -> QuerySet[Comment]:
    live = Comment.objects.filter(
        grade__superseded_by=None, grade__assignment__repeat=False, **{f"{_ITEM}__campaign__release": release}
    )
    if campaign:
        live = live.filter(**{f"{_ITEM}__campaign__slug": campaign})
    related = live.select_related("grade__assignment__reviewer")
    return related.order_by(
        f"{_ITEM}__campaign_id", f"{_ITEM}__instance__key", f"{_ITEM}_id", "grade_id", "pk"
    )


def _item(number: int) -> Item:
    related = (
        "campaign__rubric",
        "campaign__release__benchmark",
        "instance",
        "output__redacted",
        "second__redacted",
    )
    return Item.objects.select_related(*related, "output__run__system", "second__run__system").get(pk=number)


def _sources(item: Item) -> dict[str, str]:
    """The source of every block that comments can be anchored to."""
    wanted = [
        (proof.anchored.text, proof.anchored.text_format, proof.prefix)
        for proof in item_material(item).proofs
    ]
    documents = rendered_all(wanted)
    if any(document.waiting for document in documents):
        raise Refused(
            f"A text of {item.instance.key} is being prepared for reading; try again in a minute.",
            code="being_prepared",
        )
    return {block.id: block.source for document in documents for block in document.blocks}


def _subject(output: Output) -> Subject:
    run = output.run
    return Subject(output.instance.key, run.system.slug, output.attempt, run.track, run.condition)


def _row(
    release: Release, item: Item, comment: Comment, sources: dict[str, str], *, identities: bool
) -> dict[str, object]:
    place = comment.grade.assignment
    block = upright_block(comment.block, swapped=place.swapped)
    source, anchor = sources.get(block, ""), comment.anchor
    around = slice(max(comment.start - AROUND, 0), comment.start), slice(comment.end, comment.end + AROUND)
    quote, prefix, suffix = source[comment.start : comment.end], source[around[0]], source[around[1]]
    if anchor:
        quote, prefix, suffix = words_of(anchor)
    outputs = [output for output in (item.output, item.second) if output is not None]
    for output in outputs:
        output.instance = item.instance
    about = "|".join(str(_subject(output)) for output in outputs) or item.instance.key
    one = outputs[0] if identities and len(outputs) == 1 else None
    cells = (
        release.name,
        item.campaign.slug,
        about if identities or not outputs else f"blind-{opaque(about)[:16]}",
        item.instance.key,
        one.run.system.slug if one else "",
        one.attempt if one else "",
        place.reviewer.rater,
        "expert",
        "",
        "pdf" if anchor else "block",
        block,
        comment.start,
        comment.end,
        page_of(anchor) if anchor else "",
        json.dumps(rects_of(anchor)) if anchor else "",
        quote,
        prefix,
        suffix,
        comment.severity,
        comment.kind,
        comment.text,
        comment.grade.created_at.isoformat(),
    )
    return dict(zip(COLUMNS, cells, strict=True))
