"""Publishing a finished run: its outputs file goes through the import that every file of outputs takes."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.importing.exported import output_records
from benchmark.importing.outputs import OutputsReport, import_outputs
from benchmark.importing.records import RecordError
from benchmark.models import Run
from benchmark.protocols import get_protocol
from benchmark.tuples.retrieval import frozen_retrieval, with_sources
from canonical import canonical_json
from solving.models import Attempt, AttemptState, SolveRun
from stats.core.text import counted
from work.models import RunState


def outputs_file(run: SolveRun) -> bytes:
    """The outputs of a run in the protocol's own format, one line for each attempt that has one; equal runs give equal
    bytes."""
    solving = get_protocol(run.release.benchmark.protocol).solving
    if solving is None:
        raise Refused("Nothing of this protocol can be solved here.", code="other_protocol")
    rows = run.attempts.select_related("instance").order_by("instance__key", "number")
    lines = []
    for attempt in rows.iterator(chunk_size=200):
        result = {**attempt.result, "tokens": attempt.tokens_spent, "rounds": attempt.rounds}
        line = solving.answer(attempt.instance.key, attempt.number, attempt.outcome, result)
        if line is not None:
            lines.append(canonical_json(line))
    return b"".join(line + b"\n" for line in lines)


@transaction.atomic
def publish(*, actor: User | None, run: SolveRun, dry_run: bool = False) -> OutputsReport:
    """Make the run's outputs those of its solver on the release.

    They join the frozen tuple that the run searched in, if each was shown what the tuple's artifact has for its query.
    Raises Refused for a run that has not ended, was cancelled or is published, for a release that is not frozen, and
    whatever the import refuses.
    """
    locked = SolveRun.objects.select_for_update(of=("self",)).select_related(
        "release__benchmark", "solver", "artifact"
    )
    run = locked.get(pk=run.pk)
    check_publishable(run)
    with TemporaryDirectory() as place:
        path = Path(place) / "outputs.jsonl"
        content = outputs_file(run)
        path.write_bytes(content)
        in_tuple = ""
        if run.artifact:
            # A model seldom asks what was frozen, and gets the artifact's results by words; a block list keeps some
            # away. So each output must list the sources that the artifact has for its query.
            rules = get_protocol(run.release.benchmark.protocol)
            records = with_sources(rules, frozen_retrieval(run.artifact), output_records(rules, path))
            in_tuple = "" if any(isinstance(one, RecordError) for one in records) else run.artifact.name
        report = import_outputs(
            actor=actor,
            path=path,
            release=run.release,
            system=run.solver.name,
            system_name=run.solver.name,
            family=run.solver.family,
            track=run.track,
            condition=run.condition,
            tuple_name=in_tuple,
            config=config_of(run),
            dry_run=dry_run,
        )
    made_here = content.count(b"\n")
    if report.outputs != made_here:  # the import adds what is missing as failed, and nothing here has failed
        raise Refused(
            f"The protocol counts {counted(report.outputs, 'output')} where this run has "
            f"{counted(made_here, 'attempt')}. Begin a run with as many attempts at each problem as the protocol has.",
            code="other_attempts",
            field="attempts",
        )
    made = Run.objects.filter(
        release=run.release, track=run.track, condition=run.condition, system__slug=run.solver.name
    ).first()
    if made is not None and (other := SolveRun.objects.filter(published=made).first()):
        reason = f"Run {other.pk} of {run.solver.name} has published the same outputs already."
        raise Refused(reason, code="published")
    if dry_run or made is None:
        return report
    Run.objects.filter(pk=made.pk, frozen_at=None).update(config=config_of(run), budget=budget_of(run))
    SolveRun.objects.filter(pk=run.pk).update(published=made)
    record(
        actor=actor, verb="publish_solve_run", target=run, details={"run": made.pk, "sha256": report.sha256}
    )
    return report


def check_publishable(run: SolveRun) -> None:
    """Raise Refused for a run whose outputs cannot be published."""
    if run.published_id is not None:
        raise Refused("The run is published already.", code="published")
    if run.state == RunState.CANCELLED:
        raise Refused(
            "A cancelled run is not published: some of its attempts were never made.", code="cancelled"
        )
    unfinished = run.attempts.exclude(state=AttemptState.ENDED).count()
    if run.state != RunState.DONE or unfinished:
        raise Refused(
            f"{counted(unfinished, 'attempt has', 'attempts have')} not ended yet.", code="not_ended"
        )
    if run.release.frozen_at is None:
        raise Refused(f"Freeze the release {run.release.name} first.", code="not_frozen", field="release")
    if run.attempts.filter(ended_because=Attempt.Because.CANCELLED).exists():
        raise Refused("Some attempts were cancelled.", code="cancelled")


def config_of(run: SolveRun) -> dict[str, object]:
    """How the outputs were made, for people who read the run elsewhere."""
    solver = run.solver
    document = {
        "solver": solver.name, "solver_sha256": solver.sha256, "recipe": solver.recipe,
        "recipe_sha256": solver.recipe_sha256, "settings": solver.settings, "model": solver.model,
        "decoding": solver.decoding, "training_cutoff": solver.training_cutoff, "prompt_price": solver.prompt_price,
        "completion_price": solver.completion_price, "cached_price": solver.cached_price, "roles": solver.roles,
        "seed": run.seed,
        "artifact": run.artifact.name if run.artifact else None,
        "bank": run.bank.sha256 if run.bank else None, "blocked": run.blocked.sha256 if run.blocked else None,
        "began": run.created_at, "ended": run.finished_at,
    }  # fmt: skip
    return dict(json.loads(json.dumps(document, default=str)))


def budget_of(run: SolveRun) -> dict[str, str]:
    """What each attempt was allowed."""
    bounds = {"tokens": run.attempt_tokens, "cost": run.attempt_cost, "seconds": run.attempt_seconds}
    plain = {name: str(value) for name, value in bounds.items() if value is not None}
    return {**plain, "rule": run.rule}
