"""Small valid files of the protocols, to be spoilt one way at a time."""

import copy
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmark.protocols import get_protocol


@dataclass(frozen=True)
class Example:
    """`example.json` of a protocol's folder: a valid instance and output as lines of their files.

    `key` is what an instance's key is called there; `emptied` takes the text out of the output; `outputs_for` gives
    another output to predicates that are not asked of the first.
    """

    instance: dict[str, Any]
    output: dict[str, Any]
    key: str = "instance_id"
    emptied: dict[str, Any] = field(default_factory=lambda: {"text": " "})
    outputs_for: dict[str, dict[str, Any]] = field(default_factory=dict)


def example(name: str) -> Example:
    """The example in the folder of a protocol."""
    return Example(**json.loads((get_protocol(name).folder / "example.json").read_text("utf-8")))


GAP, ANSWER = example("re2math").instance, example("re2math").output
PROBLEM, PROOF = example("proofs").instance, example("proofs").output
MASK, ATTEMPT = example("masked_steps").instance, example("masked_steps").output
LEMMA, STEPS = example("lemmas").instance, example("lemmas").output
CONTEXT = example("lemmas").outputs_for["self_contained"]


def gap(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A proof gap with a key of its own; a double underscore in a name goes one level down."""
    return changed(GAP, {"instance_id": f"2401.00001_gap_{number}", **changes})


def changed(record: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy of the record with fields set, by names such as `x__anchor_hint`."""
    result = copy.deepcopy(record)
    for name, value in changes.items():
        *parents, last = name.split("__")
        target = result
        for parent in parents:
            target = target[parent]
        target[last] = value
    return result


def write_lines(path: Path, *lines: Any) -> Path:
    """A JSONL file; texts are written as they are, everything else as JSON."""
    with path.open("wb") as file:
        for line in lines:
            raw = line if isinstance(line, bytes) else json.dumps(line).encode()
            file.write(raw + b"\n")
    return path


def packed(**documents: str) -> bytes:
    """A zip of these documents; `__` in a name stands for a dot."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in documents.items():
            archive.writestr(name.replace("__", "."), text)
    return file.getvalue()


def example_payload(protocol: str) -> dict[str, Any]:
    """The payload of the protocol's example, as an import stores it."""
    with TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / "release.jsonl", example(protocol).instance)
        return dict(next(iter(get_protocol(protocol).read_release(path))).payload)
