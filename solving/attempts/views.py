"""Pages of an attempt: its transcript, and the long texts of steps and entries, loaded when opened."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.access import staff_only
from solving.attempts.bars import bars_of
from solving.attempts.overview import candidates_of, order_of, overview_of
from solving.attempts.ranking import read_ranking, reason_for
from solving.attempts.showing import shown_step, shown_text, suspicious_in
from solving.models import Attempt, AttemptState, MemoryEntry

LOADED = (
    "instance", "run__solver", "run__release__benchmark", "run__artifact__retrieval_file",
    "run__artifact__materialisation_file", "run__bank", "run__blocked",
)  # fmt: skip


@staff_only
@require_GET
def attempt(request: HttpRequest, pk: int) -> HttpResponse:
    """The transcript; with the header X-Fragment only its steps, for an attempt that goes on."""
    row = _attempt(pk)
    return render(request, "solving/attempts/attempt.html", transcript_of(row))


def transcript_of(row: Attempt) -> dict[str, object]:
    """What the page of a transcript shows; two of them are shown next to each other in a comparison."""
    overview = overview_of(row)
    order = read_ranking(row.ranking)
    verifiers = row.run.solver.settings.get("verifiers", 0)
    siblings = row.run.attempts.filter(instance=row.instance_id).exclude(pk=row.pk).order_by("number")
    cap = row.run.attempt_tokens
    return {
        "attempt": row,
        "run": row.run,
        "overview": overview,
        "bars": bars_of([(one.number, one.tokens) for one in overview.rounds], cap),
        "ranking": order,
        "reason": reason_for(order, verifiers if isinstance(verifiers, int) else 0) if order else "",
        "running": row.state == AttemptState.RUNNING,
        "unused": 1 - row.tokens_spent / cap if cap and row.state == AttemptState.ENDED else None,
        "over": max(0, row.tokens_spent - cap) if cap else 0,
        "minutes": (row.ended_at - row.began_at).total_seconds() / 60
        if row.ended_at and row.began_at
        else None,
        "active": row.active_seconds / 60,
        "siblings": siblings.only("pk", "number", "outcome")[:20],
        "sections": [
            label
            for value, label in MemoryEntry.Section.choices
            if any(entry.section == value for entry in overview.memory)
        ],
        "agents": sorted({entry.agent for entry in overview.memory}),
        "memory_rounds": sorted({entry.round for entry in overview.memory}),
    }


@staff_only
@require_GET
def step(request: HttpRequest, pk: int, key: str) -> HttpResponse:
    """A step with its long texts; with the header X-Fragment without the page around them."""
    row = _attempt(pk)
    found = get_object_or_404(row.steps.select_related("run"), key=key)
    read: list[str] = []  # the candidates, in the order in which a verifier read them
    if found.phase == "verify":
        steps = row.steps.defer("question", "reply").order_by("pk")
        memory = row.memory.defer("text").order_by("number")
        read = order_of(row, found, candidates_of(list(steps), list(memory)).get(found.round, ()))
    context = {"attempt": row, "run": row.run, "shown": shown_step(row, found, read)}
    fragment = request.headers.get("X-Fragment") == "step"
    return render(
        request, "solving/attempts/_step.html" if fragment else "solving/attempts/step.html", context
    )


@staff_only
@require_GET
def entry(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """An entry of memory; with the header X-Fragment without the page around it."""
    row = _attempt(pk)
    found = get_object_or_404(row.memory, number=number)
    by_line = found.section in (MemoryEntry.Section.FEEDBACK, MemoryEntry.Section.KNOWLEDGE)
    texts = shown_text(found.text, f"m{found.pk}-", by_line=by_line)
    context = {
        "attempt": row,
        "entry": found,
        "texts": texts,
        "waiting": any(one.waiting for one in texts),
        "suspicious": suspicious_in(found.text),
    }
    fragment = request.headers.get("X-Fragment") == "entry"
    return render(
        request, "solving/attempts/_entry.html" if fragment else "solving/attempts/entry.html", context
    )


def _attempt(pk: int) -> Attempt:
    return get_object_or_404(Attempt.objects.select_related(*LOADED), pk=pk)
