"""Reading the stored replies of a run again, with today's parser. No call is made, and no stored row changes.

Votes that are read differently belong to another judge version: the prompts of the new version name the old one
and the parser, so its hash tells them apart, and both can be scored, audited and compared.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.protocols import get_protocol
from judging.asking.prompts import predicate_prompt
from judging.asking.replies import read, reply_text
from judging.asking.subjects import FIELDS, Subject, instance_of, subject_of
from judging.models import Call, Judge, JudgeRun, Verdict
from judging.runs.actions import judge_version
from llm.replies import PARSER

_BATCH = 1000
Place = tuple[Subject, int]  # what the vote is about, and its number


@dataclass(frozen=True)
class Changed:
    """A vote that is read differently; `before` and `after` are its value, or its state where it has none.

    `attempt` is None for a vote about an instance.
    """

    instance: str
    attempt: int | None
    predicate: str
    order: int
    vote: int
    before: str
    after: str


@dataclass(frozen=True)
class Reread:
    """All votes of a run as they are read now: unsaved, of no judge yet; `judge` once they are stored."""

    votes: tuple[Verdict, ...]
    changed: tuple[Changed, ...]
    judge: Judge | None = None

    def document(self) -> dict[str, Any]:
        """As JSON, without the votes themselves."""
        return {
            "parser": PARSER,
            "votes": len(self.votes),
            "changed": [asdict(each) for each in self.changed],
            "judge": self.judge.label if self.judge else None,
        }


def reread(run: JudgeRun) -> Reread:
    """Every vote that a reply of this run decided, read again.

    Where a reply was asked for twice because the first could not be read, the first one that can be read now
    counts, as it would have then.
    """
    calls = _calls(run)
    stored = (
        Verdict.objects.filter(judge=run.judge, call__task__run=run)
        .select_related("output__instance", "instance")
        .order_by("instance__key", "output__instance__key", "output__attempt", *FIELDS, "vote")
    )
    protocol = get_protocol(run.judge.protocol)
    votes, changed = [], []
    for verdict in stored:
        subject = subject_of(verdict)
        labels = predicate_prompt(protocol, verdict.predicate).labels
        call, found = _first_readable(calls[subject, verdict.vote], labels)
        same = dict(zip(FIELDS, subject, strict=True))
        vote = Verdict(**same, vote=verdict.vote, call=call, **found)
        votes.append(vote)
        if (vote.state, vote.value) != (verdict.state, verdict.value):
            changed.append(_changed(verdict, vote))
    return Reread(tuple(votes), tuple(changed))


def _changed(before: Verdict, after: Verdict) -> Changed:
    return Changed(
        instance=instance_of(before).key,
        attempt=before.output.attempt if before.output is not None else None,
        predicate=before.predicate,
        order=before.order,
        vote=before.vote,
        before=before.value or before.state,
        after=after.value or after.state,
    )


@transaction.atomic
def reparse(*, actor: User | None, run: JudgeRun) -> Reread:
    """Store the votes of `reread` under a judge version of their own, if any is read differently.

    Raises Refused for a run without replies (a program's, or one that has not been answered yet).
    """
    again = reread(run)
    if not again.votes:
        raise Refused("No reply of this run is stored, so there is nothing to read again.", code="no_replies")
    if not again.changed:
        return again
    judge = judge_version(actor, _settings(run.judge))
    for vote in again.votes:
        vote.judge = judge
    Verdict.objects.bulk_create(again.votes, batch_size=_BATCH, ignore_conflicts=True)
    details = {
        "judge": judge.label,
        "parser": PARSER,
        "votes": len(again.votes),
        "changed": len(again.changed),
    }
    record(actor=actor, verb="read judge replies again", target=run, details=details)
    return Reread(again.votes, again.changed, judge)


def _settings(judge: Judge) -> dict[str, Any]:
    """No endpoint, so that nobody can ask it."""
    return {
        "slug": f"{judge.slug}-reread"[:100],
        "protocol": judge.protocol,
        "model": judge.model,
        "family": judge.family,
        "decoding": judge.decoding,
        "votes": judge.votes,
        "prompts": {
            predicate: {**identity, "replies_of": judge.label, "parser": PARSER}
            for predicate, identity in judge.prompts.items()
        },
    }


def _calls(run: JudgeRun) -> dict[Place, list[Call]]:
    """The calls that brought a reply, in the order they were made, by the vote they were for."""
    found: dict[Place, list[Call]] = {}
    rows = Call.objects.filter(task__run=run, error="", reply__isnull=False).select_related("task")
    for call in rows.order_by("id").iterator(chunk_size=_BATCH):
        found.setdefault((subject_of(call.task), call.task.vote), []).append(call)
    return found


def _first_readable(calls: list[Call], labels: Sequence[str]) -> tuple[Call, dict[str, Any]]:
    """The first call whose reply can be read, else the last one."""
    for call in calls:
        found = read(reply_text(call), labels)
        if found["state"] == "answered":
            break
    return call, found
