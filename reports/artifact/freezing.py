"""Frozen score artifacts: everything a published score depends on, in one file that anybody can recompute.

A document holds its sources (`made_with` the code, the `manifest` of what was judged, the `inputs`, `remarks`, and
`pairs`, the choices between two outputs), the `score` and the `comparisons` that follow from them, and two helps to
check it: `parts`, a hash of each part, and `fingerprints` of the sources, by which a change is named down to the value
(reports/artifact/fingerprints.py).
"""

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.models import Release
from canonical.documents import as_json
from reports.artifact.code_version import code_version
from reports.artifact.fingerprints import fingerprints
from reports.artifact.manifest import Manifest, read_manifest
from reports.artifact.pairs import read_choices
from reports.artifact.remarks import read_remarks
from reports.comparison.choices import Choices, compared
from reports.core.canonical import canonical, sha256
from reports.core.choosing import votes_awaited
from reports.core.datasets import PLAIN, expert_labels
from reports.models import Artifact
from reports.scores.document import score
from reports.scores.inputs import SEED, Inputs, collect

FORMAT = "touchstone-artifact-2"
WITH_REMARKS = "touchstone-artifact-3"  # the same and what experts wrote; without any it is the older one
WITH_PAIRS = "touchstone-artifact-4"  # and choices between two outputs, with what follows from them
FORMATS = (FORMAT, WITH_REMARKS, WITH_PAIRS)


def build(
    inputs: Inputs,
    manifest: Manifest,
    remarks: Mapping[str, Any] | None = None,
    choices: Choices | None = None,
) -> dict[str, Any]:
    """The artifact's document as this code makes it: equal arguments give equal bytes."""
    return assemble(
        code_version(inputs.protocol),
        manifest.as_json(),
        inputs.as_json(),
        as_json(score(inputs)),
        remarks,
        choices.as_json() if choices else None,
        compared(choices, inputs) if choices else None,
    )


def assemble(
    made_with: Mapping[str, Any],
    manifest: Mapping[str, Any],
    inputs: Mapping[str, Any],
    computed: Mapping[str, Any],
    remarks: Mapping[str, Any] | None = None,
    pairs: Mapping[str, Any] | None = None,
    comparisons: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The document with the hashes that follow from its parts; `comparisons` follow from `pairs`."""
    content = {"made_with": made_with, "manifest": manifest, "inputs": inputs, "score": computed}
    if remarks:
        content["remarks"] = remarks
    follows = {"score": sha256(computed)}
    if pairs:
        content |= {"pairs": pairs, "comparisons": comparisons or {}}
        follows["comparisons"] = sha256(comparisons or {})
    sources = sources_of(json.loads(canonical(content)))
    document = {
        "format": WITH_PAIRS if pairs else WITH_REMARKS if remarks else FORMAT,
        "parts": {name: sha256(part) for name, part in sources.items()} | follows,
        "fingerprints": {name: fingerprints(part) for name, part in sources.items()},
        **content,
    }
    return {**json.loads(canonical(document)), "sha256": sha256(document)}


def sources_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Name to value of each part that was read and not computed, such as "inputs.votes"."""
    sections = ("made_with", "manifest", "inputs", "remarks", "pairs")
    return {
        f"{section}.{key}": part
        for section in sections
        for key, part in sorted(document.get(section, {}).items())
    }


@transaction.atomic
def freeze_artifact(
    *,
    actor: User | None,
    release: Release,
    track: str = "raw",
    judge: str = "",
    seed: int | None = None,
    condition: str = PLAIN,
    frozen_tuple: str = "",
) -> Artifact:
    """Store the artifact of a track; the same sources give the artifact that is already there.

    Raises Refused unless the release is frozen and the judge has cast all its votes: a published score must not move
    under its readers; and (code "graded_meanwhile") if somebody graded while the rows were read, because raters would
    have other numbers in one table than in the other.
    """
    if release.frozen_at is None:
        raise Refused(
            f"{release.name} is not frozen; freeze it before publishing a score.", code="not_frozen"
        )
    inputs = collect(
        release=release,
        track=track,
        judge=judge,
        seed=SEED if seed is None else seed,
        condition=condition,
        frozen_tuple=frozen_tuple,
    )
    judged = inputs.judge.sha256 if inputs.judge else ""
    if awaited := votes_awaited(release, track, condition, judged):
        raise Refused(
            f"Not all votes of the judge on this track are in ({awaited} to come); let its run end, or cancel it.",
            code="judge_unfinished",
        )
    manifest = read_manifest(release, track, condition)
    systems = {row.system for row in inputs.outputs} | {row.system for row in inputs.unreleased}
    remarks, choices = read_remarks(release, inputs), read_choices(release, inputs)
    read, labels = {row.subject for row in inputs.outputs}, chain(*expert_labels(release, track, condition))
    if {label for label in labels if label.subject in read} != {*inputs.labels, *inputs.in_sight}:
        raise Refused("Somebody graded while the score was read. Freeze it again.", code="graded_meanwhile")
    document = build(inputs, manifest.only(systems), remarks, choices)
    existing = Artifact.objects.filter(sha256=document["sha256"]).first()
    if existing:
        return existing
    artifact = Artifact.objects.create(
        kind="score", release=release, content=canonical(document).decode(), sha256=document["sha256"]
    )
    record(actor=actor, verb="freeze artifact", target=artifact, details={"sha256": artifact.sha256})
    return artifact
