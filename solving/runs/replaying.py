"""Whether stored attempts come to the same again from their stored replies."""

from collections.abc import Iterator

from django.db.models import Sum

from solvers.recipe import get_recipe
from solvers.steps import End
from solving.models import Attempt, AttemptState
from solving.runs.queries import planned_again
from solving.runs.settlement import LOADED
from solving.runs.stored import entry_row, is_outdated, question_sha256


def faults_of(attempt: Attempt) -> Iterator[str]:
    """What differs between an attempt as it is stored and as it follows from its replies."""
    planned, asked = planned_again(attempt)
    recipe = get_recipe(attempt.run.solver.recipe)
    for key, stored in attempt.steps.values_list("key", "question_sha256"):
        if key not in asked:
            yield f"attempt {attempt.pk} never asked for its step {key}"
        elif question_sha256(asked[key], recipe) != stored:
            yield f"attempt {attempt.pk} would ask another question at {key}"
    entries = [entry_row(attempt, entry) for entry in planned.memory]
    again = [(one.number, one.section, one.agent, one.step, one.sha256) for one in entries]
    rows = attempt.memory.order_by("number").values_list("number", "section", "agent", "step", "sha256")
    if again != list(rows):
        yield f"attempt {attempt.pk} would have another memory"
    if attempt.state == AttemptState.ENDED:
        if not isinstance(planned, End):
            yield f"attempt {attempt.pk} has ended and would go on"
        elif (planned.ended.outcome, planned.ended.because, dict(planned.ended.result)) != (
            attempt.outcome, attempt.ended_because, attempt.result,
        ):  # fmt: skip
            yield f"attempt {attempt.pk} would come to another result"


def faults() -> Iterator[str]:
    """Those of all attempts whose recipe is still the same and that were not cancelled."""
    rows = Attempt.objects.exclude(ended_because=Attempt.Because.CANCELLED).select_related(*LOADED)
    for attempt in rows.order_by("pk").iterator(chunk_size=200):
        if not is_outdated(attempt.run.solver):
            yield from faults_of(attempt)


def unaccounted() -> Iterator[str]:
    """Attempts whose use is not that of their steps."""
    rows = Attempt.objects.annotate(steps_used=Sum("steps__tokens_spent"))
    for attempt in rows.order_by("pk").iterator(chunk_size=500):
        if attempt.tokens_spent != (attempt.steps_used or 0):
            yield f"attempt {attempt.pk} has booked {attempt.tokens_spent} tokens, its steps {attempt.steps_used or 0}"
