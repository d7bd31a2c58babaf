"""Scanning outputs for what tells their author."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from benchmark.identities.fields import shown_fields
from benchmark.identities.scan import VERSION, scan
from benchmark.models import IdentityScan, Output, OutputState, Release
from benchmark.progress import Progress, silent
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol
from benchmark.queries import system_names

BATCH = 200


def scan_identities(*, release: Release, progress: Progress = silent) -> dict[str, int]:
    """Scan every answered output of the release that this version of the scan has not read.

    Returns `scanned` (now), `outputs` (all answered ones) and `certain` (outputs with a certain finding).
    A scan writes no label and moves no text, so anybody may ask for it and nothing goes into the audit trail.
    """
    waiting = list(
        Output.objects.filter(run__release=release, state=OutputState.ANSWERED)
        .exclude(identity_scan__version=VERSION)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    for first in range(0, len(waiting), BATCH):
        progress("scanning", first, len(waiting))
        scan_outputs(release, Output.objects.filter(pk__in=waiting[first : first + BATCH]))
    progress("scanning", len(waiting), len(waiting))
    scans = IdentityScan.objects.filter(output__run__release=release)
    return {"scanned": len(waiting), "outputs": scans.count(), "certain": scans.filter(certain__gt=0).count()}


def scan_outputs(release: Release, outputs: Iterable[Output]) -> None:
    """Scan these outputs of one release and keep what was found, in place of what an older version found."""
    protocol = get_protocol(release.benchmark.protocol)
    names = system_names(release)
    scans = [_scan(protocol, names, output) for output in outputs]
    IdentityScan.objects.bulk_create(
        scans,
        update_conflicts=True,
        unique_fields=["output"],
        update_fields=["version", "findings", "certain", "scanned_at"],
    )


def _scan(protocol: Protocol, names: Sequence[str], output: Output) -> IdentityScan:
    findings = find(protocol, names, output.payload, output.text, output.text_format)
    certain = sum(found["certain"] for found in findings)
    return IdentityScan(output=output, version=VERSION, findings=findings, certain=certain)


def find(
    protocol: Protocol, names: Sequence[str], payload: dict[str, Any], text: str, text_format: str
) -> list[dict[str, Any]]:
    """The findings in every shown text of an output, as rows keep them."""
    return [
        {"field": field, **asdict(found), "kind": str(found.kind)}
        for field, shown in shown_fields(protocol, payload, text, text_format).items()
        for found in scan(shown, text_format, names)
    ]
