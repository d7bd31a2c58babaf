"""The first pass over a file: every record checked, keys and hashes noted, nothing written."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from accounts.refusal import Refused
from benchmark.canonical import instance_sha256, output_sha256, paper_content
from benchmark.importing.keyindex import KeyIndex
from benchmark.importing.progress import Progress
from benchmark.importing.records import RecordError
from benchmark.overlaps import NO_OVERLAPS, OverlapIndex, Overlaps
from benchmark.protocol import NOT_RELEASED, InstanceRecord, OutputRecord, withheld_record
from canonical import sha256_of

MAX_ERRORS = 20
MAX_LENGTHS = {"key": 200, "domain": 100, "split": 50}
REPORT_EVERY = 500

Record = TypeVar("Record", InstanceRecord, OutputRecord)


class BadFile(Refused):
    """A file that was refused as a whole; `errors` are the first faults, with their places."""

    def __init__(self, errors: list[RecordError], *, more: bool) -> None:
        self.errors = errors
        first = errors[0]
        super().__init__(first.reason, code="bad_file", line=first.line or None, field=first.field)
        self.more = more

    def __str__(self) -> str:
        lines = [str(error) for error in getattr(self, "errors", [])]
        if getattr(self, "more", False):
            lines.append("and there are more; nothing was imported")
        else:
            lines.append("nothing was imported")
        return "\n".join(lines)


@dataclass
class Survey:
    """What the first pass found: the index of the records, and counts for the report.

    `groups` is the number of papers of a release, or of instances that have an output; `overlaps` is of a release.
    """

    index: KeyIndex
    counts: Counter[str] = field(default_factory=Counter)
    groups: int = 0
    overlaps: Overlaps = NO_OVERLAPS

    @property
    def sha256(self) -> str:
        return self.index.sha256()


def output_key(instance: str, attempt: int) -> str:
    """The key of an output within its run."""
    return f"{instance}/{attempt}"


def survey_release(
    records: Iterable[InstanceRecord | RecordError],
    index: KeyIndex,
    progress: Progress,
    most_faults: int = MAX_ERRORS,
    passage_of: Callable[[Mapping[str, Any]], Any] | None = None,
) -> Survey:
    """Check a release file; `counts` is instances by domain. Raises BadFile with at most so many faults."""
    result = Survey(index)
    with (
        KeyIndex() as papers,
        KeyIndex() as seen_keys,
        KeyIndex() as seen_papers,
        OverlapIndex(passage_of) as overlaps,
    ):

        def note(record: InstanceRecord) -> Iterator[RecordError]:
            for name, limit in MAX_LENGTHS.items():
                if len(getattr(record, name)) > limit:
                    yield RecordError(f"longer than {limit} characters", line=record.line, field=name)
            yield from _repeated_key(index, record.key, instance_sha256(record), record.line, "instance_id")
            yield from _look_alike(seen_keys, record.key, record.line, "instance_id")
            if record.paper:
                yield from _look_alike(seen_papers, record.paper.key, record.line, "paper")
                sha256 = sha256_of(paper_content(record.paper))
                earlier = papers.find(record.paper.key)
                if earlier and earlier[0] != sha256:
                    reason = f"paper {record.paper.key!r} is described differently on line {earlier[1]}"
                    yield RecordError(reason, line=record.line, field="paper")
                papers.add(record.paper.key, sha256, record.line)
            overlaps.add(record.key, record.paper.key if record.paper else None, record.payload)
            result.counts[record.domain] += 1

        _check(records, note, progress, most_faults)
        result.groups, result.overlaps = len(papers), overlaps.found()
    return result


def survey_outputs(
    records: Iterable[OutputRecord | RecordError],
    index: KeyIndex,
    instances: KeyIndex,
    progress: Progress,
    most_faults: int = MAX_ERRORS,
) -> Survey:
    """Check an outputs file against the release's instances; `counts` is records by state. Raises BadFile."""
    result = Survey(index)
    with KeyIndex() as covered, KeyIndex() as withheld:

        def note(record: OutputRecord) -> Iterator[RecordError]:
            if not instances.find(record.instance):
                reason = f"the release has no instance {record.instance[:200]!r}"
                yield RecordError(reason, line=record.line, field="instance_id")
            key = output_key(record.instance, record.attempt)
            yield from _repeated_key(index, key, output_sha256(record), record.line, "attempt")
            name, says_so = record.instance[:200], record.state == NOT_RELEASED
            if says_so and record != replace(withheld_record(record.instance), line=record.line):
                yield RecordError("what was not released has no content and no attempts", line=record.line)
            other = (covered if says_so else withheld).find(record.instance)
            if other:
                reason = f"{name!r} has an output and is marked as not released; see line {other[1]}"
                yield RecordError(reason, line=record.line, field="state")
            covered.add(record.instance, "", record.line)
            if says_so:
                withheld.add(record.instance, "", record.line)
            result.counts[record.state] += 1

        _check(records, note, progress, most_faults)
        result.groups = len(covered)
    return result


def _check(
    records: Iterable[Record | RecordError],
    note: Callable[[Record], Iterable[RecordError]],
    progress: Progress,
    most_faults: int,
) -> None:
    errors: list[RecordError] = []
    number = 0
    for number, record in enumerate(records, start=1):
        errors.extend([record] if isinstance(record, RecordError) else note(record))
        if len(errors) > most_faults:
            raise BadFile(errors[:most_faults], more=True)
        if number % REPORT_EVERY == 0:
            progress("checking", number, 0)
    if errors:
        raise BadFile(errors, more=False)
    if not number:
        raise Refused("the file contains no records", code="empty_file")


def _repeated_key(index: KeyIndex, key: str, sha256: str, line: int, name: str) -> Iterator[RecordError]:
    earlier = index.find(key)
    if earlier:
        yield RecordError(f"{key!r} is already on line {earlier[1]}", line=line, field=name)
    index.add(key, sha256, line)


def _look_alike(seen: KeyIndex, key: str, line: int, name: str) -> Iterator[RecordError]:
    """A key that nobody can tell from an earlier one: a problem would be there twice, a paper count as two."""
    visible = (
        key if key.isascii() else "".join(letter for letter in key if unicodedata.category(letter) != "Cf")
    )
    looks = " ".join(unicodedata.normalize("NFC", visible).split())
    earlier = seen.find(looks)
    if earlier and earlier[0] != key:
        # as ASCII, because nobody sees a difference otherwise
        reason = f"{key!a} looks like {earlier[0]!a} on line {earlier[1]}: give one thing one name"
        yield RecordError(reason, line=line, field=name)
    seen.add(looks, key, line)
