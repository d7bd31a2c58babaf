"""The process that reads sources: for each request it forks a child, which has limits and is gone afterwards.

Forking spares each source the start of an interpreter, which takes longer than most papers. The process itself only
passes bytes on: a request is a line of JSON and as many bytes as it says; so is an answer.
"""

import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from benchmark.collecting.documents import title_of
from latex import OUTLINE_VERSION, Outline, Span, expand, flatten, outline
from latex.limits import LimitReached, OutOfTime
from latex.sources.archives import read
from latex.sources.main_file import Main, main_file

_PIECE = 1 << 20


def main() -> None:
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while line := requests.readline():
        request = json.loads(line)
        content = requests.read(request["size"])
        if request["verb"] == "construct":
            # What a pipeline imports takes longer than reading an archive: once, before a child is forked. With as
            # little memory as a child may have left, Python's compiler fails with errors that do not say why.
            from construction.reading import states

            with suppress(KeyError):  # the child says that there is none
                states.get_pipeline(request["protocol"])
        said, how = _in_a_child(request, content)
        answers.write(json.dumps({"how": how, "size": len(said)}).encode() + b"\n")
        answers.write(said)
        answers.flush()


def _in_a_child(request: Mapping[str, Any], content: bytes) -> tuple[bytes, str]:
    """What the child said, as lines of JSON, and how it ended: done, too_slow, too_large or not_read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 1
        try:
            code = _answer(request, content, writing)
        finally:
            os._exit(code)
    os.close(writing)
    pieces, ends_at, overdue = [], time.monotonic() + request["seconds"], False
    while not overdue:
        ready, _, _ = select.select([reading], [], [], max(0.0, ends_at - time.monotonic()))
        overdue = not ready
        if ready:
            piece = os.read(reading, _PIECE)
            if not piece:
                break
            pieces.append(piece)
    if overdue:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    slow = overdue or ended in (-signal.SIGXCPU, -signal.SIGKILL)
    how = {0: "done", 2: "too_large"}.get(ended, "not_read")
    return b"".join(pieces), "too_slow" if slow else how


def _answer(request: Mapping[str, Any], content: bytes, to: int) -> int:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (request["memory"], request["memory"]))
    resource.setrlimit(resource.RLIMIT_CPU, (request["processor"], request["processor"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    def tell(answer: object) -> None:
        with open(to, "wb", closefd=False) as pipe:
            pipe.write(json.dumps(answer).encode() + b"\n")

    try:
        if request["verb"] == "archive":
            source = read(request["name"], content)
            del content
            told: dict[str, object] = {
                "form": source.form, "sha256": source.sha256, "files": source.files, "others": source.others,
                "notes": source.notes, "code": source.code, "sentence": source.sentence, "main": "", "candidates": [],
            }  # fmt: skip
            chosen = main_file(source.files) if not source.code else None
            if chosen is not None:
                points = chosen.scores if isinstance(chosen, Main) else chosen.candidates
                told["candidates"] = sorted(points.items(), key=lambda one: (-one[1], len(one[0]), one[0]))
            if isinstance(chosen, Main):
                tell(told | {"main": chosen.path})
                tell(_outlined(source.files, chosen.path, 50))
            elif chosen is not None:
                tell(told | {"code": chosen.code, "sentence": chosen.sentence})
            else:
                tell(told)
        elif request["verb"] == "construct":
            from construction.reading.states import states

            tell(states(json.loads(content)))
        else:
            files: dict[str, str] = json.loads(content)
            del content
            tell(_outlined(files, request["main"], request["processor"]))
    except MemoryError:
        return 2
    except Exception as error:  # noqa: BLE001 # whatever it is, the process that waits is told
        tell({"error": f"{type(error).__name__}: {error}"[:300]})
        return 1
    return 0


def _outlined(files: Mapping[str, str], main: str, seconds: float) -> dict[str, object]:
    """What was found, in JSON; or the code and sentence of why it cannot be read."""
    try:
        found = outline(flatten(files, main), files, seconds=seconds)
    except OutOfTime:
        return {"code": "too_slow", "sentence": f"Reading it takes longer than {seconds:g} seconds."}
    except LimitReached as limit:
        return {"code": "too_long", "sentence": f"{str(limit)[:1].upper()}{str(limit)[1:]}."}
    text = found.flat.text
    title = expand(title_of(text, "latex"), found.definitions, max(0, text.find("\\begin{document}"))).text
    labels = {label.name for label in found.labels}
    entries = {entry.key for entry in found.bibliography}
    return {
        "version": OUTLINE_VERSION,
        "main": main,
        "title": " ".join(title.split()),
        "statements": [
            {
                "kind": one.kind, "head": one.head, "number": one.number, "title": one.title,
                "labels": one.labels, "places": _places(found, one.span), "text": found.expanded(one.body).text.strip(),
            }
            for one in found.statements
        ],
        "proofs": [
            {
                "form": one.form, "title": one.title, "statement": one.statement, "evidence": one.evidence,
                "places": _places(found, one.span),
            }
            for one in found.proofs
        ],
        "unresolved": [
            {"names": missing, "places": _places(found, one.span)}
            for one in found.references
            if (missing := [name for name in one.names if name not in labels])
        ],
        "unmatched": [
            {"names": missing, "places": _places(found, one.span)}
            for one in found.citations
            if (missing := [key for key in one.keys if key not in entries])
        ],
        "citations": sum(len(one.keys) for one in found.citations),
        "formulas": len(found.formulas),
        "missing": found.flat.missing,
        "notes": found.notes,
    }  # fmt: skip


def _places(found: Outline, span: Span) -> list[tuple[str, int, int]]:
    return [(place.file, place.start, place.end) for place in found.flat.places(span.start, span.end)]


if __name__ == "__main__":
    main()
