"""The verbs of sources: add, choose the main file, pair a proof, describe, remove, read again."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from construction.models import (
    BuildPaper,
    Outcome,
    Pairing,
    Reading,
    Source,
    SourceArchive,
    SourceFile,
    SourceState,
)
from construction.reading.pairs import NOWHERE, Place, begins, document_with_pairs
from construction.reading.process import MOST_BYTES, Found, NotRead, Reader, Submitted, counts_of
from construction.sources.advice import UNDECIDED
from construction.sources.manifest import ManifestRow
from construction.sources.matching import compare
from construction.sources.names import key_and_version
from construction.sources.queries import READ_AGAIN, pairs_of

NOT_MAIN = (".bib", ".bbl", ".sty", ".cls")

_WHILE_BUILT = frozenset({"licence", "published"})  # what a build does not depend on


@dataclass(frozen=True)
class Verdict:
    """What adding an archive comes to: new, already there, or refused with a code and a sentence."""

    outcome: Outcome
    code: str = ""
    sentence: str = ""
    source: Source | None = None


def named(name: str, row: ManifestRow | None) -> tuple[str, str]:
    """Key and version of the source in a file: as the manifest says, else as the file's name does."""
    key, version = key_and_version(name)
    if row is None:
        return key, version
    return row.key or key, row.version or (version if row.key in ("", key) else "")


def judge(submitted: Submitted, row: ManifestRow | None) -> Verdict:
    """What adding it would come to. Writes nothing."""
    if there := Source.objects.filter(sha256=submitted.sha256).first():
        return Verdict(Outcome.THERE, sentence=f"These bytes are {there} already.", source=there)
    key, version = named(submitted.name, row)
    if other := Source.objects.filter(key=key, version=version).first():
        reason = f"{other} is there with other bytes, added {other.added_at:%Y-%m-%d}."
        return Verdict(Outcome.REFUSED, "other_bytes", reason, other)
    return Verdict(Outcome.NEW, submitted.code, submitted.sentence)


def store(*, actor: User | None, submitted: Submitted, data: bytes, row: ManifestRow | None) -> Verdict:
    """Store what was read of an archive, in one transaction."""
    verdict = judge(submitted, row)
    if verdict.outcome != Outcome.NEW:
        return verdict
    known = row or ManifestRow()
    key, version = named(submitted.name, row)
    title = known.title or (submitted.found.title if submitted.found else "")
    try:
        with transaction.atomic():
            source = Source.objects.create(
                key=key, version=version, sha256=submitted.sha256, name=submitted.name[-300:], form=submitted.form,
                title=title[:1000], authors=list(known.authors), year=known.year, category=known.category,
                domain=known.domain, licence=known.licence, state=_state(submitted), code=submitted.code,
                sentence=submitted.sentence, main=submitted.main,
                candidates=[list(one) for one in submitted.candidates],
                others=[list(one) for one in submitted.others], notes=[list(one) for one in submitted.notes],
                added_by=actor,
            )  # fmt: skip
            SourceArchive.objects.create(source=source, data=data if len(data) <= MOST_BYTES else b"")
            _keep_files(source, submitted)
            if submitted.found:
                _keep(source, submitted.found)
            if known.published:
                compare(source, known.published)
            details = {"key": key, "version": version, "sha256": submitted.sha256, "code": submitted.code}
            record(actor=actor, verb="add_source", target=source, details=details)
    except IntegrityError:  # somebody else has added it just now
        verdict = judge(submitted, row)
        if verdict.outcome == Outcome.NEW:
            raise
        return verdict
    return Verdict(Outcome.ADDED, source.code, source.sentence, source)


def choose_main(*, actor: User, source: Source, path: str) -> Source:
    """Make a file the main one of its source. Raises Refused if it cannot be, or while a build uses the source.

    The file is read in a child process, which takes a few seconds.
    """
    files = dict(source.files.values_list("path", "text"))
    if path not in files or path.lower().endswith(NOT_MAIN):
        raise Refused(f"{path!r} is not a LaTeX document of this source.", code="no_such_file", field="main")
    refuse_built(source, "Its main file stays as it is.")
    with Reader() as reader:
        found = reader.outline(files, path)
    if isinstance(found, NotRead):
        raise Refused(f"{path} cannot be the main file. {found.sentence}", code=found.code, field="main")
    with transaction.atomic():
        locked = Source.objects.select_for_update().get(pk=source.pk)
        refuse_built(locked, "Its main file stays as it is.")
        now = {"main": locked.main, "code": locked.code, "sentence": locked.sentence}
        said = locked.program_said or now
        _set(
            locked, state=SourceState.READABLE, main=path, code="", sentence="", program_said=said,
            main_chosen_by=actor, main_chosen_at=timezone.now(),
        )  # fmt: skip
        _keep(locked, found)
        details = {"main": path, "before": now["main"]}
        record(actor=actor, verb="choose_main_file", target=locked, details=details)
    return locked


def undo_main(*, actor: User, source: Source) -> Source:
    """Undo a person's choice: what the program said holds again."""
    said = source.program_said
    if said is None:
        raise Refused("Nobody has chosen the main file.", code="not_chosen")
    refuse_built(source, "Its main file stays as it is.")
    found: Found | NotRead | None = None
    if said["main"]:
        with Reader() as reader:
            found = reader.outline(dict(source.files.values_list("path", "text")), said["main"])
    with transaction.atomic():
        locked = Source.objects.select_for_update().get(pk=source.pk)
        refuse_built(locked, "Its main file stays as it is.")
        if locked.program_said != said:
            raise Refused("Somebody else has changed it just now.", code="changed")
        back = {"program_said": None, "main_chosen_by": None, "main_chosen_at": None}
        details = {"before": locked.main}
        if isinstance(found, Found):
            _set(locked, state=SourceState.READABLE, main=said["main"], code="", sentence="", **back)
            _keep(locked, found)
        else:
            code, sentence = (found.code, found.sentence) if found else (said["code"], said["sentence"])
            state = SourceState.UNDECIDED if code in UNDECIDED else SourceState.UNREADABLE
            _set(locked, state=state, main="", code=code, sentence=sentence, **back)
            Reading.objects.filter(source=locked).delete()
        record(actor=actor, verb="undo_main_file", target=locked, details=details)
    return locked


@transaction.atomic
def pair_otherwise(*, actor: User, source: Source, proof: Place, statement: Place | None) -> Pairing:
    """Say which statement a proof proves, or with None that it proves none, whatever the rules say.

    Builds that have begun keep what they began with. Raises Refused for what is not found in the source.
    """
    locked = Source.objects.select_for_update().get(pk=source.pk)
    reading = _reading_of(locked)
    proofs = {begins(one) for one in reading.outline["proofs"]}
    statements = {begins(one) for one in reading.outline["statements"]}
    if proof == NOWHERE or proof not in proofs:
        raise Refused(f"No proof begins at {proof[1]:,} in {proof[0]}.", code="no_such_proof", field="proof")
    if statement is not None and (statement == NOWHERE or statement not in statements):
        raise Refused(
            f"No statement begins at {statement[1]:,} in {statement[0]}.",
            code="no_such_statement",
            field="statement",
        )
    file, start = statement or ("", 0)
    values = {"statement_file": file, "statement_start": start, "by": actor, "at": timezone.now()}
    pairing, _ = Pairing.objects.update_or_create(
        source=locked, proof_file=proof[0], proof_start=proof[1], defaults=values
    )
    _pair(reading)
    details = {"proof": list(proof), "statement": None if statement is None else list(statement)}
    record(actor=actor, verb="pair_proof", target=locked, details=details)
    return pairing


@transaction.atomic
def undo_pairing(*, actor: User, source: Source, proof: Place) -> None:
    """Let the rules say again which statement a proof proves."""
    locked = Source.objects.select_for_update().get(pk=source.pk)
    reading = _reading_of(locked)
    gone, _ = Pairing.objects.filter(source=locked, proof_file=proof[0], proof_start=proof[1]).delete()
    if not gone:
        raise Refused("This proof was not paired by hand.", code="not_paired", field="proof")
    _pair(reading)
    record(actor=actor, verb="undo_pair_proof", target=locked, details={"proof": list(proof)})


def _reading_of(source: Source) -> Reading:
    reading = Reading.objects.filter(source=source).first()
    if reading is None:
        raise Refused(f"{source} has no main file yet, or cannot be read.", code="unreadable")
    reading.source = source
    return reading


@transaction.atomic
def describe_source(*, actor: User | None, source: Source, changes: Mapping[str, Any]) -> Source:
    """Change what is known of a source: title, authors, year, category, domain, licence, published (Published or None).

    While a build uses it, only its licence and its published paper can change, because the build was made from the
    rest.
    """
    locked = Source.objects.select_for_update().get(pk=source.pk)
    known = {"title", "authors", "year", "category", "domain", "licence"}
    if unknown := set(changes) - known - {"published"}:
        raise Refused(
            f"A source has no {sorted(unknown)[0]!r} that can be changed.", field=sorted(unknown)[0]
        )
    wanted = {
        name: value for name, value in changes.items() if name in known and value != getattr(locked, name)
    }
    builds = BuildPaper.objects.filter(source=locked).values_list("run__name", flat=True)
    if (fixed := sorted(set(wanted) - _WHILE_BUILT)) and (build := builds.first()):
        reason = f"The build {build} uses this source, so its {fixed[0]} stays as it is."
        raise Refused(reason, code="in_build", field=fixed[0])
    if wanted:
        _set(locked, **wanted)
    if "published" in changes or {"title", "authors", "year"} & set(wanted):
        compare(locked, changes.get("published", ...))
    if wanted or "published" in changes:
        details = {"changed": sorted([*wanted, *({"published"} & set(changes))])}
        record(actor=actor, verb="describe_source", target=locked, details=details)
    return locked


@transaction.atomic
def remove_source(*, actor: User | None, source: Source) -> None:
    """Remove a source with its files. Raises Refused while a build uses it."""
    locked = Source.objects.select_for_update().get(pk=source.pk)
    refuse_built(locked, "It stays.")
    details = {"key": locked.key, "version": locked.version, "sha256": locked.sha256, "name": locked.name}
    record(actor=actor, verb="remove_source", target=locked, details=details)
    locked.files.all().delete()
    locked.delete()


def read_again(*, source: Source, reader: Reader) -> str:
    """Read a source once more with this version of the program; returns the code that it has now.

    A source that a build uses keeps its state, whatever the program finds now.
    """
    if source.state == SourceState.READABLE:
        found = reader.outline(dict(source.files.values_list("path", "text")), source.main)
        with transaction.atomic():
            locked = Source.objects.select_for_update().get(pk=source.pk)
            if isinstance(found, Found):
                if found.main == locked.main:
                    _keep(locked, found)
                return ""
            if not BuildPaper.objects.filter(source=locked).exists():
                said = {"program_said": None, "main_chosen_by": None, "main_chosen_at": None}
                _set(
                    locked, state=SourceState.UNREADABLE, main="", code=found.code, sentence=found.sentence, **said
                )  # fmt: skip
                Reading.objects.filter(source=locked).delete()
            return found.code
    if source.code not in READ_AGAIN:
        return source.code
    data = bytes(source.archive.data)
    submitted = reader.submitted(source.name, data, source.sha256)
    with transaction.atomic():
        locked = Source.objects.select_for_update().get(pk=source.pk)
        if not locked.files.exists():
            _keep_files(locked, submitted)
        state, title = _state(submitted), locked.title or (submitted.found.title if submitted.found else "")
        _set(
            locked, state=state, code=submitted.code, sentence=submitted.sentence, main=submitted.main,
            form=submitted.form, candidates=[list(one) for one in submitted.candidates], title=title[:1000],
        )  # fmt: skip
        if submitted.found:
            _keep(locked, submitted.found)
    return submitted.code


def _state(submitted: Submitted) -> SourceState:
    if not submitted.code:
        return SourceState.READABLE
    return SourceState.UNDECIDED if submitted.code in UNDECIDED else SourceState.UNREADABLE


def _keep_files(source: Source, submitted: Submitted) -> None:
    rows = (
        SourceFile(source=source, path=path, text=text, sha256=hashlib.sha256(text.encode()).hexdigest())
        for path, text in submitted.files.items()
    )
    SourceFile.objects.bulk_create(rows, batch_size=50)


def _keep(source: Source, found: Found) -> None:
    """Store the outline, in place of an earlier one."""
    _pair(Reading(source=source, version=found.version, main=found.main, outline=dict(found.outline)))


def _pair(reading: Reading) -> None:
    """Store an outline with what people say about its proofs, and its counts."""
    source = reading.source
    outline = document_with_pairs(reading.outline, pairs_of([source])[source.pk])
    values = {"version": reading.version, "main": reading.main, "outline": outline, **counts_of(outline)}
    Reading.objects.update_or_create(source=source, defaults=values)


def _set(source: Source, **values: Any) -> None:
    for name, value in values.items():
        setattr(source, name, value)
    source.save(update_fields=list(values))


def refuse_built(source: Source, consequence: str) -> None:
    """Raise Refused if a build uses the source."""
    build = BuildPaper.objects.filter(source=source).values_list("run__name", flat=True).first()
    if build is not None:
        raise Refused(f"The build {build} uses this source. {consequence}", code="in_build")
