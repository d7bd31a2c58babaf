"""Running the child process. Nothing of a foreign file is read in the process of a request or of a worker."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from accounts.refusal import Refused
from benchmark.files.child import Cleaned, FoundMarks, Mark

ROOT = Path(__file__).resolve().parents[2]
WALL_SECONDS = 15.0  # for one that waits; where nothing else runs, that of the processor ends all others
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ")  # no database address, no key
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # threads reserve memory


def cleaned(data: bytes, *, picture: bool = False, seconds: float = WALL_SECONDS) -> Cleaned:
    """The clean copy of an uploaded file, as an image if it is a `picture` of a text; raises Refused (code "bad_file")
    with the reason."""
    answer, body = _ask_child("picture" if picture else "clean", data, seconds)
    answer["pages"] = [tuple(page) for page in answer["pages"]]
    return Cleaned(data=body, **answer)


def marks_in(data: bytes) -> FoundMarks:
    """The annotations of an uploaded PDF; raises Refused (code "bad_file")."""
    answer, _ = _ask_child("marks", data, WALL_SECONDS)
    return FoundMarks(answer["words"], [Mark(**mark) for mark in answer["marks"]], answer["unusable"])


def with_marks(copy: bytes, marks: Iterable[Mark]) -> bytes:
    """A clean copy with annotations; raises Refused (code "bad_file")."""
    head = json.dumps([asdict(mark) for mark in marks]).encode()
    return _ask_child("marked", head + b"\n" + copy, WALL_SECONDS)[1]


def _ask_child(verb: str, data: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    try:
        child = subprocess.run(  # nosec B603 # our own module, and the file comes in as bytes
            [sys.executable, "-m", "benchmark.files.child"],
            input=verb.encode() + b"\n" + data,
            capture_output=True,
            timeout=seconds,
            cwd=ROOT,
            env=kept | _ONE_THREAD,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"Reading this file took longer than {seconds:g} seconds.", code="bad_file") from None
    if b"No module named" in child.stderr:
        raise Refused("This installation cannot read such files: a library is missing.", code="bad_file")
    head, _, body = child.stdout.partition(b"\n")
    if child.returncode or not head:
        raise Refused("This file needs too much memory or time, or is broken.", code="bad_file")
    answer: dict[str, Any] = json.loads(head)
    if "refusal" in answer:
        raise Refused(answer["refusal"], code="bad_file")
    return answer, body
