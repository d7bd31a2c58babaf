"""What a repaired text must satisfy: the protocol's loader reads its line, and the recipe's own checks let it pass."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from accounts.refusal import Refused
from benchmark.importing.exported import release_records
from benchmark.importing.records import RecordError
from benchmark.protocol import InstanceRecord
from benchmark.protocols import get_protocol
from canonical import canonical_json
from construction.builds.emission import repaired_lines
from construction.builds.strings import string_at, value_at
from construction.models import Build
from construction.pipeline import get_pipeline

LONGEST = 20_000  # characters of a repaired text, which is checked while somebody waits


def editable(one: Mapping[str, Any]) -> dict[str, str]:
    """The strings of a line that a person may repair by name: those cut from the source or written by a model."""
    return {
        path: string_at(one["line"], path)
        for path, origin in one["provenance"].items()
        if isinstance(value_at(one["line"], path), str) and (origin["places"] or origin["written_by"])
    }


def as_instances(
    protocol: str, lines: Sequence[Mapping[str, Any]]
) -> list[InstanceRecord | RecordError | None]:
    """Each line of a candidate as the protocol's own loader reads it from a file of them, or its first fault."""
    found: list[InstanceRecord | RecordError | None] = [None] * len(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.jsonl"
        path.write_bytes(b"".join(canonical_json(line) + b"\n" for line in lines))
        for record in release_records(get_protocol(protocol), path):
            place = (record.line or 1) - 1
            if found[place] is None or isinstance(record, RecordError):
                found[place] = record
    return found


def check_repair(build: Build, lines: Sequence[Mapping[str, Any]], after: Mapping[str, str]) -> None:
    """Raises Refused, naming the string, for a repair after which a line could not be released."""
    pipeline = get_pipeline(build.protocol)
    recipe = pipeline.recipe(build.recipe)
    for name, text in after.items():
        number, _, path = name.partition(".")
        if path not in editable(lines[int(number)]):
            raise Refused(f"{path} is not a text that can be repaired.", code="not_editable", field=name)
        if len(text) > LONGEST:
            reason = f"{path} has {len(text):,} characters, and {LONGEST:,} are allowed."
            raise Refused(reason, code="too_long", field=name)
        if text and not text.strip():
            raise Refused(f"{path} is blank.", code="blank", field=name)
    repaired = repaired_lines(lines, after)
    for fault in as_instances(build.protocol, [one["line"] for one in repaired]):
        if isinstance(fault, RecordError):
            where = f"{fault.field}: " if fault.field else ""
            raise Refused(f"Line {fault.line}: {where}{fault.reason}", code="bad_line", field="after")
    for name, text in after.items():
        number, _, path = name.partition(".")
        one = repaired[int(number)]
        found = [(path, pipeline.objection(one["line"], path, text, recipe))]
        # An anchor that nobody touched may give away what the citation says now.
        found += [
            (other, pipeline.leak(one["line"], other, said, recipe)) for other, said in editable(one).items()
        ]
        for other, drop in found:
            if drop:
                where = f"{other} of line {int(number) + 1}" if len(lines) > 1 else other
                raise Refused(f"{where}: {drop.sentence}", code=drop.code, field=f"{number}.{other}")
    if after and (drop := pipeline.disagreement([one["line"] for one in repaired])):
        raise Refused(f"{drop.sentence}.", code=drop.code, field="after")
