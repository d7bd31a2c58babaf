"""The format of a protocol's files: fields, an example, and templates, all from its schema and its example. Pure."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.collecting.columns import ONLY, SYSTEM, FieldInfo, cell_of, columns_of
from benchmark.collecting.mapping import reads_documents, table_fields
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol, protocol_names

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
KINDS = {"problems": "Problems", "outputs": "Outputs"}


@dataclass(frozen=True)
class Format:
    """One of a protocol's two files; `example` is one line of it."""

    kind: str
    title: str
    fields: tuple[FieldInfo, ...]
    example: Mapping[str, Any]

    @property
    def example_json(self) -> str:
        """The example, for people."""
        return json.dumps(self.example, ensure_ascii=False, indent=2)

    def as_jsonl(self) -> str:
        """A template in JSON Lines: the example."""
        return json.dumps(self.example, ensure_ascii=False) + "\n"

    def as_csv(self) -> str:
        """A template in CSV: a column for every field, and the example as a row. Lists are written as JSON."""
        file = io.StringIO()
        writer = csv.writer(file)
        names = [each.name for each in self.fields]
        flat = columns_of(self.example)
        writer.writerow(names)
        writer.writerow(cell_of(flat.get(name, "")) for name in names)
        return file.getvalue()


def formats_of(rules: Protocol) -> list[Format]:
    """Both formats."""
    example = json.loads((rules.folder / "example.json").read_text("utf-8"))
    found = []
    for kind, title in KINDS.items():
        line = dict(example["instance"] if kind == "problems" else {SYSTEM: "system-a", **example["output"]})
        fields = [each for each in table_fields(rules, kind) if ONLY not in each.name]
        found.append(Format(kind, title, tuple(fields), line))
    return found


def document() -> str:
    """The whole of docs/formats.md."""
    lines = [
        "# Formats of files",
        "",
        "What can be imported, by protocol. *Import files* takes tables in CSV, XLSX, JSON and JSON Lines with columns",
        "of any names. Those below are recognised at once; the site has templates. A dotted name is a field of an",
        "object: a column of that name in a table, an object in JSON. Lists are written as JSON in a cell; a list of",
        "one can be a column for each part of its entry, such as `targets[1].paper`. A folder or ZIP of JSON",
        "files, one for each problem or output, is such a table too, with the columns `file` and `folder` for",
        "their paths. The commands `import_release` and `import_outputs` take JSON Lines with exactly these",
        "fields, without `system`. Of a workbook only the first sheet is read, with the columns that are hidden.",
        "",
        "Outputs are also read as other tools write them, in all of these ways: results of OpenAI's Batch API",
        "(JSON Lines), outputs of MathArena (JSON, or a folder of them), and logs of Inspect (`.eval` or",
        "JSON). The problem is named by `custom_id`, `idx` and the sample's `id`; `p1:2` is the second",
        "attempt at `p1`. Other names need a pattern (`--ids '{problem}:{attempt}'`) or another column",
        "(`--key metadata.problem`). Where a protocol asks for fields instead of a text, the reply must be a",
        "JSON object with these fields, bare or in a fence; any other reply failed. Requests without an",
        "answer failed, refusals and blank answers abstained. Where a protocol has `budget.tokens`, the",
        "tokens that the tool counted are kept; of a request with several answers the first has them. Files",
        "that the scripts of Re2Math and Mask-Proof write are read as outputs, and by *Import labels* as",
        "verdicts.",
        "",
        "`python -m benchmark.collecting.formats` writes this page from the schemas.",
    ]
    for rules in map(get_protocol, protocol_names()):
        lines += ["", f"## {rules.title} (`{rules.name}`)"]
        if reads_documents(rules):
            lines += [
                "",
                "Folders of documents can be imported as well: .tex, .md or .txt, one for each output.",
            ]
        for form in formats_of(rules):
            lines += ["", f"### {form.title}", "", "| field | type | meaning |", "|---|---|---|"]
            for field in form.fields:
                kind = field.kind
                kind += f": {', '.join(each or 'empty' for each in field.values)}" if field.values else ""
                kind += f", {field.limits}" if field.limits else ""
                lines.append(f"| `{field.name}`{' (needed)' * field.required} | {kind} | {field.meaning} |")
            lines += ["", "```json", form.example_json, "```"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
