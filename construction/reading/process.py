"""Constructing from one source in a child process: its text is from outside, and may take for ever to read."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.importing.keys import PaperFields
from construction.recipes.passages import Drop

ROOT = Path(__file__).resolve().parents[2]
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ")  # no database address, no key


@dataclass(frozen=True)
class Limits:
    """Seconds of the processor, seconds by the clock, and bytes of memory."""

    processor: int = 60
    clock: float = 240
    memory: int = 768 * 1024**2


@dataclass(frozen=True)
class Asked:
    """A source, the recipe to follow, and the replies so far by key and stage."""

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


def construct(asked: Asked, limits: Limits | None = None) -> list[dict[str, Any]] | Drop:
    """The states as `construction.pipeline` has them, in JSON; or why the source cannot be read here."""
    limits = limits or Limits()
    request = {
        **vars(asked),
        "limits": [limits.processor, limits.memory],
        "paper": asked.paper.model_dump(mode="json"),
        "replies": [[key, stage, text] for (key, stage), text in asked.replies.items()],
    }
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    try:
        child = subprocess.run(  # nosec B603 # our own module, and the text comes in as JSON
            [sys.executable, "-m", "construction.reading.child"],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=limits.clock,
            cwd=ROOT,
            env=kept,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Drop("too_slow", f"Reading it took longer than {limits.clock:g} seconds.")
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Drop("too_slow", f"Reading it took longer than {limits.processor} seconds of the processor.")
    if child.returncode or not child.stdout:
        last = child.stderr.decode(errors="replace").strip().rpartition("\n")[2][:300]
        return Drop("not_read", f"Reading it ended with an error: {last or child.returncode}")
    answer: dict[str, Any] = json.loads(child.stdout)
    if "refused" in answer:
        return Drop("too_large", "Reading it needs too much memory.")
    states: list[dict[str, Any]] = answer["states"]
    return states
