"""An answer is marked as abstained, or no longer, while nobody has drawn or judged its run (ADR 0047)."""

from django.db import transaction

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from benchmark.models import Abstention, Output, OutputState, Run
from benchmark.releases.integrity import output_record_sha256, stored_run_sha256

LONGEST = 500


@transaction.atomic
def mark_abstained(*, actor: User | None, output: Output, reason: str) -> Abstention:
    """Count an answer as abstained. `actor` is None for the console.

    Raises NotAllowed for anyone but the study's staff, and Refused without a reason ("reason"), for an output that is
    no answer ("not_answered"), and once its run is frozen ("frozen").
    """
    reason = reason.strip()
    if not reason or len(reason) > LONGEST:
        raise Refused(f"Give a reason of at most {LONGEST} characters.", code="reason", field="reason")
    held = _held(actor, output)
    if held.state != OutputState.ANSWERED:
        raise Refused(f"This output is not an answer: it is already {held.state}.", code="not_answered")
    details = _change(held, OutputState.ABSTAINED)
    marked = Abstention.objects.create(output=held, reason=reason, marked_by=actor)
    record(actor=actor, verb="mark_abstained", target=held, reason=reason, details=details)
    return marked


@transaction.atomic
def unmark_abstained(*, actor: User | None, output: Output) -> None:
    """Count the output as an answer again. Raises NotAllowed, and Refused if nobody marked it or its run is frozen."""
    held = _held(actor, output)
    if not Abstention.objects.filter(output=held).delete()[0]:
        raise Refused("Nobody marked this output here; its state is that of the file.", code="not_marked")
    details = _change(held, OutputState.ANSWERED)
    record(actor=actor, verb="unmark_abstained", target=held, details=details)


def refuse_frozen(run: Run) -> None:
    """Raise Refused once the run's outputs were drawn or judged, which freezes it."""
    if run.frozen_at:
        raise Refused(
            "A campaign drew from this run or a judge read it, so its outputs do not change any more.",
            code="frozen",
        )


def _held(actor: User | None, output: Output) -> Output:
    """The output as it is stored, its run locked so that no campaign draws from it meanwhile."""
    if actor is not None and not is_study_staff(actor):
        raise NotAllowed("Only coordinators and owners can say that an output abstained.")
    run = Run.objects.select_for_update().get(pk=output.run_id)
    refuse_frozen(run)
    return Output.objects.select_related("run", "instance").get(pk=output.pk)


def _change(output: Output, state: OutputState) -> dict[str, str]:
    """Store the state with the hashes that follow from it: the output's own and its run's, which covers all."""
    before = output.run.sha256
    output.state = state
    output.sha256 = output_record_sha256(output)
    output.save(update_fields=["state", "sha256"])
    output.run.sha256 = stored_run_sha256(output.run)
    output.run.save(update_fields=["sha256"])
    return {"instance": output.instance.key, "sha256": output.run.sha256, "before": before}
