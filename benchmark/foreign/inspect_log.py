"""Logs of Inspect (inspect_ai): `.eval`, a ZIP of JSON files, and the same log as one `.json`.

https://inspect.aisi.org.uk/eval-logs.html. A sample is a problem and its epoch an attempt. Members of an archive are
compressed by Zstandard in today's versions and by Deflate in earlier ones. If a sample was logged twice, its later
member counts.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmark.foreign.rows import Row, json_document, json_object, output_row, text_in, tokens_in
from benchmark.importing.archives import MemberReader
from benchmark.importing.records import RecordError

TITLE = "Inspect logs"
_HEADER, _START = "header.json", "_journal/start.json"
_SAMPLE = re.compile(r"samples/.+\.json")
_BEGINNING = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",.*"eval":\s*\{', re.DOTALL)
_ATTACHED = "attachment://"


def fits(path: Path) -> bool:
    """Whether the file is called .eval, or is a JSON document that begins like a log."""
    if not path.is_file():
        return False
    if path.suffix.lower() == ".eval":
        return True
    with path.open("rb") as file:
        return path.suffix.lower() == ".json" and _BEGINNING.match(file.read(1_000)) is not None


def rows(path: Path) -> Iterator[Row | RecordError]:
    """A row for each sample and epoch, in the order of the log; `metadata` are columns too.

    Raises RecordError for a log of a run that did not finish, and for an archive that cannot be read.
    """
    if path.suffix.lower() == ".eval":
        with MemberReader(path) as archive:
            names = {name: None for name in archive.names if _SAMPLE.fullmatch(name)}
            if _HEADER not in archive.names:
                what = "has no header.json" if _START in archive.names else "is not a log of Inspect"
                raise RecordError(f"the archive {what}: the run did not finish ({len(names)} samples)")
            header = _object_in(archive, _HEADER)
            _require_finished(header, len(names))
            for number, name in enumerate(names, start=1):
                yield _row(number, _object_in(archive, name), header, name)
        return
    document = json_document(path)
    samples = document.get("samples")
    _require_finished(document, len(samples) if isinstance(samples, list) else 0)
    if not isinstance(samples, list) or not samples:
        raise RecordError("the log has no samples", field="samples")
    for number, sample in enumerate(samples, start=1):
        yield (
            _row(number, sample, document)
            if isinstance(sample, dict)
            else RecordError("an object was expected", line=number, field="samples")
        )


def _require_finished(header: Mapping[str, Any], samples: int) -> None:
    if header.get("status") != "success":
        said = str(header.get("status", "unknown"))[:50]
        raise RecordError(
            f"the run did not finish: its status is {said}, with {samples} samples", field="status"
        )


def _object_in(archive: MemberReader, name: str) -> dict[str, Any]:
    """The JSON object in a member; raises RecordError with the member's name."""
    content = archive.read(name)
    try:
        return json_object(content)
    except RecordError as error:
        raise RecordError(error.reason, line=error.line, field=name[:200]) from error


def _row(
    number: int, sample: Mapping[str, Any], header: Mapping[str, Any], member: str = ""
) -> Row | RecordError:
    name, epoch, output = sample.get("id"), sample.get("epoch"), sample.get("output")
    where = f"{member[:200]}: " if member else ""
    if not isinstance(name, int | str) or isinstance(name, bool) or not str(name).strip():
        return RecordError(f"{where}must name the sample", line=number, field="id")
    if not isinstance(epoch, int) or isinstance(epoch, bool) or epoch < 1:
        return RecordError(f"{where}must be a whole number from 1", line=number, field="epoch")
    evaluated = header.get("eval")
    model = evaluated.get("model") if isinstance(evaluated, dict) else ""
    metadata = sample.get("metadata")
    used = sample.get("model_usage")
    usages = used.values() if isinstance(used, dict) else ()
    try:
        tokens = tokens_in(*usages, line=number, field="model_usage")
    except RecordError as error:
        return RecordError(f"{where}{error.reason}", line=number, field=error.field)
    # the completion: that of the first choice, or as it is stored; long ones can be attachments of the sample
    answer, attachments = output if isinstance(output, dict) else {}, sample.get("attachments")
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = first.get("message")
    text = text_in(message.get("content")) if isinstance(message, dict) else ""
    text = text or text_in(answer.get("completion"))
    if text.startswith(_ATTACHED) and isinstance(attachments, dict):
        text = text_in(attachments.get(text.removeprefix(_ATTACHED)))
    row = output_row(
        str(name),
        text=text,
        state="failed"
        if sample.get("error") or not isinstance(output, dict) or output.get("error")
        else "answered",
        system=model if isinstance(model, str) else "",
        attempt=epoch,
        tokens=tokens,
    )
    return number, {**row, **({"metadata": metadata} if isinstance(metadata, dict) else {})}
