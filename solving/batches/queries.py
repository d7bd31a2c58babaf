"""Reading batches: what waits and what is out, and the file of the questions that are out."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, Q, QuerySet

from accounts.refusal import Refused
from llm.completion import build_request
from solving.batches.lines import Name, request_line
from solving.models import AskStep, SolveRun, Step
from solving.runs.kinds import ASKS, question_of
from work.claims import EXPORT
from work.endpoints import declared_endpoints
from work.models import TaskState

MEDIA_TYPE = "application/jsonlines"
_CHUNK = 200


@dataclass(frozen=True)
class BatchState:
    """How many questions of a run wait, how many are out in a batch, and how many uses of tools wait for a worker."""

    waiting: int
    out: int
    tools_waiting: int


def batch_state(run: SolveRun) -> BatchState:
    """Of one run: one statement."""
    asks, waits = Q(kind=Step.Kind.ASK), Q(state=TaskState.WAITING)
    counts = run.steps.aggregate(
        waiting=Count("pk", filter=asks & waits),
        out=Count("pk", filter=asks & Q(state=TaskState.LEASED, lease_owner__startswith=EXPORT)),
        tools_waiting=Count("pk", filter=Q(kind=Step.Kind.TOOL) & waits),
    )
    return BatchState(**counts)


def out_of(run: SolveRun) -> QuerySet[Step]:
    """The questions of a run that are out in a batch: exports hold them, so that no worker asks them too."""
    out: QuerySet[Step] = AskStep.objects.filter(
        run=run, state=TaskState.LEASED, lease_owner__startswith=EXPORT
    )
    return out.order_by("pk")


def name_of(step: Step) -> Name:
    """The custom_id of a question that is out."""
    return Name(step.run_id, step.pk, step.lease_owner.removeprefix(EXPORT))


def body_of(step: Step) -> dict[str, object]:
    """The request that a worker would send. The same whenever it is made, so that a file can be written again."""
    owner = step.lease_owner.removeprefix(EXPORT)
    question = question_of(step, hashlib.sha256(f"{owner}:{step.pk}".encode()).hexdigest()[:32])
    endpoint = declared_endpoints(settings.JUDGE_ENDPOINTS).get(step.endpoint)
    structured = endpoint is not None and endpoint.structured_output
    return build_request(
        question.messages,
        model=question.model,
        decoding=question.decoding,
        response_format=question.response_format if structured else None,
    )


def batch_lines(run: SolveRun) -> Iterator[bytes]:
    """The lines of the questions that are out; raises Refused at once if none is."""
    ids = list(out_of(run).values_list("pk", flat=True))
    if not ids:
        raise Refused("No question of the run is out in a batch.", code="nothing_out")
    chunks = (ids[start : start + _CHUNK] for start in range(0, len(ids), _CHUNK))
    return (
        request_line(name_of(step), body_of(step))
        for chunk in chunks
        for step in Step.objects.filter(pk__in=chunk, lease_owner__startswith=EXPORT)
        .order_by("pk")
        .prefetch_related(*ASKS.loaded)
    )
