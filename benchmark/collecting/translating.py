"""A file of another tool as a file of the protocol's own format: how `import_outputs` reads it."""

from collections.abc import Collection
from pathlib import Path

from benchmark.collecting.columns import SYSTEM, columns_of, guess_columns
from benchmark.collecting.mapping import Reading, check_mapping, table_fields
from benchmark.collecting.staging import MOST_FAULTS, Lines, Staged, stage_table
from benchmark.foreign.recognising import tool_of
from benchmark.importing.records import RecordError
from benchmark.importing.survey import BadFile
from benchmark.protocol import Protocol


def translated(
    path: Path, folder: Path, rules: Protocol, known: Collection[str], *, system: str, ids: str, key: str
) -> Lines | None:
    """The outputs in `path` as lines written into `folder`; None unless another tool wrote it.

    `known` are the problems of the release. All outputs are those of `system`. `key` is the column that names the
    problem, "" for the usual one. Raises BadFile, and Refused for a mapping that cannot be carried out.
    """
    tool = tool_of(path)
    if tool is None:
        return None
    try:
        found_in = list(tool.rows(path))
    except RecordError as error:
        raise BadFile([error], more=False) from error
    rows = [row for row in found_in if not isinstance(row, RecordError)]
    if not rows:  # no columns either, so that the mapping would be at fault
        bad = [row for row in found_in if isinstance(row, RecordError)]
        empty = RecordError("the file has no outputs")
        raise BadFile(bad[:MOST_FAULTS] or [empty], more=len(bad) > MOST_FAULTS)
    columns = list(dict.fromkeys(column for _, row in rows for column in columns_of(row)))
    found = guess_columns(table_fields(rules, "outputs"), columns)
    found.pop(SYSTEM, None)
    if key:
        found = {field: column for field, column in found.items() if column != key}
        found["instance_id" if "instance_id" in found else "index"] = key
    reading = Reading(table="outputs", columns=found, system=system, ids=ids)
    check_mapping(reading, rules, known)
    staged = Staged(folder, keys=set(known))
    stage_table(staged, path, reading, rules, path.name)
    if staged.faults:
        faults = [
            RecordError(one["reason"], line=one["line"], field=one["field"])
            for one in staged.faults[:MOST_FAULTS]
        ]
        raise BadFile(faults, more=False)
    return next(iter(staged.runs.values()), None) or Lines(folder / "none.jsonl")
