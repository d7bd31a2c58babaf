"""What a frozen retrieval artifact decides about outputs: the sources that each of them was shown."""

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from accounts.refusal import Refused
from benchmark.importing.records import RecordError
from benchmark.models import FrozenTuple, Release
from benchmark.protocol import NOT_RELEASED, NotFrozen, OutputRecord, Protocol, ShownSource
from benchmark.protocols import get_protocol
from benchmark.releases.years import YEAR_POLICIES
from benchmark.tuples.files import parts_of
from retrieval import artifact
from retrieval.artifact import Artifact, BadArtifact, Limits

LARGEST = 64 << 20  # bytes of an artifact that decides; a thousand queries take ten to twenty megabytes


@dataclass(frozen=True)
class FrozenRetrieval:
    """The sources of an artifact's results by instance and query; without the formula, if a query has several."""

    digest: str
    results: Mapping[tuple[str, str], tuple[ShownSource, ...]]

    def applied(self, rules: Protocol, record: OutputRecord) -> OutputRecord:
        """The output with the sources that its query found. Raises NotFrozen for another query or other sources."""
        if rules.with_retrieved is None or record.state == NOT_RELEASED:
            return record
        payload = rules.with_retrieved(
            record.payload, lambda query: self.results.get((record.instance, query))
        )
        return replace(record, payload=dict(payload))


def frozen_retrieval(row: FrozenTuple) -> FrozenRetrieval | None:
    """The retrieval of a tuple; None if its protocol searches for nothing, or its file has another format.

    Raises Refused for an artifact that was changed, is too large, was made for another release, or has other limits
    than its policy gives the release's papers.
    """
    file, rules = row.retrieval_file, get_protocol(row.release.benchmark.protocol)
    if file is None or rules.with_retrieved is None:
        return None
    with TemporaryDirectory() as place:
        path = Path(place) / "retrieval"
        with path.open("wb") as out:
            out.writelines(parts_of(file))
        try:
            with zipfile.ZipFile(path) as archive:
                is_artifact = set(artifact.MEMBERS) <= set(archive.namelist())
        except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, ValueError):
            is_artifact = False
        if not is_artifact:
            return None
        if file.size > LARGEST:
            reason = f"{file.name} is larger than {LARGEST >> 20} MB, the most that an import reads."
            raise Refused(reason, code="too_large")
        try:
            read = artifact.read(path)
        except BadArtifact as error:
            raise Refused(f"{file.name}: {error}", code="bad_artifact") from error
    if read.terms.release != row.release.sha256:
        reason = f"{file.name} was made for another release than {row.release.name}."
        raise Refused(reason, code="other_release")
    if fault := _beyond_limits(read, row.release):
        raise Refused(f"{file.name}: {fault}", code="bad_artifact")
    results: dict[tuple[str, str], tuple[ShownSource, ...]] = {}
    for line in read.rows:
        sources = (
            ShownSource(one.title or one.paper or one.key, " and ".join(one.authors), one.year, one.paper)
            for one in line.results
        )
        results.setdefault((line.instance, line.query), tuple(sources))
    return FrozenRetrieval(read.digest, results)


def _beyond_limits(read: Artifact, release: Release) -> str:
    """What contradicts the limits of an artifact: the years of the release's papers, or a result; empty if nothing."""
    if read.terms.year_policy and (last := YEAR_POLICIES.get(read.terms.year_policy)):
        for instance in (
            release.instances.exclude(paper=None).select_related("paper").defer("payload").order_by("key")
        ):
            assert instance.paper is not None
            given = read.terms.limits.get(instance.key, Limits()).year_to
            if given != (year := last(instance.paper)):
                here, known = given or "not bounded", year or "not known"
                return f"the last year of {instance.key} is {here}; by {read.terms.year_policy}, {known}."
    for line in read.rows:
        limits = read.terms.limits.get(line.instance, Limits())
        for one in line.results:
            if one.paper and one.paper in limits.excluded:
                return f"{line.instance} found {one.paper}, which it must not be given."
            unknown = one.year is None and not limits.include_unknown_years
            if limits.year_to is not None and (unknown or (one.year or 0) > limits.year_to):
                found = f"of {one.year}" if one.year else "whose year is not known"
                return f"{line.instance} found {one.key} {found}; its last year is {limits.year_to}."
    return ""


def tuple_named(release: Release, name: str) -> FrozenTuple:
    """The tuple of the release with this name. Raises Refused."""
    found = release.tuples.select_related("release__benchmark", "retrieval_file").filter(name=name).first()
    if found is None:
        reason = f"{release.name} has no frozen tuple {name}; declare it first."
        raise Refused(reason, code="no_tuple", field="tuple_name")
    return found


def with_sources(
    rules: Protocol, frozen: FrozenRetrieval | None, records: Iterator[OutputRecord | RecordError]
) -> Iterator[OutputRecord | RecordError]:
    """The records with the sources that the artifact gives them; a fault for each that it contradicts."""
    for record in records:
        if frozen is None or isinstance(record, RecordError):
            yield record
            continue
        try:
            yield frozen.applied(rules, record)
        except NotFrozen as error:
            yield RecordError(str(error), line=record.line, field=error.field)


def differs(rules: Protocol, frozen: FrozenRetrieval, instance: str, payload: Mapping[str, Any]) -> str:
    """Why a stored output cannot have been made under the artifact; empty if it can."""
    if rules.with_retrieved is None:
        return ""
    try:
        given = rules.with_retrieved(payload, lambda query: frozen.results.get((instance, query)))
    except NotFrozen as error:
        return f"{error.field}: {error}"
    return "" if given == payload else "candidates: they were not recorded"
