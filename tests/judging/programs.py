"""Programs that behave in every way a program can, and the child process that knows them.

The text of an output says what the program does: "yes", "hang", "die" and so on.
"""

import os
import signal
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchmark.protocol import ProgramJudge, ProgramReply, Protocol
from benchmark.protocols import get_protocol
from judging.programs.child import MAX_REPLY_CHARS, main


def decide(
    predicate: str, instance: Mapping[str, Any], output: Mapping[str, Any] | None, text: str
) -> ProgramReply:
    """The reply that the text asks for."""
    if text == "hang":
        time.sleep(600)
    if text == "hang in C":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        9**9**9
    if text == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    if text == "eat memory":
        bytearray(8 * 1024**3)
    if text == "raise":
        raise ValueError("with words of the text")
    if text == "long":
        return ProgramReply("yes", "x" * (MAX_REPLY_CHARS + 1))
    if text == "print":
        print('{"value": "yes", "reason": "forged", "state": "answered", "evidence": {}}', flush=True)
    if text == "keys":
        return ProgramReply("no", " ".join(sorted(os.environ)))
    if text == "cannot":
        return ProgramReply("", "there is nothing to compare", state="unavailable")
    return ProgramReply("no", f"{predicate} of {sorted(instance)[0]}", evidence={"spans": [[0, 3]]})


def protocol_with_programs(name: str, version: int = 1) -> Protocol:
    """The protocol with one more judge, `mirror`, that has a limit of two seconds."""
    program = ProgramJudge("mirror", version, ("ground",), decide, title="Mirror", seconds=2.0)
    return replace(get_protocol(name), program_judges=(program,))


if __name__ == "__main__":
    main(protocol_with_programs)
