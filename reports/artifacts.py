"""Frozen score artifacts: made once, recomputed by anyone who has this code and the file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.actions import record
from accounts.models import User
from accounts.refusal import Refused
from benchmark.models import Release
from reports.canonical import canonical, sha256
from reports.inputs import SEED, Inputs, collect
from reports.models import Artifact
from reports.score import score

FORMAT = "touchstone-artifact-1"
_MAX_DIFFERENCES = 50


@dataclass(frozen=True)
class Verification:
    """`differences` is empty when everything in the artifact follows from its inputs."""

    sha256: str
    differences: tuple[str, ...]

    @property
    def verified(self) -> bool:
        return not self.differences


def build(inputs: Inputs) -> dict[str, Any]:
    """The artifact's document: inputs, the score they give, a hash of each part, and one of the whole."""
    content = {"inputs": inputs.as_json(), "score": score(inputs)}
    parts = {f"inputs.{key}": sha256(value) for key, value in content["inputs"].items()}
    parts["score"] = sha256(content["score"])
    document = {"format": FORMAT, "parts": parts, **content}
    return {**json.loads(canonical(document)), "sha256": sha256(document)}


@transaction.atomic
def freeze_artifact(
    *, actor: User | None, release: Release, track: str = "raw", judge: str = "", seed: int | None = None
) -> Artifact:
    """Store the artifact of a track; the same inputs give the artifact that is already there.

    Raises Refused unless the release is frozen: a published score must not move under its readers.
    """
    if release.frozen_at is None:
        raise Refused(
            f"{release.name} is not frozen; freeze it before publishing a score.", code="not_frozen"
        )
    inputs = collect(release=release, track=track, judge=judge, seed=SEED if seed is None else seed)
    document = build(inputs)
    existing = Artifact.objects.filter(sha256=document["sha256"]).first()
    if existing:
        return existing
    artifact = Artifact.objects.create(
        kind="score", release=release, content=canonical(document).decode(), sha256=document["sha256"]
    )
    record(actor=actor, verb="freeze artifact", target=artifact, details={"sha256": artifact.sha256})
    return artifact


def verify(document: Mapping[str, Any]) -> Verification:
    """Recompute an artifact from its own inputs and name every part that differs.

    Raises Refused when the document is no artifact of a format known here.
    """
    if document.get("format") != FORMAT:
        raise Refused(f"This is no {FORMAT} document.", code="not_an_artifact", field="format")
    differences = list(_hash_differences(document))
    try:
        inputs = Inputs.from_json(document["inputs"])
        recomputed = json.loads(canonical(score(inputs)))
    except (KeyError, ValueError, TypeError) as error:
        differences.append(f"inputs: the score cannot be recomputed ({error})")
    else:
        differences.extend(_differences("score", document.get("score"), recomputed))
    return Verification(str(document.get("sha256", "")), tuple(differences[:_MAX_DIFFERENCES]))


def _hash_differences(document: Mapping[str, Any]) -> Iterator[str]:
    body = {key: value for key, value in document.items() if key != "sha256"}
    if sha256(body) != document.get("sha256"):
        yield "sha256: the content does not have the hash that the artifact claims"
    parts = document.get("parts", {})
    inputs = document.get("inputs", {})
    actual = {f"inputs.{key}": value for key, value in inputs.items()} | {"score": document.get("score")}
    for name in sorted(set(parts) | set(actual)):
        if name not in actual or parts.get(name) != sha256(actual[name]):
            yield f"{name}: differs from what was frozen"


def _differences(path: str, frozen: Any, recomputed: Any) -> Iterator[str]:
    if isinstance(frozen, dict) and isinstance(recomputed, dict):
        for key in sorted(set(frozen) | set(recomputed)):
            yield from _differences(f"{path}.{key}", frozen.get(key), recomputed.get(key))
    elif isinstance(frozen, list) and isinstance(recomputed, list) and len(frozen) == len(recomputed):
        for position, pair in enumerate(zip(frozen, recomputed, strict=True)):
            yield from _differences(f"{path}[{position}]", *pair)
    elif frozen != recomputed:
        yield f"{path}: the artifact says {frozen!r}, its inputs give {recomputed!r}"
