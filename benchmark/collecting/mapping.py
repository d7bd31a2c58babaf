"""What an upload is, in a sentence, and how it maps to problems and outputs: a guess that people can change. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from accounts.refusal import Refused
from benchmark.collecting.columns import (
    ONLY,
    SYSTEM,
    FieldInfo,
    cell_of,
    columns_of,
    fields_of,
    guess_columns,
)
from benchmark.collecting.documents import content_of, members_of
from benchmark.collecting.paths import TEXTS, Guess, Names, guesses, place_of, readings_of
from benchmark.collecting.tables import TABLES, rows_of
from benchmark.foreign.recognising import tool_of
from benchmark.importing.records import RecordError
from benchmark.protocol import Protocol
from stats.tables.raw_rows import MAX_COLUMNS

PREVIEW = 10
WITHOUT_COLUMN = (
    "title",
    "domain",
)  # a problem's key and the domain of the mapping are taken where there is none
MAX_MACROS = 100_000
_MACROS = {"macros", "macro", "preamble", "commands", "definitions", "defs", "newcommands"}
_ABOUT = {"readme", "notes", "license", "licence", "changelog"}  # documents about the others
_CELL = 200  # characters of a cell in the preview
_MARKDOWN = re.compile(r"(?m)^#{1,6} \S|^ *(?:[-*]|\d+\.) +\*\*|\*\*\w[^*\n]*\*\*")
_KINDS = {
    ".tex": "LaTeX file",
    ".md": "Markdown file",
    ".txt": "text file",
    ".pdf": "PDF",
    ".zip": "archive",
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".svg", ".eps", ".webp", ".gif"), "picture"),
}


@dataclass(frozen=True)
class Reading:
    """How the parts of an upload are read. For files `outputs` and `problems` are patterns, "" for none; for a table
    `columns` maps fields to columns, and `table` says what its rows are. `system` names the one system of an upload
    that does not say it, `domain` is that of problems without one. `macros` are definitions in LaTeX that are put in
    front of every text that uses one of them. `written` is how the texts of a table are written that does not say it:
    latex, markdown or plain. `ids` is a pattern by which the names of problems in a table hold problem
    and attempt; "" finds them without."""

    table: str = ""  # "", "problems" or "outputs"
    outputs: str = ""
    problems: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    system: str = ""
    domain: str = "mathematics"
    blank_abstains: bool = True
    track: str = "raw"
    macros: str = ""
    ids: str = ""
    written: str = "latex"

    def as_json(self) -> dict[str, Any]:
        """For the row of the upload and the audit trail."""
        return asdict(self)


def recognise(folder: Path, name: str) -> dict[str, Any]:
    """What there is: {"paths": [...]} of a folder, or {"columns", "rows", "count"} of a table.

    `folder` has the upload unpacked, or as the one file in it. Raises RecordError for what cannot be read, and Refused
    where nothing in it can become a problem or an output.
    """
    table = the_table(folder)
    if table:
        rows = rows_of(table, table.suffix.lower())
        shown = list(islice((row for row in rows if not isinstance(row, RecordError)), PREVIEW))
        own = dict.fromkeys(column for _, row in shown for column in row)
        if not shown:
            for row in rows_of(table, table.suffix.lower()):
                if isinstance(row, RecordError):
                    raise row
            raise Refused(f"{name} has no rows.", code="empty_file")
        found, tool, count = [columns_of(row) for _, row in shown], tool_of(table), len(shown)
        names = dict.fromkeys(column for row in found for column in row)
        for row in rows:
            if not isinstance(row, RecordError):
                count += 1
                # what a system was to fill in is a column only where it did
                names |= dict.fromkeys(columns_of(row[1])) if tool else {}
                own |= dict.fromkeys(row[1]) if tool else {}
        if len(names) > MAX_COLUMNS:  # without the parts of objects
            names = own
        if len(names) > MAX_COLUMNS:
            reason = f"{name} has {len(names):,} columns; at most {MAX_COLUMNS:,} are read."
            raise Refused(reason, code="too_many_columns")
        cells = [[_storable(cell_of(row.get(column, ""))[:_CELL]) for column in names] for row in found]
        columns = [_storable(column) for column in names]
        markdown = [
            _storable(column)
            for column in names
            if any(isinstance(text := row.get(column), str) and _MARKDOWN.search(text) for row in found)
        ]
        return {
            "columns": columns,
            "rows": cells,
            "count": count,
            "file": table.name,
            "markdown": markdown,
        } | ({"tool": tool.title} if tool else {})
    members = members_of(folder, name)
    paths = [member.path for member in members]
    if not any(PurePosixPath(path).suffix.lower() in (*TEXTS, ".zip") for path in paths):
        kinds = ", ".join(sorted({PurePosixPath(path).suffix.lower() or "no ending" for path in paths})[:5])
        raise Refused(
            f"Nothing here can be read: there is no .tex, .md, .txt, JSON, CSV or XLSX file ({kinds or 'no file'}).",
            code="unknown_files",
        )
    # the definitions in a file such as macros.tex next to everything else
    macros = next((content_of(member)[:MAX_MACROS] for member in members if is_macros(member.path)), "")
    return {"paths": paths, **({"macros": macros} if macros else {})}


def _storable(text: str) -> str:
    """A text of the preview without what no database holds: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def is_macros(path: str) -> bool:
    """Whether a file at the top of a folder is one of definitions, by its name."""
    found = PurePosixPath(path)
    return (
        len(found.parts) == 1 and found.suffix.lower() in (".tex", ".sty") and found.stem.lower() in _MACROS
    )


def the_table(folder: Path) -> Path | None:
    """The one table of an upload that has no documents; the folder itself if it is what a tool wrote, or has a JSON
    file for each problem or output."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    tables = [path for path in files if path.suffix.lower() in TABLES]
    if len(tables) > 1 and tool_of(folder):
        return folder
    texts = [path for path in files if path.suffix.lower() in (*TEXTS, ".zip")]
    if len(tables) > 1 and not texts:
        if {path.suffix.lower() for path in files} & {*TABLES, ".pdf"} == {".json"}:
            return folder
        raise Refused(
            "There are several tables in this archive; upload them one by one.", code="several_tables"
        )
    return tables[0] if tables and not texts else None


def guess(
    found: Mapping[str, Any],
    rules: Protocol,
    *,
    known: Collection[str] | None,
    known_systems: Collection[str],
    name: str,
    remembered: Mapping[str, Any] | None = None,
) -> tuple[Reading, list[Guess]]:
    """The mapping to begin with, and other patterns that could be meant.

    `known` are the problems of the release, None for a new one. `remembered` is how the last file was mapped; it is
    taken as far as it fits this one.
    """
    remembered = remembered or {}
    if "tool" in found and known is None:
        raise Refused(
            f"These are outputs ({found['tool']}). Import their problems first, then choose the study.",
            code="no_problems",
        )
    default_system = str(remembered.get("system") or PurePosixPath(name).stem)
    macros = str(found.get("macros") or remembered.get("macros") or "")
    if "columns" in found:
        table = "problems" if known is None else "outputs"
        columns = guess_columns(table_fields(rules, table), found["columns"])
        before = remembered.get("columns") or {}
        if remembered.get("table") == table and before and set(before.values()) <= set(found["columns"]):
            columns = dict(before)
        system = "" if SYSTEM in columns or table == "problems" else default_system
        ids = str(remembered.get("ids") or "")
        text = columns.get("statement" if table == "problems" else "text", "")
        written = "markdown" if text in found.get("markdown", ()) else "latex"
        if remembered.get("table") == table:
            written = str(remembered.get("written") or written)
        reading = Reading(
            table=table, columns=columns, system=system, macros=macros, ids=ids, written=written
        )
        return reading, []
    documents = [path for path in found["paths"] if not is_macros(path)]
    others = guesses(documents, known or (), known_systems)
    best = others[0] if others else Guess("{system}/{problem}", "", (), ())
    outputs, problems = best.outputs, best.problems if known is None or best.outputs else ""
    if remembered.get("outputs") and any(place_of(remembered["outputs"], path) for path in found["paths"]):
        outputs = remembered["outputs"]
    if known is None and not problems and len(best.systems) < 2:
        # one file for each problem, and nobody's: these are the statements
        outputs, problems = "", outputs.replace("{system}", "*")
    system = "" if "{system}" in outputs or not outputs else default_system
    return Reading(outputs=outputs, problems=problems, system=system, macros=macros), others


def table_fields(rules: Protocol, table: str) -> list[FieldInfo]:
    """The fields that columns can be mapped to."""
    fields = fields_of(rules.release_line if table == "problems" else rules.output_line)
    if table == "outputs":
        meaning = "The system that wrote the output. Reviewers never see it."
        fields.append(FieldInfo(SYSTEM, "text", False, meaning))
    needed = {field.name for field in fields if field.required}
    return sorted(
        fields, key=lambda field: (field.name != SYSTEM, field.name.partition(ONLY)[0] not in needed)
    )


def reads_documents(rules: Protocol) -> bool:
    """Whether a document can be an output of this protocol: whole proofs, say, and not ranked lists."""
    return {"text", "format", "instance_id"} <= set(rules.output_line.model_fields)


def check_mapping(mapping: Reading, rules: Protocol, known: Collection[str] | None) -> None:
    """Raises Refused for a mapping that cannot be carried out. `known`: problems of the release, None for a new one."""
    if mapping.ids:
        readings_of(mapping.ids)
    if mapping.table:
        fields = table_fields(rules, mapping.table)
        parts = {name.partition(ONLY)[0] for name in mapping.columns if ONLY in name}
        if both := parts.intersection(mapping.columns):
            reason = f"Choose a column for {both.pop()}, or for its parts, not for both."
            raise Refused(reason, code="mapped_twice")
        given = {*mapping.columns, *parts, *WITHOUT_COLUMN}
        missing = [each.name for each in fields if each.required and each.name not in given]
        if missing:
            raise Refused(f"Choose a column for {' and '.join(missing)}.", code="unmapped")
        if mapping.table == "outputs" and SYSTEM not in mapping.columns and not mapping.system:
            raise Refused("Name the system, or choose the column that does.", code="no_system")
        return
    if not reads_documents(rules):
        raise Refused(f"{rules.title} has no format of single documents; upload a table.", code="own_format")
    for pattern in filter(None, (mapping.outputs, mapping.problems)):
        readings_of(pattern)
    if mapping.outputs and "{system}" not in mapping.outputs and not mapping.system:
        raise Refused("Name the system, or write {system} where the path says it.", code="no_system")
    if known is None and not mapping.problems:
        raise Refused(
            "A new study needs its problems: a folder “problems” with one file for each, or a file “statement” next to "
            "the outputs of each. If the release already exists, choose it when you upload.",
            code="no_problems",
        )
    if not mapping.outputs and not mapping.problems:
        raise Refused("Say by a pattern where the outputs are.", code="no_outputs")


def sentence(found: Mapping[str, Any], mapping: Reading) -> str:
    """What the upload is, as it is read now: "40 LaTeX files in 4 folders: systems A to D, problems 1 to 10"."""
    if "columns" in found:
        count = found["count"]
        if "tool" in found:
            return f"{found['tool']}: {_many(count, 'output')}."
        return f"A table of {_many(count, 'row')} and {_many(len(found['columns']), 'column')}."
    paths = [PurePosixPath(path) for path in found["paths"]]
    kinds = Counter(_KINDS.get(path.suffix.lower(), "other file") for path in paths)
    folders = len({path.parent for path in paths} - {PurePosixPath(".")})
    counts = [_many(number, kind) for kind, number in kinds.most_common()]
    said = " and ".join(filter(None, [", ".join(counts[:-1]), *counts[-1:]]))
    said += f" in {_many(folders, 'folder')}" if folders else ""
    places = [place for path in found["paths"] if (place := role_of(path, mapping)[1])]
    systems = sorted({place.system for place in places if place.system} or filter(None, [mapping.system]))
    problems = sorted({place.problem for place in places}, key=_natural)
    parts = [_named("system", systems), _named("problem", problems)]
    return f"{said}: {', '.join(filter(None, parts))}." if any(parts) else f"{said}."


def role_of(path: str, mapping: Reading) -> tuple[str, Any]:
    """What a file is by its path, "problem", "output" or "", and the place that the pattern reads from it."""
    if is_macros(path) or (
        PurePosixPath(path).suffix.lower() in TEXTS and PurePosixPath(path).stem.lower() in _ABOUT
    ):
        return "", None
    for role, pattern in (("problem", mapping.problems), ("output", mapping.outputs)):
        place = place_of(pattern, path) if pattern else None
        if place:
            return role, place
    return "", None


def preview(
    found: Mapping[str, Any], mapping: Reading, known: Collection[str] | None
) -> list[dict[str, Any]]:
    """The first files of different kinds and places as they are read: path, role, system, problem and its key."""
    rows = []
    named = {
        role_of(path, mapping)[1].problem for path in found["paths"] if role_of(path, mapping)[0] == "problem"
    }
    keys = Names({*(known or ()), *named})
    paths = found["paths"]
    step = max(1, (len(paths) - 1) / (PREVIEW - 1))  # from the front of the list to its end
    spread = (paths[min(len(paths) - 1, round(number * step))] for number in range(PREVIEW))
    for path in dict.fromkeys(spread):
        role, place = role_of(path, mapping)
        row = {
            "path": path,
            "role": role,
            "system": "",
            "problem": "",
            "unknown": False,
            "macros": is_macros(path),
        }
        if place:
            match = keys.match(place.problem)
            row |= {
                "system": place.system or (mapping.system if role == "output" else ""),
                "attempt": place.attempt,
            }
            row |= {"problem": match or place.problem, "unknown": match is None}
        rows.append(row)
    return rows


def _named(kind: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f"{kind} {names[0]}"
    return (
        f"{kind}s {' and '.join(names)}"
        if len(names) == 2
        else f"{len(names)} {kind}s from {names[0]} to {names[-1]}"
    )


def _natural(name: str) -> tuple[int, str]:
    digits = "".join(filter(str.isdigit, name))
    return (int(digits[:9]) if digits.isascii() and digits else 0, name)


def _many(number: int, word: str) -> str:
    plural = word if number == 1 else word[:-1] + "ies" if word.endswith("y") else word + "s"
    return f"{number:,} {plural}"
