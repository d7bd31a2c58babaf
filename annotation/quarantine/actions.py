"""Outputs that may reveal who wrote them: hidden from blinded people until a coordinator decides.

The scan and its rows are in `benchmark`; the decision is here, because it must not touch a text that was drawn into a
campaign (the database refuses that too).
"""

from collections.abc import Iterable, Mapping
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.access import is_study_staff
from accounts.models import User
from accounts.refusal import NotAllowed, Refused
from accounts.trail import record
from annotation.models import Item
from benchmark.files.queries import nothing_to_read
from benchmark.files.scanning import files_to_scan, find_in_files
from benchmark.identities.actions import find, scan_outputs
from benchmark.identities.fields import shown_fields, with_fields
from benchmark.identities.findings import Kind
from benchmark.identities.redaction import redact
from benchmark.models import (
    IdentityDecision,
    IdentityVerdict,
    Output,
    RedactedOutput,
    Release,
    Run,
)
from benchmark.protocols import get_protocol
from benchmark.releases.queries import (
    excluded_outputs,
    identity_words,
    quarantined,
    scanned_with_all_words,
    system_names,
)
from stats.core.text import counted

MOST_SCANNED_BY_A_DRAW = 200  # some twenty seconds, for which a person waits


def eligible(
    release: Release, outputs: Mapping[int, Output], *, leave_out_undecided: bool
) -> dict[int, Output]:
    """The outputs that may be drawn, by id; a few that were never scanned are scanned now.

    Raises Refused (code "not_scanned") while there are many of these, (code "quarantined") while decisions are open,
    (code "nothing_to_read") while answers have neither text nor file, or when nothing is left.
    """
    scanned = Output.objects.filter(scanned_with_all_words(release), pk__in=outputs).values_list(
        "pk", flat=True
    )
    fresh = outputs.keys() - set(scanned)
    if len(fresh) > MOST_SCANNED_BY_A_DRAW:
        raise Refused(
            f"{counted(len(fresh), 'output is', 'outputs are')} not scanned yet for what reveals who wrote them. "
            f"Scan them on the quarantine page of {release}, then draw.",
            code="not_scanned",
        )
    scan_outputs(release, [outputs[pk] for pk in sorted(fresh)])
    undecided = set(quarantined(release).values_list("pk", flat=True)) & outputs.keys()
    if undecided and not leave_out_undecided:
        raise Refused(
            f"{counted(len(undecided), 'output')} may reveal the author. Decide on the quarantine page of {release}, "
            "or draw without what is undecided.",
            code="quarantined",
        )
    empty = nothing_to_read(release).filter(pk__in=outputs).count()
    if empty:
        raise Refused(
            f"{counted(empty, 'answer')} without a text or a file: attach the PDFs on the pages of the problems.",
            code="nothing_to_read",
        )
    left_out = undecided | set(excluded_outputs(release))
    kept = {pk: output for pk, output in outputs.items() if pk not in left_out}
    if not kept:
        raise Refused("Every output is left out; there is nothing to draw.", code="nothing_to_draw")
    return kept


@transaction.atomic
def decide_identity(
    *,
    actor: User,
    output: Output,
    verdict: str,
    reason: str = "",
    also: Iterable[tuple[str, int, int]] = (),
) -> IdentityDecision:
    """Decide about an output: redact its certain findings (and the passages `also`), mark it as harmless, or exclude it
    from expert work.

    A passage is (field, start, end). Raises NotAllowed for anyone but the study's staff; Refused when a decision is
    live, when a reason is missing, when the output was drawn (it can still be marked as harmless), when a passage does
    not lie in a shown field, or when a redacted text would still reveal its author (code "still_tells").
    """
    _require_staff(actor)
    if verdict not in IdentityVerdict.values:
        raise Refused(f"{verdict!r} is not one of {', '.join(IdentityVerdict.values)}.", field="verdict")
    Run.objects.select_for_update().get(pk=output.run_id)  # a draw holds the runs that it draws from
    output = Output.objects.select_related("run__release__benchmark").get(pk=output.pk)
    if output.identity_decisions.filter(withdrawn_at=None).exists():
        raise Refused(
            "Someone has already decided about this output; withdraw that decision first.", code="decided"
        )
    if verdict != IdentityVerdict.HARMLESS:
        _require_undrawn(output)
    if verdict != IdentityVerdict.REDACTED and not reason.strip():
        raise Refused("Say why.", code="reason_missing", field="reason")
    passages: list[dict[str, str | int]] = []
    if verdict == IdentityVerdict.REDACTED:
        release, files = output.run.release, files_to_scan([output]).get(output.pk, ())
        in_files = find_in_files(files, system_names(release), identity_words(release))
        if any(one["certain"] for one in in_files):
            raise Refused(
                "A file of this output may reveal who wrote it, and passages of files are not redacted. Replace the "
                "file, or mark the output as harmless or leave it out.",
                code="in_a_file",
            )
        passages = _passages(output, also)
    decision = IdentityDecision.objects.create(
        output=output, verdict=verdict, passages=passages, reason=reason.strip(), decided_by=actor
    )
    if passages:
        payload, text = _redacted(output, passages)
        RedactedOutput.objects.create(output=output, decision=decision, payload=payload, text=text)
    record(
        actor=actor,
        verb="decide_identity",
        target=output,
        reason=reason.strip(),
        details={"verdict": verdict, "passages": len(passages)},
    )
    return decision


def redact_release(*, actor: User, release: Release, seconds: float) -> dict[str, int]:
    """Redact the quarantined outputs of the release by the same rule: each certain finding is replaced by the mark. The
    last one begins within `seconds`.

    Returns `redacted`, `left` (outputs that would still reveal their author, or that were drawn; each needs a person)
    and `untried` (for the next time).
    """
    _require_staff(actor)
    begun, redacted, left = monotonic(), 0, 0
    # in any order: those that need a person would otherwise come first each time
    waiting = list(quarantined(release).order_by("?"))
    for output in waiting:
        if monotonic() - begun >= seconds:
            break
        try:
            decide_identity(actor=actor, output=output, verdict=IdentityVerdict.REDACTED)
            redacted += 1
        except Refused:
            left += 1
    return {"redacted": redacted, "left": left, "untried": len(waiting) - redacted - left}


@transaction.atomic
def withdraw_decision(*, actor: User, output: Output) -> None:
    """Undo the live decision about an output; of one that was drawn, only that it is harmless. History keeps it."""
    _require_staff(actor)
    Run.objects.select_for_update().get(pk=output.run_id)
    decision = IdentityDecision.objects.select_for_update().filter(output=output, withdrawn_at=None).first()
    if decision is None:
        raise Refused("There is no decision to withdraw.", code="undecided")
    if decision.verdict != IdentityVerdict.HARMLESS:
        _require_undrawn(output)
    RedactedOutput.objects.filter(decision=decision).delete()
    decision.withdrawn_at = timezone.now()
    decision.save(update_fields=["withdrawn_at"])
    record(actor=actor, verb="withdraw_identity_decision", target=output)


def _require_staff(actor: User) -> None:
    if not is_study_staff(actor):
        raise NotAllowed("Only coordinators and owners can decide about texts that reveal their author.")


def _require_undrawn(output: Output) -> None:
    if Item.objects.filter(Q(output=output) | Q(second=output)).exists():
        raise Refused("This output was drawn into a campaign; its text can no longer change.", code="drawn")


def _passages(output: Output, also: Iterable[tuple[str, int, int]]) -> list[dict[str, str | int]]:
    """What is redacted: the certain findings of the newest scan and what a person marked.

    What only the page says cannot be replaced in the source by rule: somebody marks it, or decides otherwise.
    """
    protocol = get_protocol(output.run.release.benchmark.protocol)
    release = output.run.release
    names, words = system_names(release), identity_words(release)
    fields = shown_fields(protocol, output.payload, output.text, output.text_format)
    found = find(protocol, names, words, output.payload, output.text, output.text_format)
    on_page = [one for one in found if one["kind"] == Kind.SHOWN]
    passages = [
        {name: one[name] for name in ("field", "start", "end")}
        for one in found
        if one["certain"] and one not in on_page
    ]
    for field, start, end in also:
        if field not in fields or not 0 <= start < end <= len(fields[field].text):
            raise Refused(f"{field} has no passage {start} to {end}.", code="no_passage", field="passages")
        passages.append({"field": field, "start": start, "end": end})
    if not passages and on_page:
        raise Refused(
            f"The page says “{on_page[0]['evidence']}”, which the source does not have in one piece, so that it cannot "
            "be redacted by rule. Leave the output out, mark it as harmless, or name the passages of the source.",
            code="only_on_the_page",
        )
    if not passages:
        raise Refused(
            "There is nothing to redact: mark a passage, or mark the output as harmless.", code="nothing"
        )
    payload, text = _redacted(output, passages)
    if any(one["certain"] for one in find(protocol, names, words, payload, text, output.text_format)):
        raise Refused(
            "The redacted text would still reveal who wrote it; exclude the output, or mark more of it.",
            code="still_tells",
        )
    return passages


def _redacted(output: Output, passages: Iterable[Mapping[str, Any]]) -> tuple[dict[str, object], str]:
    protocol = get_protocol(output.run.release.benchmark.protocol)
    fields = shown_fields(protocol, output.payload, output.text, output.text_format)
    spans: dict[str, list[tuple[int, int]]] = {}
    for passage in passages:
        spans.setdefault(passage["field"], []).append((passage["start"], passage["end"]))
    replaced = {
        field: redact(fields[field].text, cuts, fields[field].format) for field, cuts in spans.items()
    }
    return with_fields(output.payload, output.text, replaced)
