"""The fields of a protocol's files, from their schema, and which columns of somebody's table they are. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from benchmark.importing.jsonl import parse_value
from benchmark.importing.records import RecordError

_LONGEST_NAME = 200  # characters of a column whose parts are columns as well
_MOST_PARTS = 1_000
SYSTEM = "system"  # of outputs: in no schema, because a file of outputs is of one system
ONLY = "[1]"  # after the name of a list of objects: its one entry, whose parts are columns
_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
}
_ALIKE = {
    "instance_id": "problem_id problem_idx id key problem instance question_id question task task_id name number no "
    "index qid",
    "index": "id key problem problem_id instance_id",
    "text": "proof output answer response solution completion generation content body tex latex markdown steps",
    "steps": "proof_steps proof",
    "statement": "problem problem_statement question prompt theorem text body latex claim",
    "title": "name problem_title short_title heading",
    "domain": "subject area field topic category discipline msc",
    "reference_solution": "solution reference official_solution answer ground_truth gold proof",
    "attempt": "sample try run seed trial repetition attempt_no",
    "format": "text_format markup syntax",
    "state": "status",
    "split": "subset part",
    "query": "question prompt",
    SYSTEM: "model system_name model_name generator solver author agent method team submission",
    "paper.key": "paper paper_id arxiv arxiv_id source doi",
    "paper.title": "paper_title",
    "paper.year": "year paper_year",
    "targets[1].paper": "paper_id arxiv arxiv_id doi paper",
    "targets[1].statement": "theorem theorem_number statement_number label",
    "targets[1].title": "paper_title paper title",
    "targets[1].text": "theorem_text statement body text",
}


@dataclass(frozen=True)
class FieldInfo:
    """A field as a person needs to know it: `name` is dotted, `kind` what its values are, in words."""

    name: str
    kind: str
    required: bool
    meaning: str
    values: tuple[str, ...] = ()
    limits: str = ""


def fields_of(model: type[BaseModel]) -> list[FieldInfo]:
    """The fields of a line, those of objects within it by dotted names, in the order of the schema.

    A list of objects that must have an entry is a field, and so are the parts of its only entry.
    """
    schema = model.model_json_schema()
    return list(_fields(schema, schema.get("$defs", {}), "", True))


def _fields(
    schema: Mapping[str, Any], known: Mapping[str, Any], prefix: str, needed: bool
) -> Iterator[FieldInfo]:
    required = schema.get("required", [])
    for name, found in schema.get("properties", {}).items():
        choices = [each for each in found.get("anyOf", []) if each.get("type") != "null"]
        inner = choices[0] if len(choices) == 1 else found
        inner = known[inner["$ref"].rpartition("/")[2]] if "$ref" in inner else inner
        is_needed = needed and name in required
        if inner.get("properties"):
            yield from _fields(inner, known, f"{prefix}{name}.", is_needed)
            continue
        meaning = found.get("description") or inner.get("description") or ""
        values = tuple(map(str, inner.get("enum", [inner["const"]] if "const" in inner else [])))
        kind = _KINDS.get(str(inner.get("type")), "text")
        if kind == "list" and inner.get("items", {}).get("type") == "string":
            kind = "list of texts"
        low, high, limits = inner.get("minimum"), inner.get("maximum"), []
        if low is not None and high is not None:
            limits.append(f"from {low:,} to {high:,}")
        elif low is not None:
            limits.append(f"at least {low:,}")
        if "maxLength" in inner:
            limits.append(f"at most {inner['maxLength']} characters")
        if "maxItems" in inner:
            limits.append(f"at most {inner['maxItems']:,} entries")
        said = " ".join(meaning.split())
        entry = known.get(inner.get("items", {}).get("$ref", "").rpartition("/")[2])
        by_parts = entry if inner.get("minItems") else None
        said += " A list of one can be mapped by its parts." if by_parts else ""
        yield FieldInfo(prefix + name, kind, is_needed, said, values, ", ".join(limits))
        if by_parts:
            yield from _fields(by_parts, known, f"{prefix}{name}{ONLY}.", False)


def guess_columns(fields: Sequence[FieldInfo], columns: Sequence[str]) -> dict[str, str]:
    """Field to column: the same name first, then names that are usual for it.

    No column is guessed twice, nor a list together with its parts.
    """
    folded = {_folded(column): column for column in reversed(columns)}
    found: dict[str, str] = {}
    for aliases in (False, True):
        for field in fields:
            names = _ALIKE.get(field.name, "").split() if aliases else [field.name]
            for name in names:
                column = folded.get(_folded(name))
                whole = field.name.partition(ONLY)[0]
                if column and column not in found.values() and found.keys().isdisjoint((field.name, whole)):
                    found[field.name] = column
    return {field.name: found[field.name] for field in fields if field.name in found}


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def columns_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of JSON as columns: objects as they are, and their parts by dotted names.

    Parts of a very large object, or of one with a very long name, are not columns: their names would fill the memory.
    """
    flat: dict[str, Any] = {}

    def add(row: Mapping[str, Any], front: str) -> None:
        for name, value in row.items():
            flat[front + name] = value
            if isinstance(value, dict) and len(value) <= _MOST_PARTS and len(front + name) <= _LONGEST_NAME:
                add(value, f"{front}{name}.")

    add(row, "")
    return flat


def cell_of(value: Any) -> str:
    """A value as a cell of a table: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def record_of(
    row: Mapping[str, Any], mapping: Mapping[str, str], fields: Mapping[str, FieldInfo]
) -> dict[str, Any]:
    """A row as a line of the protocol's file: every mapped field with its value. Empty cells are left out.

    A value that is not of the field's kind is left as it is, for the schema to refuse by name.
    """
    record: dict[str, Any] = {}
    for name, column in mapping.items():
        value = row.get(column)
        known = fields.get(name)
        if known is None or value is None or (value == "" and not (known.required and known.kind == "text")):
            continue
        *parents, last = name.split(".")
        target = record
        for parent in parents:
            if parent.endswith(ONLY):
                target = target.setdefault(parent.removesuffix(ONLY), [{}])[0]
            else:
                target = target.setdefault(parent, {})
        target[last] = _converted(value, known.kind)
    return record


def _converted(value: Any, kind: str) -> Any:
    if kind == "text":
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            return "\n\n".join(value)  # steps or paragraphs
        return cell_of(value)
    if not isinstance(value, str):
        return value
    text = value.strip()
    if kind == "true or false":
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(
            text.lower(), value
        )
    if kind == "whole number" and re.fullmatch(r"[+-]?\d{1,17}(\.0+)?", text):
        return int(text.partition(".")[0])
    try:
        found = parse_value(text.encode())
    except RecordError:
        return [text] if kind == "list of texts" else value
    if kind == "number":
        return found if isinstance(found, int | float) else value
    return found if isinstance(found, dict | list) else [text] if kind == "list of texts" else value
