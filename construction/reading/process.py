"""Sources from outside are read by other processes, with an end to time and memory. Pure: knows no database."""

import json
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from benchmark.importing.keys import PaperFields
from construction.reading.pairs import Pair
from construction.recipes.passages import Drop
from work.process import CORES

ROOT = Path(__file__).resolve().parents[2]
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ")  # no database address, no key
MOST_BYTES = 50_000_000  # of one archive; latex.sources.archives refuses more
LONGEST_PATH = 1_000  # characters, as the database has them


@dataclass(frozen=True)
class Limits:
    """Seconds of the processor, seconds by the clock, and bytes of memory."""

    processor: int = 60
    clock: float = 240
    memory: int = 768 * 1024**2


@dataclass(frozen=True)
class Asked:
    """A source, the recipe to follow, the replies so far by key and stage, and what people say about its proofs."""

    protocol: str
    recipe: Mapping[str, object]
    files: Mapping[str, str]
    main: str
    paper: PaperFields
    domain: str
    replies: Mapping[tuple[str, str], str]
    seed: int
    ordinal: int = 0
    category: str = ""
    pairs: Sequence[Pair] = ()


@dataclass(frozen=True)
class Found:
    """What the outline of a source has: counts, and everything with its places, as `child` writes it."""

    version: str
    main: str
    title: str
    outline: Mapping[str, Any] = field(repr=False)


def counts_of(outline: Mapping[str, Any]) -> dict[str, int]:
    """Numbers of statements, proofs, paired proofs, citations and formulas."""
    return {
        "statements": len(outline["statements"]),
        "proofs": len(outline["proofs"]),
        "paired": sum(one["statement"] is not None for one in outline["proofs"]),
        "citations": outline["citations"],
        "formulas": outline["formulas"],
    }


@dataclass(frozen=True)
class NotRead:
    """Why there is no outline."""

    code: str
    sentence: str


@dataclass(frozen=True)
class Submitted:
    """What an archive holds. Without a `code` it has a main file, and `found` is its outline."""

    name: str
    form: str
    sha256: str
    code: str = ""
    sentence: str = ""
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    others: tuple[tuple[str, int], ...] = ()
    notes: tuple[tuple[str, str, str], ...] = ()
    main: str = ""
    candidates: tuple[tuple[str, int], ...] = ()
    found: Found | None = None


_ENDED = {
    "too_slow": "Reading it took too long.",
    "too_large": "Reading it needs too much memory.",
    "not_read": "Reading it ended with an error of the program.",
}


class Reader:
    """A process that reads one source after the other. A context manager; one thread at a time uses it."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    def _end(self) -> None:
        if self._process is not None:
            assert self._process.stdin
            assert self._process.stdout
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def submitted(self, name: str, content: bytes, sha256: str) -> Submitted:
        """What an archive holds; one that ends its child is `unreadable` with the code of that."""
        if len(content) > MOST_BYTES:
            reason = f"The archive has more than {MOST_BYTES // 1_000_000} MB."
            return Submitted(name, "unknown", sha256, "too_large", reason)
        how, lines = self._ask({"verb": "archive", "name": name}, content)
        if not lines:
            return Submitted(name, "unknown", sha256, how, _ENDED[how])
        told = lines[0]
        if any(len(path) > LONGEST_PATH for path in [*told["files"], *(path for path, _ in told["others"])]):
            reason = f"A path in the archive has more than {LONGEST_PATH:,} characters."
            return Submitted(name, told["form"], sha256, "bad_path", reason)
        found = _found(how, lines[1:]) if told["main"] else None
        code, sentence = told["code"], told["sentence"]
        if isinstance(found, NotRead):
            code, sentence, told["main"], found = found.code, found.sentence, "", None
        return Submitted(
            name, told["form"], told["sha256"], code, sentence, told["files"],
            tuple((path, size) for path, size in told["others"]),
            tuple((code, path, words) for code, path, words in told["notes"]),
            told["main"], tuple((path, points) for path, points in told["candidates"]), found,
        )  # fmt: skip

    def outline(self, files: Mapping[str, str], main: str) -> Found | NotRead:
        """What is found in files whose main file somebody named."""
        how, lines = self._ask({"verb": "outline", "main": main}, json.dumps(dict(files)).encode())
        return _found(how, lines)

    def construct(self, asked: Asked) -> list[dict[str, Any]] | Drop:
        """The states as `construction.pipeline` has them, in JSON; or why the source cannot be read here."""
        replies = [[key, stage, text] for (key, stage), text in asked.replies.items()]
        request = {**vars(asked), "paper": asked.paper.model_dump(mode="json"), "replies": replies}
        how, lines = self._ask(
            {"verb": "construct", "protocol": asked.protocol}, json.dumps(request).encode()
        )
        if not lines:
            return Drop(how, _ENDED.get(how, _ENDED["not_read"]))
        return list(lines[0])

    def _ask(self, request: dict[str, object], content: bytes) -> tuple[str, list[Any]]:
        limits = self._limits
        request |= {
            "size": len(content), "processor": limits.processor, "memory": limits.memory, "seconds": limits.clock,
        }  # fmt: skip
        sent = json.dumps(request).encode() + b"\n" + content
        with self._lock:
            for _ in range(2):  # a process that somebody killed is replaced once
                self._process = self._process or _started()
                assert self._process.stdin
                assert self._process.stdout
                try:
                    self._process.stdin.write(sent)
                    self._process.stdin.flush()
                    answer = json.loads(self._process.stdout.readline())
                    said = self._process.stdout.read(answer["size"])
                    break
                except (OSError, ValueError):
                    self._process.kill()
                    self._end()
            else:
                return "not_read", []
        # A child that died while it wrote has left a line without its end.
        lines = [json.loads(line) for line in said.split(b"\n")[:-1]]
        if lines and isinstance(lines[-1], dict) and "error" in lines[-1]:
            logging.getLogger(__name__).error("%s of a source: %s", request["verb"], lines.pop()["error"])
        return answer["how"], lines


class Readers:
    """As many reading processes as this machine has cores, started when they are needed, for threads to share."""

    def __enter__(self) -> Self:
        self._readers = [Reader() for _ in range(CORES)]
        self._free: queue.SimpleQueue[Reader] = queue.SimpleQueue()
        for reader in self._readers:
            self._free.put(reader)
        return self

    def __exit__(self, *error: object) -> None:
        for reader in self._readers:
            reader.__exit__(None, None, None)

    @contextmanager
    def one(self) -> Iterator[Reader]:
        """A process that nobody else uses; waits until one is free."""
        reader = self._free.get()
        try:
            yield reader
        finally:
            self._free.put(reader)


def _started() -> subprocess.Popen[bytes]:
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return subprocess.Popen(  # nosec B603 # our own module, and the archive comes in as bytes
        [sys.executable, "-m", "construction.reading.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env=kept,
    )


def _found(how: str, lines: list[Any]) -> Found | NotRead:
    if not lines:
        return NotRead(how, _ENDED.get(how, _ENDED["not_read"]))
    (told,) = lines
    if "code" in told:
        return NotRead(told["code"], told["sentence"])
    return Found(told.pop("version"), told.pop("main"), told.pop("title"), told)


def unpacked(archive: Path, folder: Path, limits: Limits | None = None) -> list[str] | None:
    """Unpack an archive of archives into a folder; None for one that is no such thing, or cannot be read.

    Returns the paths of the archives in it, in order.
    """
    limits = limits or Limits()
    request = {"archive": str(archive), "folder": str(folder), "limits": [limits.processor, limits.memory]}
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    try:
        child = subprocess.run(  # nosec B603 # our own module
            [sys.executable, "-m", "construction.reading.unpacking"],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=limits.clock,
            cwd=ROOT,
            env=kept,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if child.returncode or not child.stdout:
        return None
    answer: list[str] | None = json.loads(child.stdout)["archives"]
    return answer
