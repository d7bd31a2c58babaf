"""Declaring what a comparison holds fixed, and which runs belong to it."""

from collections.abc import Iterable, Mapping
from datetime import date

from django.core.exceptions import ValidationError
from django.core.files import File
from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import STORABLE, FrozenTuple, Release, Run, TupledRun
from benchmark.protocols import get_protocol
from benchmark.tuples.files import read_hash, store_file
from benchmark.tuples.retrieval import differs, frozen_retrieval


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
    files: Mapping[str, File | None] | None = None,
    hashes: Mapping[str, str] | None = None,
) -> FrozenTuple:
    """The frozen tuple `name` of the release with exactly these entries, and `runs` in it.

    `files` are those of the entries that name one, `hashes` the SHA-256 that they must have. The same tuple again only
    adds runs; its files can be left out. Raises Refused when an entry is empty or too long, when the name has other
    entries or files, when a file has another hash, or when a run is in another tuple or of another release.
    """
    said = {
        "name": name.strip(),
        "split": split.strip(),
        "retrieval": retrieval.strip(),
        "materialisation": materialisation.strip(),
        "scoring": scoring.strip(),
        "evaluated_on": evaluated_on,
    }
    found = _stored(FrozenTuple(release=release, declared_by=actor, **said), files or {}, hashes or {})
    added = _added(found, runs)
    details = {**said, "evaluated_on": evaluated_on.isoformat(), "release": release.name, "runs": added}
    details["files"] = {entry: file.sha256 for entry, file in found.files.items() if file}
    record(actor=actor, verb="declare_tuple", target=found, details=details)
    return found


@transaction.atomic
def add_runs(*, actor: User | None, row: FrozenTuple, runs: Iterable[Run]) -> None:
    """Add runs to a tuple. Raises Refused as `declare_tuple` does; a run that is in it already is not a fault."""
    if added := _added(row, runs):
        record(actor=actor, verb="add_to_tuple", target=row, details={"name": row.name, "runs": added})


def _added(found: FrozenTuple, runs: Iterable[Run]) -> list[int]:
    """The new ones among the runs, now in the tuple."""
    added, frozen = [], frozen_retrieval(found)
    rules = get_protocol(found.release.benchmark.protocol)
    for run in runs:
        slug = run.system.slug
        if run.release_id != found.release_id:
            raise Refused(f"A run of {slug} belongs to another release.", code="other_release", field="runs")
        row, made = TupledRun.objects.get_or_create(run=run, defaults={"tuple": found})
        if row.tuple_id != found.pk:
            reason = f"The run of {slug} is already in the tuple {row.tuple.name}."
            raise Refused(reason, code="in_another_tuple", field="runs")
        if not made:
            continue
        added.append(run.pk)
        outputs = run.outputs.values_list("instance__key", "payload").order_by("pk") if frozen else ()
        for instance, payload in outputs:
            if frozen and (reason := differs(rules, frozen, instance, payload)):
                raise Refused(
                    f"The output of {slug} for {instance} was not made under the tuple's retrieval artifact: {reason}.",
                    code="other_retrieval",
                    field="runs",
                )
    return added


def _stored(wanted: FrozenTuple, files: Mapping[str, File | None], hashes: Mapping[str, str]) -> FrozenTuple:
    try:
        wanted.clean_fields(exclude=["release", "declared_by", *(f"{entry}_file" for entry in STORABLE)])
    except ValidationError as error:
        field, reasons = next(iter(error.message_dict.items()))
        raise Refused(reasons[0], code="invalid", field=field) from error
    stored = FrozenTuple.objects.filter(release=wanted.release, name=wanted.name).first()
    for entry in STORABLE:
        field = f"{entry}_file"
        before = getattr(stored, field) if stored else None
        expected, sent = read_hash(hashes.get(entry, ""), f"{entry}_sha256"), files.get(entry)
        if sent:
            setattr(wanted, field, store_file(sent, expected=expected, field=field))
        elif before and expected in ("", before.sha256):
            setattr(wanted, field, before)
        elif expected:
            raise Refused("There is no stored file with this hash; send it.", code="no_file", field=field)
    if stored is None:
        wanted.save(force_insert=True)
        return wanted
    stored_as = (f"{entry}_file" for entry in STORABLE)
    for field in ("split", "retrieval", "materialisation", "scoring", "evaluated_on", *stored_as):
        if (there := getattr(stored, field)) != getattr(wanted, field):
            raise Refused(
                f"{stored.name} has another {field.replace('_', ' ')}: {there or 'none'}. A changed entry makes a "
                "new tuple; give it another name.",
                code="tuple_differs",
                field=field,
            )
    return stored
