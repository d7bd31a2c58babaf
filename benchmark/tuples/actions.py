"""Declaring what a comparison holds fixed, and which runs belong to it."""

from collections.abc import Iterable
from datetime import date

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import FrozenTuple, Release, Run, TupledRun


@transaction.atomic
def declare_tuple(
    *,
    actor: User | None,
    release: Release,
    name: str,
    split: str,
    retrieval: str,
    materialisation: str,
    scoring: str,
    evaluated_on: date,
    runs: Iterable[Run] = (),
) -> FrozenTuple:
    """The frozen tuple `name` of the release with exactly these entries, and `runs` in it.

    The same tuple again only adds runs. Raises Refused when an entry is empty or too long, when the name has other
    entries, or when a run is in another tuple or of another release.
    """
    said = {
        "name": name.strip(),
        "split": split.strip(),
        "retrieval": retrieval.strip(),
        "materialisation": materialisation.strip(),
        "scoring": scoring.strip(),
        "evaluated_on": evaluated_on,
    }
    found = _stored(FrozenTuple(release=release, declared_by=actor, **said))
    added = []
    for run in runs:
        if run.release_id != release.pk:
            raise Refused(
                f"A run of {run.system.slug} belongs to another release.", code="other_release", field="runs"
            )
        row, made = TupledRun.objects.get_or_create(run=run, defaults={"tuple": found})
        if row.tuple_id != found.pk:
            reason = f"The run of {run.system.slug} is already in the tuple {row.tuple.name}."
            raise Refused(reason, code="in_another_tuple", field="runs")
        if made:
            added.append(run.pk)
    details = {**said, "evaluated_on": evaluated_on.isoformat(), "release": release.name, "runs": added}
    record(actor=actor, verb="declare_tuple", target=found, details=details)
    return found


def _stored(wanted: FrozenTuple) -> FrozenTuple:
    try:
        wanted.clean_fields(exclude=["release", "declared_by"])
    except ValidationError as error:
        field, reasons = next(iter(error.message_dict.items()))
        raise Refused(reasons[0], code="invalid", field=field) from error
    stored = FrozenTuple.objects.filter(release=wanted.release, name=wanted.name).first()
    if stored is None:
        wanted.save(force_insert=True)
        return wanted
    for field in ("split", "retrieval", "materialisation", "scoring", "evaluated_on"):
        if getattr(stored, field) != getattr(wanted, field):
            raise Refused(
                f"{stored.name} has another {field}: {getattr(stored, field)}. A changed entry makes a "
                "new tuple; give it another name.",
                code="tuple_differs",
                field=field,
            )
    return stored
