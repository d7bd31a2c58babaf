"""The comment table: every anchored comment of a live grade, with the words that it is about."""

import json
import re
from collections.abc import Iterable, Iterator

from accounts.refusal import Refused
from annotation.campaigns.pairing import upright_block
from annotation.core.material import item_material
from annotation.grading.file_anchors import page_of, rects_of, words_of
from annotation.grading.word_anchors import Anchored, Given, Quoted, anchored_to, around, given_of
from annotation.models import Comment, Item
from benchmark.models import Release
from benchmark.rendering.stored import rendered_all
from benchmark.subjects import InstanceSubject, PairSubject, Subject
from reports.labels.rows import blind_subject

COLUMNS = (
    "release", "campaign", "subject", "instance", "system", "attempt", "rater", "rater_kind", "question", "anchor",
    "block", "start", "end", "page", "rects", "quote", "prefix", "suffix", "severity", "kind", "text", "created_at",
)  # fmt: skip
_ITEM = "grade__assignment__item"
_NAMING = ("campaign", "instance", "output__run__system", "second__run__system")
_TEXTS = ("output__text", "output__payload", "second__text", "second__payload", "instance__payload")
_READING = ("campaign__rubric", "campaign__release__benchmark", "output__redacted", "second__redacted")


def comment_rows(
    release: Release, *, campaign: str = "", identities: bool = False
) -> Iterator[dict[str, object]]:
    """One row per comment, by campaign, problem and what was graded; outputs are named only with `identities`.

    `quote`, `prefix` and `suffix` are from the source of the block, at the offsets of the comment, or from the page of
    a PDF. Where the text has no such place, `anchor` is "lost" and they are what the comment said about it. Raises
    Refused (code "being_prepared") while one of the texts waits for a worker to render it. Blocks of a pair are named
    in the order of its name, or without `identities` in an order that tells nothing, which is that of the label table.
    """
    live = Comment.objects.filter(
        grade__superseded_by=None, grade__assignment__repeat=False, **{f"{_ITEM}__campaign__release": release}
    )
    if campaign:
        live = live.filter(**{f"{_ITEM}__campaign__slug": campaign})
    light = Item.objects.select_related(*_NAMING).defer(*_TEXTS)
    named = []
    for item in light.filter(pk__in=live.values("grade__assignment__item")):
        subject, turned = str(InstanceSubject(item.instance.key)), False
        outputs = [
            Subject(item.instance.key, one.run.system.slug, one.attempt, one.run.track, one.run.condition)
            for one in (item.output, item.second)
            if one is not None
        ]
        if outputs:
            pair = PairSubject(*outputs) if len(outputs) == 2 else None
            subject = str(pair or outputs[0])
            turned = pair is not None and pair.ordered[0] is not outputs[0]
            if not identities:  # the order of the systems would tell them
                subject, exchanged = blind_subject(item.campaign.slug, subject)
                turned ^= exchanged and pair is not None
        named.append((item.campaign.slug, item.instance.key, subject, item.pk, turned))
    for _, _, subject, number, turned in sorted(named):
        item = Item.objects.select_related(*_NAMING, *_READING).get(pk=number)
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
        sources = {block.id: block.source for document in documents for block in document.blocks}
        comments = live.filter(grade__assignment__item=item).select_related("grade__assignment__reviewer")
        rows = [
            _row(release, item, subject, one, sources, turned=turned, identities=identities)
            for one in comments
        ]
        yield from sorted(rows, key=_place)


def _place(row: dict[str, object]) -> tuple[object, ...]:
    """Where a comment comes among those on its item: by rater and along the text, on no passage last, whatever order
    they were stored in. Rows that are equal here are equal in all their cells."""
    block = re.sub(r"\d+", lambda number: number[0].zfill(9), str(row["block"]))
    place = (row["rater"], not block, block, row["page"] or 0, row["start"], row["end"])
    return *place, *map(str, row.values())


def comment_table(rows: Iterable[dict[str, object]]) -> Iterator[list[object]]:
    """The same as a table with a head."""
    yield list(COLUMNS)
    yield from (list(row.values()) for row in rows)


def _row(
    release: Release,
    item: Item,
    subject: str,
    comment: Comment,
    sources: dict[str, str],
    *,
    turned: bool,
    identities: bool,
) -> dict[str, object]:
    place, anchor = comment.grade.assignment, comment.anchor
    about, quoted = anchored_to(anchor), Quoted(*words_of(anchor))
    block = upright_block(comment.block, swapped=place.swapped)
    if about == Anchored.BLOCK and block not in sources:
        about = Anchored.LOST
    elif anchor is None:
        source, start, end = sources[block], comment.start, comment.end
        quoted = Quoted(source[start:end], *around(source, start, end))
    given = given_of(anchor)
    if anchor is None or about != Anchored.LOST:
        given = Given(
            upright_block(block, swapped=turned),
            comment.start,
            comment.end,
            page_of(anchor) if about == Anchored.PDF else 0,
            rects_of(anchor),
        )
    one = item.output if identities and not item.second else None
    cells = (
        release.name,
        item.campaign.slug,
        subject,
        item.instance.key,
        one.run.system.slug if one else "",
        one.attempt if one else "",
        place.reviewer.rater,
        "expert",
        "",
        about.value,
        given.block,
        given.start,
        given.end,
        given.page or "",
        json.dumps(given.rects) if given.rects else "",
        quoted.exact,
        quoted.prefix,
        quoted.suffix,
        comment.severity,
        comment.kind,
        comment.text,
        comment.grade.created_at.isoformat(),
    )
    return dict(zip(COLUMNS, cells, strict=True))
