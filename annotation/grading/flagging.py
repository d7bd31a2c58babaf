"""Storing the flags of a grade."""

from collections.abc import Mapping, Sequence

from annotation.grading.leakage import CheckedFlag
from annotation.models import Flag, FlagSpan, Grade
from benchmark.leakage_kinds import FLAG_KINDS
from benchmark.models import Output


def write_flags(grade: Grade, flags: Sequence[CheckedFlag], sides: Mapping[str, Output]) -> None:
    """The rows of `flags`; `sides` maps first and second to the outputs of a pair, and is empty otherwise."""
    rows = []
    for flag in flags:
        about_instance = FLAG_KINDS[flag.kind].subject == "instance"
        output = None if about_instance else sides.get(flag.side, grade.assignment.item.output)
        rows.append(Flag(grade=grade, kind=flag.kind, output=output, link=flag.link, note=flag.note))
    Flag.objects.bulk_create(rows)
    FlagSpan.objects.bulk_create(
        FlagSpan(flag=row, block=span.block, start=span.start, end=span.end, text=span.text)
        for row, flag in zip(rows, flags, strict=True)
        for span in flag.spans
    )
