"""Reading the stored replies of a run again, with today's parser. No call is made, and no stored row changes.

Votes that are read differently belong to another judge version: the prompts of the new version name the old one
and the parser, so its hash tells them apart, and both can be scored, audited and compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from judging.asking.prompts import prompt_of, step_question
from judging.asking.replies import read, reply_text
from judging.asking.subjects import FIELDS, Subject, instance_of, subject_of
from judging.models import Call, Judge, JudgeRun, StepVerdict, Verdict
from judging.runs.actions import judge_version
from llm.prompts import as_asked
from llm.replies import PARSER

_BATCH = 1000
Place = tuple[Subject, int]  # what the vote is about, and its number


@dataclass(frozen=True)
class Changed:
    """A vote that is read differently: its value, or its state where there is no value, then and now.

    `attempt` is null for a vote about an instance.
    """

    instance: str
    attempt: int | None
    predicate: str
    order: int
    vote: int
    before: str
    after: str


@dataclass(frozen=True)
class Reparsed:
    """What reading the replies again found; `judge` is the new version, null when nothing is read differently."""

    parser: str
    votes: int
    changed: Sequence[Changed]
    judge: str | None


@dataclass(frozen=True)
class Reread:
    """All votes of a run as they are read now: unsaved, of no judge yet; `judge` once they are stored.

    `steps` has what each vote says about steps.
    """

    votes: tuple[Verdict, ...]
    steps: tuple[Mapping[str, str], ...]
    changed: tuple[Changed, ...]
    judge: Judge | None = None

    def document(self) -> Reparsed:
        """What is told of it, without the votes themselves."""
        judge = self.judge.label if self.judge else None
        return Reparsed(PARSER, len(self.votes), self.changed, judge)


def reread(run: JudgeRun) -> Reread:
    """Every vote that a reply of this run decided, read again.

    Where a reply was asked for twice because the first could not be read, the first one that can be read now
    counts, as it would have then; if none can, the last one.
    """
    calls: dict[Place, list[Call]] = {}  # that brought a reply, in the order they were made
    made = Call.objects.filter(task__run=run, error="", reply__isnull=False).select_related("task")
    for call in made.order_by("id").iterator(chunk_size=_BATCH):
        calls.setdefault((subject_of(call.task), call.task.vote), []).append(call)
    stored = (
        Verdict.objects.filter(judge=run.judge, call__task__run=run)
        .select_related("judge", "output__instance", "output__redacted", "instance")
        .prefetch_related("steps")
        .order_by("instance__key", "output__instance__key", "output__attempt", *FIELDS, "vote")
    )
    votes, steps, changed = [], [], []
    for verdict in stored:
        subject = subject_of(verdict)
        prompt = prompt_of(run.judge, verdict.predicate)
        for call in calls[subject, verdict.vote]:
            found = read(reply_text(call), as_asked(prompt, call.request.get("messages", [])))
            if found.state == "answered":
                break
        same = dict(zip(FIELDS, subject, strict=True))
        said = asdict(found)
        steps.append(said.pop("steps"))
        votes.append(Verdict(**same, vote=verdict.vote, call=call, **said))
        before = {row.step: row.label for row in verdict.steps.all()}
        if (found.state, found.value, steps[-1]) != (verdict.state, verdict.value, before):
            change = Changed(
                instance=instance_of(verdict).key,
                attempt=verdict.output.attempt if verdict.output is not None else None,
                predicate=verdict.predicate,
                order=verdict.order,
                vote=verdict.vote,
                before=verdict.value or verdict.state,
                after=found.value or found.state,
            )
            changed.append(change)
    return Reread(tuple(votes), tuple(steps), tuple(changed))


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
    old = run.judge
    settings = {
        "slug": f"{old.slug}-reread"[:100],
        "protocol": old.protocol,
        "model": old.model,
        "family": old.family,
        "decoding": old.decoding,  # and no endpoint, so that nobody can ask it
        "votes": old.votes,
        "prompts": {
            predicate: {**identity, "replies_of": old.label, "parser": PARSER}
            for predicate, identity in old.prompts.items()
        },
    }
    judge = judge_version(actor, settings)
    for vote in again.votes:
        vote.judge = judge
    Verdict.objects.bulk_create(again.votes, batch_size=_BATCH, ignore_conflicts=True)
    stored = dict(judge.verdicts.filter(steps=None).values_list("call", "pk"))
    rows = []
    for vote, said in zip(again.votes, again.steps, strict=True):
        if said and vote.call_id in stored:
            about = {
                "verdict_id": stored[vote.call_id],
                "question": step_question(old.protocol, vote.predicate),
            }
            rows += [StepVerdict(**about, step=step, label=label) for step, label in said.items()]
    StepVerdict.objects.bulk_create(rows, batch_size=_BATCH)
    details = {
        "judge": judge.label,
        "parser": PARSER,
        "votes": len(again.votes),
        "changed": len(again.changed),
    }
    record(actor=actor, verb="read judge replies again", target=run, details=details)
    return replace(again, judge=judge)
