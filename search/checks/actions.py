"""The verbs of checks: ask for one, run it, decide about a finding."""

import hashlib
import logging
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.holding import held, is_held
from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import Release
from benchmark.rendering.stored import call_worker
from retrieval.duplicates import pairs
from search.checks.texts import texts_of
from search.corpora.lines import written_line
from search.corpora.queries import statements_in_order
from search.models import CheckState, Corpus, Finding, ReleaseCheck

logger = logging.getLogger(__name__)
TASK = "search.check"
_STOPPED = "The comparison did not end. Its process was probably stopped."
MOST = 2_000  # findings; the most alike come first


@transaction.atomic
def ask_for_check(*, actor: User, release: Release, corpus: Corpus) -> ReleaseCheck:
    """The row of a check that a worker runs. Raises Refused while one of the same two runs."""
    _give_up_what_stopped()
    try:
        with transaction.atomic():
            asked = ReleaseCheck.objects.create(release=release, corpus=corpus, asked_by=actor)
    except IntegrityError as error:
        raise Refused(
            f"{release.name} is being compared with {corpus.title} right now.", code="running"
        ) from error
    record(
        actor=actor,
        verb="check_release",
        target=asked,
        details={"release": release.name, "corpus": corpus.slug},
    )
    call_worker(TASK)
    return asked


def run_waiting() -> int:
    """Run every check that somebody asked for; returns how many."""
    _give_up_what_stopped()
    done = 0
    for asked in ReleaseCheck.objects.filter(state=CheckState.WAITING).order_by("pk"):
        mine = ReleaseCheck.objects.filter(pk=asked.pk)
        try:
            with held(_file_of(asked)) as is_mine:
                if is_mine and mine.filter(state=CheckState.WAITING).update(state=CheckState.RUNNING):
                    _run(asked)
                    done += 1
        except Exception as error:  # it is written on the row, and the next one is to be run too
            logger.exception("check %s failed", asked.pk)
            problem = (str(error) or type(error).__name__)[:2_000]
            mine.update(state=CheckState.FAILED, problem=problem)
    return done


def _give_up_what_stopped() -> None:
    """A check whose process died, or could not write down how it ended, has failed."""
    for check in ReleaseCheck.objects.filter(state=CheckState.RUNNING):
        if not is_held(_file_of(check)):
            stopped = ReleaseCheck.objects.filter(pk=check.pk, state=CheckState.RUNNING)
            stopped.update(state=CheckState.FAILED, problem=_STOPPED)
            _file_of(check).unlink(missing_ok=True)


def _file_of(asked: ReleaseCheck) -> Path:
    """Held while the check runs."""
    settings.INDEX_DIR.mkdir(parents=True, exist_ok=True)
    return Path(settings.INDEX_DIR) / f"check-{asked.pk}.held"


@transaction.atomic
def decide(*, actor: User, finding: Finding, decision: str, note: str = "") -> None:
    """Decide what a finding is; an empty decision withdraws the one before."""
    decided = (
        {"decided_by": actor, "decided_at": timezone.now()}
        if decision
        else {"decided_by": None, "decided_at": None}
    )
    Finding.objects.filter(pk=finding.pk).update(decision=decision, note=note, **decided)
    details = {"decision": decision, "instance": finding.instance.key, "statement": finding.statement.key}
    record(actor=actor, verb="decide_finding", target=finding, reason=note, details=details)


def _run(asked: ReleaseCheck) -> None:
    instances = {instance.key: instance for instance in asked.release.instances.all()}
    texts = [
        (f"{instance.key}\n{field}", text)
        for instance in instances.values()
        for field, text in texts_of(instance.payload)
    ]
    total, findings = hashlib.sha256(), []

    def against() -> Iterator[tuple[str, str]]:
        """What is hashed is what is compared: statements may be added meanwhile."""
        statements = statements_in_order(asked.corpus)
        sources = dict(asked.corpus.sources.values_list("pk", "name"))
        for statement in statements:
            total.update(written_line(statement, statement.document, sources))
            yield str(statement.pk), statement.body

    for pair in pairs(texts, against())[:MOST]:
        key, field = pair.one.split("\n", 1)
        findings.append(
            Finding(
                check_of=asked,
                instance=instances[key],
                field=field[:200],
                statement_id=int(pair.other),
                kind=pair.likeness.kind,
                permille=round(1000 * pair.likeness.jaccard),
            )
        )
    with transaction.atomic():
        Finding.objects.bulk_create(findings)
        ReleaseCheck.objects.filter(pk=asked.pk).update(
            state=CheckState.DONE, corpus_sha256=total.hexdigest(), done_at=timezone.now()
        )
