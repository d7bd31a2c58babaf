"""Reading a comment table against the labels that come with it: every row checked, and put at its place in the text."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from annotation.grading.answers import CheckedComment
from annotation.grading.file_anchors import MAX_RECTS, is_number
from annotation.grading.word_anchors import Anchored, Given, Quoted
from annotation.importing.comments import PlacedComment, PublishedComment, placed, readable
from annotation.models import CommentKind, Item, Severity
from benchmark.importing.progress import Progress, silent
from benchmark.models import Instance, Output
from benchmark.subjects import InstanceSubject, PairSubject, parse_subject
from reports.labels.comments import COLUMNS
from reports.labels.faults import MOST_FAULTS, Fault, LabelRow
from reports.labels.moments import objection_to_moment
from reports.labels.reading import GradeKey, LabelReader
from reports.labels.repeating import UNSPECIFIED_CAMPAIGN
from stats.tables.columns import Check
from stats.tables.labels import one_of
from stats.tables.names import same_name

MOST_COMMENTS = 200_000
MOST_WORDS = 100_000  # characters of a comment or quote
USUAL_SEVERITY = Severity.MINOR  # of a comment that says none
_OFFSETS = ("start", "end", "page")


def _as_it_is(cell: str) -> str:
    if len(cell) > MOST_WORDS:
        raise ValueError(f"is longer than {MOST_WORDS:,} characters")
    return cell


def _whole(cell: str) -> str:
    text = cell.strip()
    if text and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f"must be a whole number, 0 or more, or empty, not {cell[:40]!r}")
    return str(int(text)) if text else ""


COMMENT_CHECKS: dict[str, Check] = {
    **dict.fromkeys(COLUMNS, str.strip),
    **dict.fromkeys(_OFFSETS, _whole),
    **dict.fromkeys(("quote", "prefix", "suffix", "text"), _as_it_is),
    "rater": same_name,
    "rater_kind": one_of("expert"),
    "anchor": one_of(*Anchored),
    "severity": one_of(*Severity.values),
    "kind": one_of(*CommentKind.values),
}


class CommentReader:
    """Checks comments one by one, and gathers them by the grade that they belong to."""

    def __init__(self, labels: LabelReader) -> None:
        self.labels = labels
        self.faults: list[Fault] = []
        self.comments: dict[GradeKey, list[PublishedComment]] = defaultdict(list)
        self.placed: list[PlacedComment] = []
        self.repeated = 0
        self._taken: Counter[tuple[str, ...]] = Counter()
        self._in_file: Counter[tuple[str, ...]] = Counter()
        self._grades = labels.first_presentations()

    def read(self, rows: Iterable[LabelRow]) -> None:
        """Take every row; `faults` has what does not fit, at most MOST_FAULTS of it."""
        for number, row in enumerate(rows, start=1):
            fault = next(self._complaints(row), None)
            if number > MOST_COMMENTS:
                fault = "", f"more than {MOST_COMMENTS:,} comments; import them in parts"
            if fault:
                self.faults.append(Fault(row.line, *fault, row.file))
            elif self._is_repeated(row):
                self.repeated += 1
            else:
                about = row["anchor"]
                if not about:  # a table that people wrote
                    anywhere = row["block"] or row["quote"] or row["prefix"] or row["suffix"]
                    about = Anchored.PDF if row["page"] else Anchored.BLOCK if anywhere else Anchored.WHOLE
                start, end, page = (int(row[name] or 0) for name in _OFFSETS)
                comment = PublishedComment(
                    about=Anchored(about),
                    quoted=Quoted(row["quote"], row["prefix"], row["suffix"]),
                    given=Given(row["block"][:50], start, end, page, _rectangles(row["rects"])),
                    severity=row["severity"] or USUAL_SEVERITY,
                    kind=row["kind"],
                    text=row["text"],
                    line=row.line,
                    file=row.file,
                )
                self.comments[self._grades[_key(row)]].append(comment)
            if number > MOST_COMMENTS or len(self.faults) >= MOST_FAULTS:
                return

    def _complaints(self, row: LabelRow) -> Iterator[tuple[str, str]]:
        if row["release"] not in ("", self.labels.release.name):
            yield "release", f"{row['release']!r} is not the release {self.labels.release.name!r}"
        if _key(row) not in self._grades:
            campaign, subject, rater = _key(row)
            yield (
                "subject",
                f"no label of {rater or 'nobody'} on {subject!r} in {campaign} comes with this comment",
            )
        if row["question"]:
            yield "question", "a comment is about a passage; remarks on an answer are in the label table"
        if not row["text"].strip() and row["severity"] != Severity.HIGHLIGHT:
            yield "text", "the comment is empty"
        if row["created_at"] and (objection := objection_to_moment(row["created_at"])):
            yield "created_at", objection
        if int(row["end"] or 0) < int(row["start"] or 0):
            yield "end", "is before the start"
        try:
            _rectangles(row["rects"])
        except (ValueError, RecursionError) as error:
            yield "rects", str(error)

    def _is_repeated(self, row: LabelRow) -> bool:
        """Whether another file has the comment already, as often as this one so far: it was sent twice.

        What one file has twice are two comments, as it may have been exported.
        """
        said = tuple(row.cells.values())
        self._in_file[row.file, *said] += 1
        if self._in_file[row.file, *said] <= self._taken[said]:
            return True
        self._taken[said] += 1
        return False

    def by_grade(self, progress: Progress = silent) -> dict[GradeKey, tuple[CheckedComment, ...]]:
        """The comments of each grade where they belong; `placed` then has them all. Texts are rendered now."""
        found: dict[GradeKey, tuple[CheckedComment, ...]] = {}
        shown_so = itemgetter(1, 3)  # the subject, and the order of a pair
        for (name, order), keys in groupby(sorted(self.comments, key=shown_so), shown_so):
            subject = parse_subject(name)
            if isinstance(subject, InstanceSubject):
                instance, outputs = self.labels.instances[subject.instance], []
            else:
                shown = subject.ordered if isinstance(subject, PairSubject) else (subject,)
                outputs = [self.labels.outputs[str(one)] for one in shown]
                instance = outputs[0].instance
            turned = len(outputs) == 2 and order == "2"  # against the name of the pair
            swapped = len(outputs) == 2 and (outputs[0].pk > outputs[1].pk) != turned  # against the item
            # What would be graded, not stored. The texts are read here: the reader of labels leaves them out.
            rows = Output.objects.select_related("instance", "redacted").in_bulk(
                [each.pk for each in outputs]
            )
            first, second = [*(rows[pk] for pk in sorted(rows)), None, None][:2]
            item = Item(instance=Instance.objects.get(pk=instance.pk), output=first, second=second)
            where = readable(item, self.labels.protocol.name, swapped=swapped)
            for key in keys:
                own = [placed(one, where, turned=turned) for one in self.comments[key]]
                self.placed += own
                found[key] = tuple(one.stored for one in own)
            progress("placing", len(found), len(self.comments))
        return found


def _key(row: LabelRow) -> tuple[str, str, str]:
    return row["campaign"] or UNSPECIFIED_CAMPAIGN, row["subject"], row["rater"]


def _rectangles(cell: str) -> list[list[float]]:
    """The rectangles of a cell. Raises ValueError with the reason."""
    if not cell:
        return []
    found: Any = json.loads(cell)
    if not isinstance(found, list) or len(found) > MAX_RECTS:
        raise ValueError(f"is not a list of at most {MAX_RECTS} rectangles")
    for one in found:
        if not isinstance(one, list) or len(one) != 4 or not all(is_number(each) for each in one):
            raise ValueError("a rectangle is four numbers")
    return found
