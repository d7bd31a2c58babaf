"""Reading replies, and what one judge replied about one subject, vote by vote, as staff read it."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from benchmark.models import Instance, Output
from judging.models import Call, Judge, Verdict
from llm import OwnPrompt, Prompt, Unparsed


@dataclass(frozen=True)
class VerdictReply:
    """A verdict with its raw reply.

    `other` is what the subject was compared with, None where it was not, and `place` where the subject was shown.
    `text` is the reply's message and `sent` the messages that were sent; both are empty for an imported verdict, a
    program's or a combination's, behind which there is no call.
    """

    verdict: Verdict
    other: Output | None
    place: str
    text: str
    sent: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ReadReply:
    """What a reply says, as a verdict keeps it."""

    state: str
    value: str
    reason: str
    confidence: float | None


def read(text: str, prompt: Prompt | OwnPrompt) -> ReadReply:
    """The reply to a prompt as this version of the parser reads it."""
    reply = prompt.read(text)
    if isinstance(reply, Unparsed):
        return ReadReply("unparsed", "", reply.reason, None)
    return ReadReply("answered", reply.label, reply.reason, reply.confidence)


def replies(judge: Judge, subject: Output | Instance) -> list[VerdictReply]:
    """About one output, the pairs it is one of, or one instance; by predicate, pair, order and vote; one query."""
    about = Q(instance=subject)
    if isinstance(subject, Output):
        about = Q(output=subject) | Q(second=subject)
    rows = (
        Verdict.objects.filter(about, judge=judge)
        .select_related("call", "output", "second")
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
        found.append(VerdictReply(verdict, other, place, reply_text(verdict.call), sent))
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
