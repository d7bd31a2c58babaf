"""Reading replies, and what one judge replied about one subject, vote by vote, as staff read it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from benchmark.models import Instance, Output
from judging.models import Call, Judge, StepVerdict, Verdict
from llm import OwnPrompt, Prompt, Unparsed


@dataclass(frozen=True)
class VerdictReply:
    """A verdict with its raw reply.

    `other` is what the subject was compared with, None where it was not, and `place` where the subject was shown.
    `text` is the reply's message and `sent` the messages that were sent; both are empty for an imported verdict, a
    program's or a combination's, behind which there is no call. `steps` are in the order of the output.
    """

    verdict: Verdict
    other: Output | None
    place: str
    text: str
    sent: tuple[tuple[str, str], ...]
    steps: tuple[StepVerdict, ...]


@dataclass(frozen=True)
class ReadReply:
    """What a reply says, as a verdict keeps it."""

    state: str
    value: str
    reason: str
    confidence: float | None
    steps: Mapping[str, str] = field(default_factory=dict)


def read(text: str, prompt: Prompt | OwnPrompt) -> ReadReply:
    """The reply to a prompt as this version of the parser reads it."""
    reply = prompt.read(text)
    if isinstance(reply, Unparsed):
        return ReadReply("unparsed", "", reply.reason, None)
    return ReadReply("answered", reply.label, reply.reason, reply.confidence, reply.steps)


def replies(judge: Judge, subject: Output | Instance) -> list[VerdictReply]:
    """About one output, the pairs it is one of, or one instance; by predicate, pair, order and vote; two queries."""
    about = Q(instance=subject)
    if isinstance(subject, Output):
        about = Q(output=subject) | Q(second=subject)
    rows = (
        Verdict.objects.filter(about, judge=judge)
        .select_related("call", "output", "second")
        .prefetch_related("steps")
        .order_by("predicate", "output", "second", "order", "vote")
    )
    found = []
    for verdict in rows:
        other, place = None, ""
        if verdict.second is not None:
            stored_first = verdict.output == subject
            other = verdict.second if stored_first else verdict.output
            place = "first" if stored_first == (verdict.order == 1) else "second"
        messages = verdict.call.request.get("messages", []) if verdict.call is not None else []
        sent = tuple((str(message["role"]), str(message["content"])) for message in messages)
        steps = sorted(verdict.steps.all(), key=lambda row: (len(row.step), row.step))  # b2 before b10
        found.append(VerdictReply(verdict, other, place, reply_text(verdict.call), sent, tuple(steps)))
    return found


def reply_text(call: Call | None) -> str:
    """The message of a stored reply; "" where there is none."""
    found: Any = call.reply if call is not None else None
    for key in ("choices", 0, "message", "content"):
        try:
            found = found[key]
        except (KeyError, IndexError, TypeError):
            return ""
    return found if isinstance(found, str) else ""
