"""Rules about what was recorded: frozen content, rubrics, redactions, and where a verdict comes from."""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, Q

from annotation.models import Grade
from benchmark.models import (
    IdentityDecision,
    IdentityVerdict,
    RedactedOutput,
    Release,
    Run,
    Settlement,
)
from benchmark.releases.integrity import release_sha256, run_sha256
from benchmark.settling.case import pair_of
from judging.models import JudgeRun, JudgeTask, Verdict
from solving.runs import replaying
from work.models import RunState, TaskState


def frozen_content_has_its_hash() -> Iterator[str]:
    """Releases and runs that are frozen hold, row by row, what their hash was computed from."""
    for release in Release.objects.filter(frozen_at__isnull=False):
        if release_sha256(release) != release.sha256:
            yield f"release {release} does not have the hash of its instances"
    for run in Run.objects.filter(frozen_at__isnull=False):
        if run_sha256(run) != run.sha256:
            yield f"run {run.pk} does not have the hash of its outputs"


def grades_are_on_the_rubric_of_their_campaign() -> Iterator[str]:
    """A grade was given on the rubric by which its answers are read."""
    other = Grade.objects.exclude(rubric_sha256=F("assignment__item__campaign__rubric__sha256"))
    for grade in other.values_list("id", flat=True):
        yield f"grade {grade} was given on a different rubric from its campaign's"


def redactions_have_their_decision() -> Iterator[str]:
    """A redacted text stands for its own output, by a decision that was not withdrawn; and each such has one."""
    live = Q(verdict=IdentityVerdict.REDACTED, withdrawn_at__isnull=True)
    for row in RedactedOutput.objects.select_related("decision"):
        decision = row.decision
        if (
            decision.output_id != row.output_id
            or decision.verdict != IdentityVerdict.REDACTED
            or decision.withdrawn_at is not None
        ):
            yield f"output {row.output_id} is redacted without a decision"
    for output in IdentityDecision.objects.filter(live, redacted=None).values_list("output_id", flat=True):
        yield f"output {output} was to be redacted and is shown as it is"


def judge_tasks_stay_in_their_release() -> Iterator[str]:
    """A run asks about outputs and instances of its own release."""
    elsewhere = (
        Q(output__isnull=False) & ~Q(output__run__release=F("run__release"))
        | Q(second__isnull=False) & ~Q(second__run__release=F("run__release"))
        | Q(instance__isnull=False) & ~Q(instance__release=F("run__release"))
    )
    for task in JudgeTask.objects.filter(elsewhere).values_list("id", flat=True):
        yield f"judge task {task} asks about another release"


def verdicts_come_from_calls_of_their_judge() -> Iterator[str]:
    """A verdict that was read from a reply was read from one to its judge, or to that whose replies it rereads."""
    other = Verdict.objects.filter(call__isnull=False).exclude(call__judge=F("judge"))
    for verdict in other.select_related("judge", "call__judge").iterator():
        assert verdict.call is not None
        if verdict.judge.prompts.get(verdict.predicate, {}).get("replies_of") != verdict.call.judge.label:
            yield f"verdict {verdict.pk} was read from a call of another judge"


def finished_runs_have_nothing_open() -> Iterator[str]:
    """A run that ended has no task that still waits or is with a worker."""
    open_task = JudgeTask.objects.filter(run=OuterRef("pk"), state__in=(TaskState.WAITING, TaskState.LEASED))
    for run in JudgeRun.objects.filter(Exists(open_task), state=RunState.DONE).values_list("id", flat=True):
        yield f"judge run {run} is finished and has open tasks"


def settlements_name_their_texts() -> Iterator[str]:
    """An answer about two texts is filed under the hash of these texts."""
    for row in Settlement.objects.iterator():
        if pair_of(row.found, row.wanted) != row.pair:
            yield f"settlement {row.pk} is filed under other texts"


def attempts_follow_from_their_replies() -> Iterator[str]:
    """A solver's attempt comes to the same questions, memory and result again from its stored replies."""
    yield from replaying.faults()


def attempts_account_for_their_tokens() -> Iterator[str]:
    """What is booked for an attempt is what is booked for its steps."""
    yield from replaying.unaccounted()


RECORDS = (
    frozen_content_has_its_hash,
    grades_are_on_the_rubric_of_their_campaign,
    redactions_have_their_decision,
    judge_tasks_stay_in_their_release,
    verdicts_come_from_calls_of_their_judge,
    finished_runs_have_nothing_open,
    settlements_name_their_texts,
    attempts_follow_from_their_replies,
    attempts_account_for_their_tokens,
)
