"""The frozen texts of a record, each checked against the hash that the artifact names."""

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.refusal import Refused
from benchmark.canonical import instance_content
from benchmark.models import Output, Release
from benchmark.protocol import Part
from benchmark.protocols import get_protocol
from benchmark.releases.integrity import instance_record, output_record_sha256
from benchmark.subjects import Subject
from canonical import canonical_json, sha256_of
from reports.artifact.manifest import Manifest
from reports.records.declared import Declared
from reports.scores.inputs import Inputs


@dataclass(frozen=True)
class Problem:
    """A problem: its title, and where its texts may be read their parts and the line of the file of problems."""

    title: str
    parts: tuple[Part, ...] = ()
    line: bytes = b""


@dataclass(frozen=True)
class Answer:
    """An answer whose text may be read, with its line of the file of answers."""

    parts: tuple[Part, ...]
    line: bytes


@dataclass(frozen=True)
class Texts:
    """By the key of the problem and the subject of the output. Of texts under embargo there is nothing but a title."""

    problems: Mapping[str, Problem]
    answers: Mapping[str, Answer]


def read_texts(release: Release, inputs: Inputs, manifest: Manifest, declared: Declared) -> Texts:
    """The titles of all problems of the track, and the texts that the record shows.

    Raises Refused for a text that is not the one of the artifact.
    """
    protocol = get_protocol(inputs.protocol)
    wanted = {row.instance for row in inputs.outputs}
    hashes = {row.key: row.sha256 for row in manifest.instances}
    problems = {}
    for row in release.instances.select_related("paper").iterator(chunk_size=500):
        if row.key not in wanted:
            continue
        content = instance_content(instance_record(row))
        if sha256_of(content) != hashes.get(row.key):
            raise Refused(f"Problem {row.key} is not the one of the frozen score.", code="not_the_text")
        title = str(row.payload.get("title") or row.key)
        problems[row.key] = (
            Problem(title, tuple(protocol.instance_parts(row.payload)), canonical_json(content) + b"\n")
            if declared.show_problems and declared.is_open(row.key)
            else Problem(title)
        )
    answers: dict[str, Answer] = {}
    if declared.show_outputs:
        known = {row.subject: row for row in inputs.outputs}
        rows = Output.objects.filter(
            run__release=release, run__track=inputs.track, run__condition=inputs.condition
        )
        for output in rows.select_related("instance", "run__system").iterator(chunk_size=500):
            key, system = output.instance.key, output.run.system.slug
            subject = str(Subject(key, system, output.attempt, inputs.track, inputs.condition))
            if subject not in known or not declared.is_open(key):
                continue
            if output_record_sha256(output) != known[subject].sha256:
                raise Refused(f"Answer {subject} is not the one of the frozen score.", code="not_the_text")
            content = {"instance": key, "system": system} | {
                name: getattr(output, name) for name in ("attempt", "state", "text", "text_format", "payload")
            }
            answers[subject] = Answer(
                tuple(protocol.output_parts(output.payload, output.text, output.text_format)),
                canonical_json(content) + b"\n",
            )
    return Texts(problems, answers)
