"""What the identity scan reads of files attached to outputs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from benchmark.identities.findings import Finding, Kind
from benchmark.identities.scan import scan
from benchmark.models import Attachment, FileKind, Output

FEWEST_LETTERS = 50  # on a page on average; below this a machine has not read what a person sees


def files_to_scan(outputs: Iterable[Output]) -> Mapping[int, list[Attachment]]:
    """By output, its files with their words but without their bytes."""
    rows = Attachment.objects.filter(output__in=list(outputs)).select_related("copy", "original")
    found: defaultdict[int, list[Attachment]] = defaultdict(list)
    for row in rows.defer("copy__data", "original__data").order_by("number"):
        assert row.output_id is not None
        found[row.output_id].append(row)
    return found


def file_texts(files: Iterable[Attachment]) -> dict[str, str]:
    """Field to text: "file/1/words" and "file/1/titles" are in the copy that reviewers get, "file/1/name" and
    "file/1/metadata" only in what was sent."""
    found = {}
    for row in files:
        place = f"file/{row.number}"
        found[f"{place}/words"] = "\n".join(row.copy.words)
        found[f"{place}/titles"] = "\n".join(row.copy.kept)
        found[f"{place}/name"] = row.original.name
        found[f"{place}/metadata"] = "\n".join(row.original.dropped)
    return found


def find_in_files(
    files: Sequence[Attachment], names: Sequence[str], words: Sequence[str]
) -> list[dict[str, Any]]:
    """Findings as rows keep them. What reviewers do not get is never certain: it is shown to the person who decides. A
    PDF whose words cannot be read is certain: somebody has to look at it."""
    found: list[tuple[str, Finding]] = []
    for field, text in file_texts(files).items():
        delivered = field.endswith(("/words", "/titles"))
        for one in scan(text, "plain", names, words):
            found.append((field, one if delivered else replace(one, certain=False)))
    for row in files:
        letters = sum(len("".join(text.split())) for text in row.copy.words)
        if row.copy.kind == FileKind.PDF and letters < FEWEST_LETTERS * len(row.copy.pages):
            reason = "Most of this file is pictures; look at it for names."
            found.append((f"file/{row.number}/words", Finding(Kind.HIDDEN, 0, 0, reason, certain=True)))
    return [{"field": field, **asdict(one), "kind": str(one.kind)} for field, one in found]
