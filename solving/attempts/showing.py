"""One step as people read it: its reply with formulas rendered, what it read, its calls, and what was sent."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmark.rendering.stored import Rendered, rendered_all
from canonical import strings_of
from llm.injections import find_injections
from solvers.asking import rendered
from solvers.recipe import get_recipe
from solvers.steps import Ask
from solving.attempts.diffing import changes
from solving.models import Attempt, MemoryEntry, SolveCall, Step
from solving.runs.queries import planned_again
from solving.runs.stored import is_outdated, question_sha256

MOST_TEXTS = 400  # of a reply; a longer one is cut, and its call has all of it
LONGEST_RAW = 200_000  # characters of a raw reply that a page shows
LONGEST_PLAIN = 60
"""Longer texts, and those with formulas, are rendered as LaTeX."""
TITLES = {
    "proof_latex": "Proof", "cites": "Cites", "gaps": "Gaps that it names", "outline": "Outline", "answer": "Answer",
    "issues": "Issues", "changed": "What was changed", "strategy": "Strategy", "formal": "The problem made precise",
    "symbols": "Symbols", "subgoals": "Subgoals", "explicit": "Given", "implicit": "Implied", "target": "To be shown",
    "reviews": "Reviews", "queries": "Queries", "expected": "Papers expected", "used": "Entries used",
    "items": "What sources offer", "summary": "Summary", "request": "Request", "reason": "Reason",
    "abstain": "Abstains", "needed": "Needed", "faults": "Faults", "results": "Results", "blocked": "Kept away",
}  # fmt: skip


@dataclass
class Part:
    """A piece of a reply: a text, rendered or plain, or parts below it."""

    title: str
    plain: str = ""
    document: Rendered | None = None
    parts: list["Part"] = field(default_factory=list)


@dataclass(frozen=True)
class ChangedBlocks:
    """Blocks of the draft before and of this one that are the same, removed or added."""

    kind: str
    html: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.html)


@dataclass(frozen=True)
class ShownStep:
    """Everything about a step. `prompt` is None where what was sent cannot be made again; `unlike` says why."""

    step: Step
    parts: list[Part]
    calls: Sequence[tuple[SolveCall, str]]
    prompt: list[dict[str, str]] | None
    unlike: str
    left_out: str
    arguments: Mapping[str, Any]
    base: MemoryEntry | None
    diff: list[ChangedBlocks]
    suspicious: list[str]
    waiting: bool


def shown_step(attempt: Attempt, step: Step, names: Sequence[str]) -> ShownStep:
    """A step with its reply; `names` are the candidates in the order in which a verifier read them."""
    parts, texts = _parts_of(step, names)
    prompt, unlike, left_out, arguments = _sent(attempt, step)
    base, diff, waiting = _difference(attempt, step)
    documents = [part.document for part in texts if part.document]
    return ShownStep(
        step=step,
        parts=parts,
        calls=[(call, raw_text(call)) for call in step.calls.order_by("pk")],
        prompt=prompt,
        unlike=unlike,
        left_out=left_out,
        arguments=arguments,
        base=base,
        diff=diff,
        suspicious=suspicious_in(step.reply),
        waiting=waiting or any(one.waiting for one in documents),
    )


def shown_text(text: str, prefix: str, *, by_line: bool) -> list[Rendered]:
    """An entry's text rendered: as one document, or line by line where lines matter."""
    pieces = [line for line in text.splitlines() if line.strip()][:MOST_TEXTS] if by_line else [text]
    return rendered_all([(piece, "latex", f"{prefix}{number}-") for number, piece in enumerate(pieces)])


def raw_text(call: SolveCall) -> str:
    """What the endpoint sent, as text; cut where nobody reads on."""
    if call.reply is None:
        return ""
    text = json.dumps(call.reply, ensure_ascii=False, indent=1)
    return text if len(text) <= LONGEST_RAW else f"{text[:LONGEST_RAW]}\n… {len(text):,} characters in all"


def suspicious_in(document: Any) -> list[str]:
    """Passages of a reply that speak to a model that reads them."""
    found = [flag.excerpt for text in strings_of(document) for flag in find_injections(text)]
    return list(dict.fromkeys(found))[:20]


def _parts_of(step: Step, names: Sequence[str]) -> tuple[list[Part], list[Part]]:
    """The reply as parts, and those of them that are rendered. A proof comes first."""
    wanted: list[tuple[Part, str]] = []
    room = [MOST_TEXTS]

    def part(title: str, value: Any) -> Part | None:
        if value in ("", None, [], {}) or value is False or room[0] <= 0:
            return None
        made = Part(title)
        if isinstance(value, Mapping):
            below = [part(title_of(name), one) for name, one in _ordered(value)]
            made.parts = [one for one in below if one]
            return made if made.parts else None
        if isinstance(value, list):
            below = []
            for number, one in enumerate(value, 1):
                candidate = one.get("candidate") if isinstance(one, Mapping) else None
                place = str(number)
                if isinstance(candidate, int):  # a review is called after what was read
                    place = names[candidate - 1] if 1 <= candidate <= len(names) else f"Candidate {candidate}"
                below.append(part(place, one))
            made.parts = [one for one in below if one]
            return made if made.parts else None
        room[0] -= 1
        text = "yes" if value is True else str(value)
        if isinstance(value, str) and ("$" in text or "\\" in text or len(text) > LONGEST_PLAIN):
            wanted.append((made, text))
        else:
            made.plain = text
        return made

    reply = step.reply if isinstance(step.reply, Mapping) else {}
    parts = [part(title_of(name), value) for name, value in _ordered(reply)]
    prefix = f"s{step.pk}-"
    texts = [(text, "latex", f"{prefix}{number}-") for number, (_, text) in enumerate(wanted)]
    for (made, _), document in zip(wanted, rendered_all(texts) if texts else [], strict=True):
        made.document = document
    return [one for one in parts if one], [made for made, _ in wanted]


def title_of(name: str) -> str:
    """A field's name in words."""
    return TITLES.get(name, name.replace("_", " ").capitalize())


def _ordered(document: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(document.items(), key=lambda item: item[0] != "proof_latex")


def _sent(attempt: Attempt, step: Step) -> tuple[list[dict[str, str]] | None, str, str, Mapping[str, Any]]:
    """(messages, why they are not what was sent, what memory left out, arguments of a tool)."""
    if is_outdated(attempt.run.solver):
        return None, "The recipe has changed since, so what was sent cannot be made again here.", "", {}
    try:
        _, asked = planned_again(attempt)
    except (ValueError, KeyError, TypeError) as error:
        return None, f"What was sent cannot be made again: {type(error).__name__}.", "", {}
    planned = asked.get(step.key)
    if planned is None:
        return None, "What was sent cannot be made again: the recipe now asks something else here.", "", {}
    recipe = get_recipe(attempt.run.solver.recipe)
    same = question_sha256(planned, recipe) == step.question_sha256
    unlike = "" if same else "This is not exactly what was sent: the hashes differ."
    if not isinstance(planned, Ask):
        return None, "", "", planned.arguments
    messages = rendered(recipe, planned, secrets.token_hex(16)).messages
    return messages, unlike, planned.fields.get("left_out", ""), {}


def _difference(attempt: Attempt, step: Step) -> tuple[MemoryEntry | None, list[ChangedBlocks], bool]:
    """What a proposal changed in the draft that it read first; nothing where it read none."""
    if step.phase != "propose":
        return None, [], False
    proofs = {
        entry.number: entry
        for entry in attempt.memory.filter(section=MemoryEntry.Section.PROOF).order_by("number")
    }
    base = next((proofs[number] for number in step.reads if number in proofs), None)
    own = next((one for one in proofs.values() if (one.round, one.agent) == (step.round, step.agent)), None)
    if base is None or own is None:
        return None, [], False
    before, after = rendered_all([(base.text, "latex", f"b{step.pk}-"), (own.text, "latex", f"a{step.pk}-")])
    blocks = {"removed": before.shown, "same": after.shown, "added": after.shown}
    found = changes([one.source for one in before.shown], [one.source for one in after.shown])
    diff = [
        ChangedBlocks(one.kind, tuple(blocks[one.kind][number].html for number in one.blocks))
        for one in found
    ]
    return base, diff, bool(before.waiting or after.waiting)
