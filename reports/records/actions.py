"""Publishing a frozen score as a public record, and withdrawing a version with a visible reason."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from accounts.models import Credit, User
from accounts.refusal import Refused
from accounts.trail import record as note
from annotation.core.phases import Phase
from annotation.models import Campaign, Grade
from benchmark.models import Release, ReleaseDescription, System
from reports.comparison.choices import Choices
from reports.models import Artifact, PublicRecord
from reports.records.declared import Declared
from reports.records.folder import put_in_place, refresh, root, write_aside, write_list
from reports.records.site import archive_name, build
from reports.scores.inputs import Inputs


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What an owner says and chooses. `embargo` is the day before which the texts of a problem may not be read, by the
    problem's key, and under "" for all that are not named."""

    name: str
    title: str
    asked: str
    limitations: str
    changes: str = ""
    doi: str = ""
    show_problems: bool = False
    show_outputs: bool = False
    show_reports: bool = False
    embargo: Mapping[str, date] = field(default_factory=dict)


@dataclass(frozen=True)
class Prepared:
    """What would be published: what is declared, and all files. `rounds` are campaigns that are not closed, whose
    referees could read in it how the answers to their problems were judged."""

    declared: Declared
    files: Mapping[str, bytes]
    rounds: Sequence[str]

    @property
    def archive(self) -> bytes:
        return self.files[archive_name(self.declared)]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.archive).hexdigest()


def prepare_record(*, artifact: Artifact, wish: Wish, announced: Declared | None = None) -> Prepared:
    """Everything that publishing the artifact would make public, written nowhere. What was `announced` by an earlier
    version, and nobody looks at again, has its licence and names no others.

    Raises Refused where something is missing that a record needs, where grading is open that a record would disturb,
    and for an artifact or a text that does not verify.
    """
    release = artifact.release
    for name in ("title", "asked", "limitations"):
        if not getattr(wish, name).strip():
            raise Refused("A public record needs this.", code="invalid", field=name)
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,99}", wish.name):
        raise Refused("Use lowercase letters, digits and hyphens.", code="invalid", field="name")
    description = ReleaseDescription.objects.filter(release=release).first()
    if description is None:
        raise Refused(f"Describe {release.name} first: licence and authors.", code="not_described")
    earlier = PublicRecord.objects.filter(name=wish.name)
    if earlier.exclude(artifact__release=release).exists():
        raise Refused("A record of another study has this name.", code="taken", field="name")
    frozen = json.loads(artifact.content)
    inputs = Inputs.from_json(frozen["inputs"])
    choices = Choices.from_json(frozen["pairs"]) if "pairs" in frozen else None
    of_experts = [row for row in choices.rows if "@" not in row.source] if choices else []
    labelled = {row.campaign for row in (*inputs.labels, *inputs.in_sight)}
    labelled |= {row.source.partition(":")[0] for row in of_experts}
    if unfinished := [row.name for row in inputs.campaigns if not row.closed and row.slug in labelled]:
        raise Refused(f"Grading was open when the score was frozen: {', '.join(unfinished)}.", code="open")
    running = Campaign.objects.filter(release=release, phase=Phase.OPEN).values_list("name", flat=True)
    if running and (wish.show_outputs or wish.show_reports):
        raise Refused(
            f"Referees are still grading: {', '.join(sorted(running))}. Until they have finished, neither answers nor "
            "reports can be shown, because both name systems.",
            code="open",
            field="show_outputs",
        )
    keys = sorted({row.instance for row in inputs.outputs})
    if unknown := sorted(wish.embargo.keys() - {"", *keys}):
        raise Refused(f"There is no problem {unknown[0]!r}.", code="no_problem", field="embargo")
    if wish.embargo and not (wish.show_problems or wish.show_outputs or wish.show_reports):
        raise Refused(
            "Nothing is shown, so no text becomes public on these days. Choose what is shown from then on, or leave "
            "the days out.",
            code="nothing_shown",
            field="embargo",
        )
    usual = wish.embargo.get("")
    dated = {key: day.isoformat() for key in keys if (day := wish.embargo.get(key, usual))}
    graders = User.objects.filter(
        pk__in=Grade.objects.filter(assignment__item__campaign__slug__in=labelled).values(
            "assignment__reviewer"
        )
    )
    chosen = (
        user.pseudonym if user.credit == Credit.PSEUDONYM else user.name
        for user in graders.exclude(credit=Credit.ANONYMOUS)
    )
    version = (earlier.aggregate(last=Max("version"))["last"] or 0) + 1
    while (
        root() / wish.name / str(version)
    ).exists():  # published after the backup that was restored, and cited
        version += 1
    slugs = {row.system for row in inputs.outputs} | {row.system for row in inputs.unreleased}
    declared = Declared(
        name=wish.name,
        version=version,
        address=f"{settings.SITE_URL}{reverse('record-file', args=[f'{wish.name}/{version}/'])}",
        published_on=timezone.now().date().isoformat(),
        title=" ".join(wish.title.split()),
        authors=description.creators.split("; "),
        licence=description.licence,
        asked=wish.asked.strip(),
        limitations=wish.limitations.strip(),
        changes=wish.changes.strip(),
        doi=wish.doi.strip(),
        show_problems=wish.show_problems,
        show_outputs=wish.show_outputs,
        show_reports=wish.show_reports,
        embargo=dated,
        systems=dict(System.objects.filter(slug__in=slugs).values_list("slug", "name")),
        credited=sorted({name for name in chosen if name}),
        referees=len(
            {row.rater for row in (*inputs.labels, *inputs.in_sight)} | {row.rater for row in of_experts}
        ),
        is_sample=release.is_sample,
        hides_hashes=True,
        hides_clues=True,
    )
    if announced:
        declared = replace(
            declared,
            authors=announced.authors,
            licence=announced.licence,
            systems=announced.systems,
            credited=[name for name in announced.credited if name in declared.credited],
        )
    # by it the few hashes and words that are left out could be guessed
    if not any(declared.hides_answer(key) or declared.hides_problem(key) for key in keys):
        declared = replace(declared, frozen_sha256=artifact.sha256)
    return Prepared(declared, build(release, artifact.content, declared), _rounds(release, inputs, choices))


def _rounds(release: Release, inputs: Inputs, choices: Choices | None) -> list[str]:
    """Campaigns that are not closed, over answers to problems of which there are labels, verdicts or choices."""
    judged = {label.subject for label in (*inputs.labels, *inputs.in_sight)}
    judged |= {vote.subject for vote in inputs.votes}
    judged |= {subject for row in (choices.rows if choices else ()) for subject in (row.first, row.second)}
    problems = {row.instance for row in inputs.outputs if row.subject in judged}
    rows = Campaign.objects.filter(
        release=release, items__output__isnull=False, items__instance__key__in=problems
    ).exclude(phase=Phase.CLOSED)
    return sorted(set(rows.values_list("name", flat=True)))


@transaction.atomic
def publish_record(
    *,
    actor: User | None,
    artifact: Artifact,
    wish: Wish,
    seen: str = "",
    announced: Declared | None = None,
) -> PublicRecord:
    """Publish the artifact as the next version of a record. `seen` is the hash of the archive that the owner looked at.

    Raises Refused as `prepare_record` does, and when the files are not those that were looked at.
    """
    # one version after the other, and no campaign opens that would look for public answers
    Release.objects.select_for_update(no_key=True).get(pk=artifact.release_id)
    made = prepare_record(artifact=artifact, wish=wish, announced=announced)
    if seen and seen != made.sha256:
        raise Refused(
            "Something changed since you looked at it. Look again before you publish.", code="changed"
        )
    row = PublicRecord.objects.create(
        name=wish.name,
        version=made.declared.version,
        artifact=artifact,
        declared=made.declared.as_json(),
        archive_sha256=made.sha256,
        published_by=actor,
    )
    quoted = made.files.get("comments.csv", b"").count(b"\n") > 1  # after the head of the table
    if quoted or "answers.jsonl" in made.files:  # from now on a campaign over them is no longer quite blind
        described = ReleaseDescription.objects.filter(release=artifact.release_id)
        described.update(answers_public_at=made.declared.address)
    details = {"name": row.name, "version": row.version, "archive_sha256": row.archive_sha256}
    note(actor=actor, verb="publish record", target=row, details=details)

    waiting = write_aside(row, made.files)  # what cannot be written is not published

    def write() -> None:
        put_in_place(row, waiting)
        _write_pages(row)

    transaction.on_commit(write, robust=True)
    return row


@transaction.atomic
def withdraw_record(*, actor: User | None, record: PublicRecord, reason: str) -> None:
    """Withdraw a version for a reason that its page shows from now on; the page stays.

    Raises Refused without a reason, and for a version that was withdrawn before.
    """
    reason = reason.strip()
    if not reason:
        raise Refused("Say why: readers see it on the page.", code="invalid", field="reason")
    rows = PublicRecord.objects.filter(pk=record.pk, withdrawn_at=None)
    if not rows.update(withdrawn_at=timezone.now(), withdrawn_reason=reason):
        raise Refused(f"{record} was withdrawn before.", code="withdrawn")
    note(actor=actor, verb="withdraw record", target=record, reason=reason)
    transaction.on_commit(lambda: _write_pages(record), robust=True)


def _write_pages(record: PublicRecord) -> None:
    """After the commit, in which a fault is only logged: the rows are what counts, and each hour missing files are
    written."""
    refresh(record.name)
    write_list()
