"""The items of a report: what was graded, and what its graders said at which passage.

`annotation.core.visibility` decides what the person who asked may see; a blinded report names neither systems nor
graders, for every reader.
"""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Prefetch, Q, QuerySet

from accounts.models import User
from annotation.campaigns.pairing import upright, upright_block
from annotation.core.documents import texts
from annotation.core.files import pictures_in, sheet_files
from annotation.core.item_names import is_turned, item_name
from annotation.core.material import ShownFile, item_material
from annotation.core.visibility import Thing, Viewer, may_see
from annotation.grading.file_anchors import page_of, quote_of
from annotation.grading.reasons import seen_where, unjudged_reason
from annotation.grading.remarks import words_between
from annotation.grading.word_anchors import Anchored, anchored_to
from annotation.models import Answer, Campaign, Comment, Flag, Grade, Item
from benchmark.files.pictures import illustrated
from benchmark.models import CleanCopy, OutputState
from benchmark.rendering.actions import render_now
from benchmark.rubrics import rubric_from_content
from benchmark.steps import steps_of
from latex import Block
from reports.exclusions.objections import excluded_of
from reports.labels.rows import opaque
from reports.printing.pages import PICTURE
from stats.core.scale import value_words

EVERY = Q()
TOGETHER = 6  # graders in one table of verdicts; more would run off the page

_FILES = {
    "problem": "PDF of the problem",
    "first": "PDF of the first proof",
    "second": "PDF of the second proof",
}


@dataclass(frozen=True)
class PrintedComment:
    """A remark with who made it, as the report names them."""

    grader: str
    severity: str
    severity_words: str
    kind: str
    text: str
    place: str = ""
    quote: str = ""
    start: int = 0
    end: int = 0

    def quoting(self, source: str) -> "PrintedComment":
        """With the words of its passage's source that it is about, if it has none yet."""
        return replace(self, quote=self.quote or words_between(source, self.start, self.end))


@dataclass(frozen=True)
class PrintedPassage:
    """A block of the text with the remarks that are anchored to it; `step` is the step that begins here, if graders
    were asked about steps and the text does not say so itself."""

    block: Block
    comments: tuple[PrintedComment, ...]
    step: str = ""


@dataclass(frozen=True)
class PrintedPart:
    """A titled part in passages."""

    title: str
    passages: tuple[PrintedPassage, ...]


@dataclass(frozen=True)
class PrintedAnswer:
    """What each grader answered to a question, in the order of the graders; empty when not asked.

    Answers in free text are long: they have no column of the table but are `remarks`, as are comments on an answer.
    """

    question: str
    step: str
    values: tuple[str, ...]
    remarks: tuple[tuple[str, str], ...]
    is_text: bool


@dataclass(frozen=True)
class PrintedItem:
    """One item of a report. `system` is empty in a blinded report, `state` unless there was no answer; `lost`
    has remarks on passages that the text does not have, `on_files` those on pages of PDFs, `general` those on the text
    as a whole. `key` is the problem's, `name` tells its items apart; `excluded`: the primary rule leaves the problem
    out of scores."""

    number: int
    key: str
    name: str
    title: str
    domain: str
    system: str
    state: str
    parts: tuple[PrintedPart, ...]
    graders: tuple[str, ...]
    answers: tuple[PrintedAnswer, ...]
    notes: tuple[tuple[str, str], ...]
    lost: tuple[PrintedComment, ...]
    on_files: tuple[PrintedComment, ...] = ()
    general: tuple[PrintedComment, ...] = ()
    excluded: bool = False

    @property
    def tables(self) -> Iterator[tuple[tuple[str, ...], list[tuple[PrintedAnswer, tuple[str, ...]]]]]:
        """The verdicts as tables of a few graders each, so that all fit on the paper."""
        asked = [answer for answer in self.answers if not answer.is_text]
        for start in range(0, len(self.graders), TOGETHER):
            some = slice(start, start + TOGETHER)
            yield self.graders[some], [(answer, answer.values[some]) for answer in asked]


def item_count(campaigns: Sequence[Campaign], among: Q) -> int:
    """How many items the campaigns have `among` those of the condition."""
    return Item.objects.filter(among, campaign__in=campaigns).count()


def referees(campaigns: Sequence[Campaign], among: Q) -> list[User]:
    """Everyone with a grade that counts on an item of the campaigns, in an order that says nothing about them."""
    grades = Grade.objects.filter(superseded_by=None, assignment__item__in=_items(campaigns, among))
    people = User.objects.filter(pk__in=grades.values("assignment__reviewer"))
    return sorted(people, key=lambda person: opaque(f"referee {person.pk}"))


def _items(campaigns: Sequence[Campaign], among: Q) -> QuerySet[Item]:
    return Item.objects.filter(among, campaign__in=campaigns)


def printed_items(
    campaigns: Sequence[Campaign],
    who: Viewer,
    *,
    identities: bool,
    batch: int = 10,
    among: Q = EVERY,
    referee: User | None = None,
) -> Iterator[list[PrintedItem]]:
    """The items of the campaigns, `among` those of the condition, in batches, numbered from 1.

    They go by campaign and problem; the outputs of a problem by system, or blinded in an order that tells nothing.
    For one `referee` they are those with a grade of theirs, and of the texts only the passages with their comments.
    """
    chosen_items = _items(campaigns, among)
    if referee is not None:
        own = Grade.objects.filter(superseded_by=None, assignment__reviewer=referee)
        chosen_items = chosen_items.filter(pk__in=own.values("assignment__item"))
    rows = chosen_items.values_list(
        "campaign_id",
        "instance__domain",
        "instance__key",
        "output__run__system__slug",
        "output__attempt",
        "pk",
    )
    if identities:
        ordered = sorted(rows, key=lambda row: (*row[:3], row[3] or "", row[4] or 0, row[-1]))
    else:
        ordered = sorted(rows, key=lambda row: (*row[:3], opaque(f"item {row[-1]}")))
    keys = [row[-1] for row in ordered]
    excluded = {release: excluded_of(release) for release in {campaign.release for campaign in campaigns}}
    items = Item.objects.select_related(
        "campaign__rubric",
        "campaign__release__benchmark",
        "instance",
        "output__run__system",
        "output__redacted",
        "second__run__system",
        "second__redacted",
    )
    live = (
        Grade.objects.filter(superseded_by=None)
        .select_related("assignment__reviewer", "unjudged", "seen_where")
        .prefetch_related(
            Prefetch("answers", Answer.objects.order_by("pk")),
            Prefetch("comments", Comment.objects.order_by("pk")),
            Prefetch("flags", Flag.objects.order_by("pk").prefetch_related("spans")),
        )
        .order_by("created_at", "pk")
    )
    if referee is not None:
        live = live.filter(assignment__reviewer=referee)
    for start in range(0, len(keys), batch):
        chosen = keys[start : start + batch]
        loaded = items.in_bulk(chosen)
        grades: dict[int, list[Grade]] = defaultdict(list)
        for grade in live.filter(assignment__item__in=chosen):
            grades[grade.assignment.item_id].append(grade)
        yield [
            replace(
                _printed(loaded[key], grades[key], who, number, identities=identities, whole=referee is None),
                excluded=loaded[key].instance.key in excluded[loaded[key].campaign.release],
            )
            for number, key in enumerate(chosen, start + 1)
        ]


def _printed(
    item: Item, grades: Sequence[Grade], who: Viewer, number: int, *, identities: bool, whole: bool
) -> PrintedItem:
    phase = item.campaign.phase
    if not may_see(who, Thing.OTHERS_LABELS, phase, submitted=True):
        grades = []
    named = identities and may_see(who, Thing.IDENTITY, phase, submitted=True)
    turned = not named and is_turned(item)
    # a mirrored pair was graded twice by one reviewer, who is not a second one
    people = list(dict.fromkeys(grade.assignment.reviewer for grade in grades))
    graders = [
        (place.reviewer.rater if named else f"Grader {people.index(place.reviewer) + 1}")
        + (", again" if place.repeat else "")
        for place in (grade.assignment for grade in grades)
    ]
    by_grader = list(zip(graders, grades, strict=True))
    remarks: dict[str, list[PrintedComment]] = defaultdict(list)
    on_files: list[PrintedComment] = []
    general: list[PrintedComment] = []
    notes = []
    for name, grade in by_grader:
        for comment in grade.comments.all():
            block = upright_block(comment.block, swapped=bool(grade.assignment.swapped) != turned)
            about = anchored_to(comment.anchor)
            file = _FILES.get(block.split("-")[0], "PDF")
            said = {Anchored.PDF: on_files, Anchored.WHOLE: general}.get(about, remarks[block])
            said.append(
                PrintedComment(
                    grader=name,
                    severity=comment.severity,
                    severity_words=comment.get_severity_display(),
                    kind=comment.get_kind_display() if comment.kind else "",
                    text=comment.text,
                    place=f"{file}, page {page_of(comment.anchor)}" if about == Anchored.PDF else "",
                    quote=quote_of(comment.anchor),
                    start=comment.start,
                    end=comment.end,
                )
            )
        other_order = bool(item.second_id) and grade.assignment.swapped != turned
        notes += [(name, note) for note in _notes(grade, other_order=other_order)]
    # every remark on a passage of an anchored part is taken out of `remarks`
    shown = item_material(item, swapped=turned)
    anchored = [proof.anchored for proof in shown.proofs]
    about_steps = any(answer.step for _, grade in by_grader for answer in grade.answers.all())
    names: dict[str, str] = {}
    open_parts = []
    files = sheet_files(shown, _inline)
    every_part = [(part, "problem-") for part in shown.instance_parts]
    every_part += [
        (part, f"{proof.side}-" * bool(proof.side)) for proof in shown.proofs for part in proof.parts
    ]
    for (part, prefix), plain in zip(every_part, render_now(texts(shown)), strict=True):
        document = illustrated(plain, pictures_in(files, prefix))
        if part.collapsed:
            continue
        commented = any(part is one for one in anchored)
        if commented and about_steps:
            names = {step.key: step.name for step in steps_of(document.blocks)}
        passages = [
            PrintedPassage(
                block,
                tuple(one.quoting(block.source) for one in (remarks.pop(block.id, ()) if commented else ())),
                _step_sign(block, names) if commented else "",
            )
            for block in document.blocks
        ]
        if not whole:
            passages = [passage for passage in passages if passage.comments]
        if passages:
            open_parts.append(PrintedPart(part.title, tuple(passages)))
    systems = [output.run.system.name for output in (item.output, item.second) if output]
    answered = item.output is None or item.output.state == OutputState.ANSWERED
    return PrintedItem(
        number=number,
        key=item.instance.key,
        name=item_name(item.pk)[:6],
        title=shown.title,
        domain=shown.domain,
        system=" and ".join(systems) if named else "",
        state="" if answered or item.output is None else item.output.get_state_display(),
        parts=tuple(open_parts),
        graders=tuple(graders),
        answers=tuple(_answers(item, by_grader, names, turned=turned)),
        notes=tuple(notes),
        lost=tuple(comment for left in remarks.values() for comment in left),
        on_files=tuple(on_files),
        general=tuple(general),
    )


def _step_sign(block: Block, names: Mapping[str, str]) -> str:
    name = names.get(block.id, "")
    return "" if f"Step {name}" in block.source[:40] else name


def _notes(grade: Grade, *, other_order: bool) -> Iterator[str]:
    """What a grade says in addition to its answers and comments."""
    if grade.note:
        yield grade.note
    if other_order:
        yield "saw the two proofs in the other order."
    if grade.seen_before:
        where = seen_where(grade)
        yield f"had seen this solution before{': ' if where else '.'}{where}"
    if grade.statement_wrong:
        yield "says that the statement is wrong."
    if reason := unjudged_reason(grade):
        why = f": {reason['note']}" if reason["note"] else "."
        yield f"says that this cannot be judged. {reason['words']}{why}"
    for flag in grade.flags.all():
        quotes = (f"“{span.text}”" for span in flag.spans.all())
        yield "flags: " + " ".join(filter(None, [flag.get_kind_display(), *quotes, flag.link, flag.note]))


def _inline(file: ShownFile) -> str:
    """The address of a picture of a text, which is its bytes; "" for other files, which are not printed."""
    if not file.in_text:
        return ""
    return PICTURE + b64encode(CleanCopy.objects.get(pk=file.copy).data).decode()


def _answers(
    item: Item, by_grader: Sequence[tuple[str, Grade]], names: Mapping[str, str], *, turned: bool
) -> Iterator[PrintedAnswer]:
    """One row per question and step, by its name; a question that nobody was asked is left out."""
    given = {
        (answer.question, answer.step, grader): answer
        for grader, grade in by_grader
        for answer in grade.answers.all()
    }
    for question in rubric_from_content(item.campaign.rubric.content).questions:
        asked = {step for key, step, _ in given if key == question.key}
        is_text = question.scale.kind == "text"
        for step in sorted(asked, key=lambda step: (len(step), step)):  # b2 before b10
            values, remarks = [], []
            for grader, grade in by_grader:
                answer = given.get((question.key, step, grader))
                if answer is None:
                    values.append("")
                    continue
                preferred = question.scale.kind == "preference"
                swapped = preferred and bool(grade.assignment.swapped) != turned
                unanswered = "cannot be judged" if answer.state == "abstain" else answer.state
                value = upright(answer.value, swapped=swapped)
                values.append(value_words(value) or unanswered)
                remarks += [(grader, words) for words in (value * is_text, answer.comment) if words]
            name = names.get(step, step)
            yield PrintedAnswer(question.text, name, tuple(values), tuple(remarks), is_text)
