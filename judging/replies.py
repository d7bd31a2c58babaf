"""What a reply says, and what one judge replied about one subject, vote by vote, as staff read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.models import Instance, Output
from judging.models import Call, Judge, Verdict
from llm import Unparsed, parse_reply
from llm.replies import LABELS


@dataclass(frozen=True)
class Said:
    """A verdict with its raw reply. `text` is the reply's message and `sent` the messages that were sent; both
    are empty for an imported verdict, a program's or a combination's, behind which there is no call."""

    verdict: Verdict
    text: str
    sent: tuple[tuple[str, str], ...]


def read(text: str, labels: Sequence[str] = LABELS) -> dict[str, Any]:
    """State, value, reason and confidence of a verdict, as this version of the parser reads the reply."""
    reply = parse_reply(text, labels)
    if isinstance(reply, Unparsed):
        return {"state": "unparsed", "value": "", "reason": reply.reason, "confidence": None}
    return {
        "state": "answered",
        "value": reply.label,
        "reason": reply.reason,
        "confidence": reply.confidence,
    }


def replies(judge: Judge, subject: Output | Instance) -> list[Said]:
    """About one output or one instance, by predicate, order and vote, with one query."""
    about = {"output": subject} if isinstance(subject, Output) else {"instance": subject}
    rows = (
        Verdict.objects.filter(judge=judge, **about)
        .select_related("call")
        .order_by("predicate", "order", "vote")
    )
    return [Said(row, reply_text(row.call), _sent(row.call)) for row in rows]


def reply_text(call: Call | None) -> str:
    """The message of a stored reply; "" where there is none."""
    found: Any = call.reply if call is not None else None
    for key in ("choices", 0, "message", "content"):
        try:
            found = found[key]
        except (KeyError, IndexError, TypeError):
            return ""
    return found if isinstance(found, str) else ""


def _sent(call: Call | None) -> tuple[tuple[str, str], ...]:
    messages = call.request.get("messages", []) if call is not None else []
    return tuple((str(message["role"]), str(message["content"])) for message in messages)
