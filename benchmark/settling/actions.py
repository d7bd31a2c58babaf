"""Answering an open case, and withdrawing an answer."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import Release, Settlement, SettlementVerdict
from benchmark.settling.queue import questions


@transaction.atomic
def settle(*, actor: User, release: Release, pair: str, verdict: str, note: str = "") -> Settlement:
    """Say whether the two texts of an open case mean the same work. An earlier answer stays in the history.

    The same answer sent again by the same person is stored once. Raises Refused for a pair that is not an open case of
    the release (code "no_case"), an unknown verdict, and a note of more than 500 characters.
    """
    note = note.strip()
    if verdict not in SettlementVerdict.values:
        known = " or ".join(SettlementVerdict.values)
        raise Refused(f"{verdict!r} is not an answer; choose {known}.", code="bad_verdict", field="verdict")
    if len(note) > 500:
        raise Refused("A note has at most 500 characters.", code="note_too_long", field="note")
    release = Release.objects.select_for_update().select_related("benchmark").get(pk=release.pk)
    question = next((found for found in questions(release) if found.case.pair == pair), None)
    if question is None:
        raise Refused("This pair is not among those to settle in this release.", code="no_case")
    last = question.answer
    if last and (last.decided_by_id, last.verdict, last.note) == (actor.pk, verdict, note):
        return last
    row = Settlement.objects.create(
        release=release,
        pair=pair,
        found=[list(part) for part in question.case.found],
        wanted=[list(part) for part in question.case.wanted],
        verdict=verdict,
        note=note,
        decided_by=actor,
    )
    details = {"settlement": row.pk, "pair": pair, "verdict": verdict}
    record(actor=actor, verb="settle_source", target=release, reason=note, details=details)
    return row


@transaction.atomic
def withdraw_settlement(*, actor: User, settlement: Settlement) -> None:
    """Withdraw an answer: the one before it counts again. Raises Refused when it has already been withdrawn."""
    live = Settlement.objects.filter(pk=settlement.pk, withdrawn_at=None)
    if not live.update(withdrawn_at=timezone.now(), withdrawn_by=actor):
        raise Refused("This answer has already been withdrawn.", code="withdrawn")
    details = {"settlement": settlement.pk, "pair": settlement.pair, "verdict": settlement.verdict}
    record(actor=actor, verb="withdraw_settlement", target=settlement.release, details=details)
