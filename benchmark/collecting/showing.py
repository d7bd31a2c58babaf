"""How texts will look, before anything is stored: formulas that fail, summarised by kind with their first places."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmark.importing.progress import Progress, silent
from benchmark.rendering.actions import render_now

FIRST = 10
MOST_SECONDS = 120.0
_QUOTED = re.compile(r"'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”")
_AT = re.compile(r" at (?:position|character) \d+(?::.*)?$", re.DOTALL)
_COMMAND = re.compile(r"\\[A-Za-z@]+")


@dataclass
class Shown:
    """Counts over the rendered texts; `kinds` are summaries of their failing formulas."""

    texts: int = 0
    not_tried: int = 0
    formulas: int = 0
    failed: int = 0
    texts_with_failures: int = 0
    kinds: list[dict[str, object]] = field(default_factory=list)


def show(
    texts: Iterable[tuple[str, str, str]], *, seconds: float = MOST_SECONDS, progress: Progress = silent
) -> Shown:
    """Render (place, text, format) for at most so many seconds, and say which formulas will not be set."""
    wanted = list(texts)
    shown, failures, end = Shown(), [], time.monotonic() + seconds
    for number, (place, text, text_format) in enumerate(wanted):
        if time.monotonic() >= end:
            shown.not_tried = len(wanted) - number
            break
        (document,) = render_now([(text, text_format)])
        shown.texts += 1
        shown.formulas += document.report["formulas"]
        failed = document.report["failures"]
        shown.failed += len(failed)
        shown.texts_with_failures += bool(failed)
        for failure in failed:
            line = text.count("\n", 0, failure["start"]) + 1
            failures.append(
                {"file": place, "line": line, "field": failure["source"][:120], "reason": failure["reason"]}
            )
        progress("rendering", number + 1, len(wanted))
    shown.kinds = summarise(failures)
    return shown


def summarise(faults: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Faults by kind, the most frequent first: {"kind", "count", "places"}, each with its first ten places."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for fault in faults:
        kinds.setdefault(kind_of(fault), []).append(fault)
    ordered = sorted(kinds.items(), key=lambda pair: -len(pair[1]))
    return [{"kind": kind, "count": len(found), "places": found[:FIRST]} for kind, found in ordered]


def kind_of(fault: Mapping[str, Any]) -> str:
    """What a fault has in common with others: its reason without names and numbers, after its field."""
    words = _AT.sub("", str(fault["reason"]))
    if not _COMMAND.search(words):
        words = re.sub(r"\d[\d,.]*", "…", _QUOTED.sub("…", words))
        words = re.sub(r"…(?:,? …)+", "…", words)
    name = str(fault.get("field", ""))
    return f"{name}: {words}" if re.fullmatch(r"[a-z_][\w.]*", name) else words
