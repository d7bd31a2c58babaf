"""Storing the flags of a grade."""

from collections.abc import Mapping, Sequence

from annotation.grading.leakage import CheckedFlag
from annotation.models import Flag, FlagSpan, Grade
from benchmark.leakage_kinds import FLAG_KINDS
from benchmark.models import Output


def write_flags(grade: Grade, flags: Sequence[CheckedFlag], sides: Mapping[str, Output]) -> None:
    """The rows of `flags`; `sides` maps first and second to the outputs of a pair, and is empty otherwise."""
    rows = [
        Flag(
            grade=grade,
            kind=flag.kind,
            output=_output_at_fault(grade, flag, sides),
            link=flag.link,
            note=flag.note,
        )
        for flag in flags
    ]
    Flag.objects.bulk_create(rows)
    FlagSpan.objects.bulk_create(
        FlagSpan(flag=row, block=span.block, start=span.start, end=span.end, text=span.text)
        for row, flag in zip(rows, flags, strict=True)
        for span in flag.spans
    )


def _output_at_fault(grade: Grade, flag: CheckedFlag, sides: Mapping[str, Output]) -> Output | None:
    if FLAG_KINDS[flag.kind].subject == "instance":
        return None
    return sides.get(flag.side, grade.assignment.item.output)
