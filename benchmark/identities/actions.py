"""Scanning outputs for what reveals their author."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from time import monotonic
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.files.scanning import files_to_scan, find_in_files
from benchmark.identities.fields import shown_fields
from benchmark.identities.findings import Finding, Kind
from benchmark.identities.scan import VERSION, scan
from benchmark.identities.shown import Pages, render_page, scan_shown, squeezed
from benchmark.importing.progress import Progress, silent
from benchmark.models import IdentityScan, IdentityWord, Output, OutputState, Release
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol
from benchmark.releases.queries import (
    identity_words,
    scanned_with_all_words,
    sha256_of_words,
    system_names,
)
from benchmark.rendering.stored import call_worker, stored_blocks
from latex import Block
from latex.visible import visible

BATCH = 20  # some two seconds of work
TASK = "benchmark.scan_identities"


def scan_identities(
    *, release: Release, progress: Progress = silent, seconds: float | None = None
) -> dict[str, int]:
    """Scan every answered output of the release that this version of the scan has not read; the last batch begins
    within `seconds`, if given.

    Returns `scanned` (now), `left` (for the next time), `outputs` (all that were ever scanned) and `certain` (outputs
    with a certain finding). A scan writes no label and changes no text, so anyone may start it and nothing goes into
    the audit trail.
    """
    begun, done = monotonic(), 0
    waiting = list(
        Output.objects.filter(run__release=release, state=OutputState.ANSWERED)
        .exclude(scanned_with_all_words(release))
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    while done < len(waiting) and (seconds is None or monotonic() - begun < seconds):
        progress("scanning", done, len(waiting))
        batch = waiting[done : done + BATCH]
        scan_outputs(release, Output.objects.filter(pk__in=batch).order_by("pk"))
        done += len(batch)
    progress("scanning", done, len(waiting))
    scans = IdentityScan.objects.filter(output__run__release=release)
    return {
        "scanned": done,
        "left": len(waiting) - done,
        "outputs": scans.count(),
        "certain": scans.filter(certain__gt=0).count(),
    }


@transaction.atomic
def add_identity_word(*, actor: User, release: Release, word: str) -> IdentityWord:
    """Look for this word too in the release's texts from now on; a worker scans those again that were scanned before.

    Raises Refused for a word of fewer than two letters or digits, and for one that is already there.
    """
    word = " ".join(word.split())
    if sum(sign.isalnum() for sign in word) < 2 or len(word) > 100:
        raise Refused("A word has 2 to 100 letters or digits.", code="bad_word", field="word")
    if release.identity_words.filter(removed_at=None, word__iexact=word).exists():
        raise Refused(f"“{word}” is already on the list.", code="word_known", field="word")
    row = IdentityWord.objects.create(release=release, word=word, added_by=actor)
    call_worker(TASK, release.pk)
    record(actor=actor, verb="add_identity_word", target=release, details={"word": word})
    return row


@transaction.atomic
def remove_identity_word(*, actor: User, word: IdentityWord) -> None:
    """Stop looking for a word; a worker scans the texts again. Raises Refused when it has already been removed."""
    if not IdentityWord.objects.filter(pk=word.pk, removed_at=None).update(removed_at=timezone.now()):
        raise Refused("This word has already been removed.", code="word_removed")
    call_worker(TASK, word.release_id)
    record(actor=actor, verb="remove_identity_word", target=word.release, details={"word": word.word})


def scan_outputs(release: Release, outputs: Iterable[Output]) -> None:
    """Scan these outputs of one release and keep what was found, in place of what an older version found."""
    protocol = get_protocol(release.benchmark.protocol)
    names, words = system_names(release), identity_words(release)
    outputs = list(outputs)
    files = files_to_scan(outputs)
    parts = [
        part
        for output in outputs
        for part in protocol.output_parts(output.payload, output.text, output.text_format)
    ]
    stored = stored_blocks({(visible(part.text, part.text_format), part.text_format) for part in parts})

    def page(text: str, text_format: str) -> Iterable[Block]:
        blocks = stored.get((text, text_format))
        return render_page(text, text_format) if blocks is None else blocks

    scans = []
    for output in outputs:
        findings = find(protocol, names, words, output.payload, output.text, output.text_format, page)
        findings += find_in_files(files.get(output.pk, ()), names, words)
        certain = sum(found["certain"] for found in findings)
        scans.append(
            IdentityScan(
                output=output,
                version=VERSION,
                findings=findings,
                certain=certain,
                words_sha256=sha256_of_words(words),
            )
        )
    IdentityScan.objects.bulk_create(
        scans,
        update_conflicts=True,
        unique_fields=["output"],
        update_fields=["version", "findings", "certain", "words_sha256", "scanned_at"],
    )


def find(
    protocol: Protocol,
    names: Sequence[str],
    words: Sequence[str],
    payload: Mapping[str, Any],
    text: str,
    text_format: str,
    pages: Pages = render_page,
) -> list[dict[str, Any]]:
    """The findings in every shown text of an output and on its pages, as rows keep them."""
    fields = shown_fields(protocol, payload, text, text_format)
    rows = [
        _row(name, found)
        for name, field in fields.items()
        for found in scan(field.text, field.format, names, words)
    ]
    known = "\0".join(squeezed(row["evidence"]) for row in rows if row["certain"])
    for part in protocol.output_parts(payload, text, text_format):
        name = next((name for name, field in fields.items() if field.text == part.text), "")
        if name and part.text_format == fields[name].format == "plain":
            continue  # the page is the source
        on_page = scan_shown(part.text, part.text_format, names, words, pages)
        if not name:  # what the protocol made of several fields has no place in any of them
            made = scan(part.text, part.text_format, names, words)
            on_page = [
                replace(found, kind=Kind.SHOWN, start=0, end=0)
                for found in (*made, *on_page)
                if found.certain
            ]
        rows += [
            _row(name or part.title, found) for found in on_page if squeezed(found.evidence) not in known
        ]
    return rows


def _row(field: str, found: Finding) -> dict[str, Any]:
    return {"field": field, **asdict(found), "kind": str(found.kind)}
