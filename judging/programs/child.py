"""The child process in which programs of protocols run: questions in, replies out, one JSON document a line.

Knows no Django: it sees no settings, no database and no key. Its parent, judging/programs/pool.py, kills it
when a question takes too long; a kernel timer does so too if the parent has died. Nothing that a program
prints can be taken for a reply, because replies leave through a descriptor of their own.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, BinaryIO

from benchmark.protocol import ProgramJudge, ProgramReply, Protocol
from benchmark.protocols import get_protocol

MEMORY_BYTES = 2 * 1024**3
MAX_REPLY_CHARS = 200_000
GRACE_SECONDS = 5.0


def main(find: Callable[[str], Protocol] = get_protocol) -> None:
    """Answers questions from standard input until it is closed: first {"started": true}, then the reply."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin.buffer:
        question = json.loads(line)
        program = find(question["protocol"]).program(question["program"])
        _write(replies, {"started": True})
        signal.setitimer(signal.ITIMER_REAL, program.seconds + GRACE_SECONDS)
        _write(replies, answer(program, question))
        signal.setitimer(signal.ITIMER_REAL, 0)


def answer(program: ProgramJudge, question: Mapping[str, Any]) -> dict[str, Any]:
    """The program's reply to a question (predicate, instance, output, text) as a JSON document.

    An exception of the program, lack of memory too, becomes state unavailable. The reason names its type
    only: the message may quote the text that was judged.
    """
    try:
        reply = program.decide(
            question["predicate"], question["instance"], question["output"], question["text"]
        )
        document = json.dumps(asdict(reply), allow_nan=False)
    except Exception as error:  # noqa: BLE001 - whatever it raised, the question is answered
        return _unavailable(f"{program.label} failed: {type(error).__name__}")
    if len(document) > MAX_REPLY_CHARS:
        return _unavailable(f"{program.label} replied with more than {MAX_REPLY_CHARS} characters")
    return dict(json.loads(document))


def _unavailable(reason: str) -> dict[str, object]:
    return asdict(ProgramReply("", reason, state="unavailable"))


def _write(stream: BinaryIO, reply: Mapping[str, object]) -> None:
    stream.write(json.dumps(reply).encode() + b"\n")
    stream.flush()


if __name__ == "__main__":
    main()
