"""From a finished build to a release: its lines through the protocol's own loader, each string with its origin."""

import copy
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Prefetch

from accounts.models import User
from accounts.refusal import Refused
from accounts.trail import record
from benchmark.importing.exported import release_records
from benchmark.models import Release
from benchmark.protocol import InstanceRecord
from benchmark.protocols import get_protocol
from benchmark.releases.actions import import_release
from canonical import canonical_json, sha256_of
from construction.builds.kinds import asked_of, replies_of
from construction.builds.strings import put_string, string_at
from construction.models import Build, BuiltInstance, Candidate, Decision, Review
from construction.pipeline import Selected, get_pipeline
from construction.reading.process import Reader
from construction.recipes.passages import Drop
from work.models import RunState

REPAIRED = "repaired by hand"


@dataclass(frozen=True)
class Line:
    """A line of a release, the candidate that it is from, and the origin of each of its strings."""

    candidate: Candidate
    line: Mapping[str, Any]
    provenance: Mapping[str, Any]


def lines_of(build: Build) -> list[Line]:
    """All lines that came out of a build and were not dropped by a person, repairs done, in the order of papers."""
    live = Review.objects.filter(withdrawn_at=None)
    made = Candidate.objects.filter(paper__run=build, state=Candidate.State.MADE)
    ordered = made.order_by("paper__ordinal", "place").select_related("paper__source")
    found = []
    for candidate in ordered.prefetch_related(Prefetch("reviews", queryset=live, to_attr="live")):
        reviews: list[Review] = candidate.live
        if any(one.decision == Decision.DROP for one in reviews):
            continue
        lines = repaired_lines(
            candidate.lines, {name: text for one in reviews for name, text in one.after.items()}
        )
        found += [Line(candidate, one["line"], one["provenance"]) for one in lines]
    return found


def repaired_lines(lines: Sequence[Mapping[str, Any]], after: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """The lines of a candidate with these strings, by line and field, in place of their own."""
    repaired = copy.deepcopy(list(lines))
    for name, text in after.items():
        number, _, path = name.partition(".")
        put_string(repaired[int(number)]["line"], path, text)
        repaired[int(number)]["provenance"][path] = {"places": [], "written_by": REPAIRED, "program": ""}
    return repaired


def selected(build: Build, lines: list[Line]) -> Selected:
    """Which of the lines make the release, by the rules of the recipe."""
    pipeline = get_pipeline(build.protocol)
    return pipeline.select([one.line for one in lines], pipeline.recipe(build.recipe))


def emit(*, actor: User | None, build: Build, name: str, is_sample: bool = False) -> Release:
    """Make the release. Raises Refused unless the build is done, and with every fault that the loader finds."""
    with transaction.atomic(), tempfile.TemporaryDirectory() as folder:
        locked = Build.objects.select_for_update().get(pk=build.pk)
        if locked.release_id is not None:
            raise Refused(f"The build has made its release: {locked.release}.", code="released")
        if locked.state != RunState.DONE:
            raise Refused("Wait until the build has ended, or answer why it is paused.", code="wrong_state")
        lines = lines_of(locked)  # read now that nobody can drop or repair any of them
        chosen = selected(locked, lines)
        if chosen.shortages:
            reasons = " ".join(drop.sentence for drop in chosen.shortages)
            raise Refused(f"The quotas are not filled: {reasons}", code="shortage")
        if not chosen.places:
            raise Refused("Nothing of this build came to lines.", code="no_lines")
        path = Path(folder) / f"{build.name}.jsonl"
        kept = [lines[place] for place in chosen.places]
        path.write_bytes(b"".join(canonical_json(one.line) + b"\n" for one in kept))
        report = import_release(
            actor=actor, protocol=build.protocol, path=path, name=name, source=f"build {build.name}",
            is_sample=is_sample,
        )  # fmt: skip
        if not report.changed:
            raise Refused(f"There is a release {name} already.", code="name_taken", field="release")
        release = Release.objects.get(name=name)
        numbers = dict(release.instances.values_list("key", "pk"))
        origins = []
        for found in release_records(get_protocol(build.protocol), path):
            assert isinstance(found, InstanceRecord)
            one = kept[found.line - 1]
            origins.append(
                BuiltInstance(
                    instance_id=numbers[found.key], candidate=one.candidate, provenance=dict(one.provenance)
                )
            )
        BuiltInstance.objects.bulk_create(origins, batch_size=500)
        Build.objects.filter(pk=build.pk).update(release=release)
        record(
            actor=actor, verb="emit_build", target=build,
            details={"release": name, "instances": len(origins), "recipe_sha256": build.recipe_sha256},
        )  # fmt: skip
    return release


@dataclass(frozen=True)
class Check:
    """What came of constructing a build's papers once more with the stored replies."""

    papers: int
    differing: tuple[str, ...]
    lines: int
    lines_sha256: str


def construct_again(build: Build) -> Check:
    """Read every paper again, with the stored replies, and compare what comes out with what is stored."""
    differing, made, papers = [], [], 0
    stored = build.papers.order_by("ordinal").select_related("run", "source")
    with Reader() as reader:
        for paper in stored.prefetch_related("source__files", "candidates__steps").iterator(chunk_size=10):
            papers += 1
            outcome = reader.construct(asked_of(paper, replies_of(paper)))
            if isinstance(outcome, Drop):
                if outcome.code != paper.code:
                    differing.append(str(paper.source))
                continue
            now = {state["key"]: (state["stage"], state.get("drop"), state.get("lines")) for state in outcome}
            made += [line["line"] for state in outcome for line in state.get("lines") or []]
            before = {
                one.key: (
                    one.stage,
                    {"code": one.code, "sentence": one.sentence}
                    if one.state == Candidate.State.DROPPED
                    else None,
                    one.lines if one.state == Candidate.State.MADE else None,
                )
                for one in paper.candidates.all()
                if one.state != Candidate.State.PASSED
            }
            if sha256_of(_plain(now)) != sha256_of(_plain(before)):
                differing.append(str(paper.source))
    return Check(papers, tuple(differing), len(made), sha256_of(made))


def offsets_only(build: Build) -> Iterator[dict[str, object]]:
    """The release without its texts, for sources that may not be passed on: where each string is to be found."""
    lines = lines_of(build)
    for place in selected(build, lines).places:
        one = lines[place]
        source = one.candidate.paper.source
        yield {
            "source": source.key,
            "version": source.version,
            "archive_sha256": source.sha256,
            "licence": source.licence,
            "candidate": one.candidate.key,
            "line_sha256": sha256_of(one.line),
            "strings": {
                path: {**origin, "sha256": hashlib.sha256(string_at(one.line, path).encode()).hexdigest()}
                for path, origin in one.provenance.items()
            },
        }


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(value))
