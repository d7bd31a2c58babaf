"""The open cases of a release, and people's answers to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmark.models import Output, OutputState, Release, Settlement
from benchmark.protocol import Protocol
from benchmark.protocols import get_protocol
from benchmark.settling.case import OpenCase

_CHUNK = 2000


@dataclass
class OpenQuestion:
    """An open case with the instances where it comes up, in how many outputs, and every answer, newest first."""

    case: OpenCase
    instances: list[str] = field(default_factory=list)
    outputs: int = 0
    answers: list[Settlement] = field(default_factory=list)

    @property
    def answer(self) -> Settlement | None:
        """The answer that counts."""
        return next((row for row in self.answers if row.withdrawn_at is None), None)


def questions(release: Release) -> list[OpenQuestion]:
    """Every open case of the release's outputs by instance, answered or not. No system is named."""
    found: dict[str, OpenQuestion] = {}
    protocol = get_protocol(release.benchmark.protocol)
    payloads = dict(release.instances.values_list("key", "payload").iterator(chunk_size=_CHUNK))
    rows = (
        Output.objects.filter(run__release=release, state__in=(OutputState.ANSWERED, OutputState.ABSTAINED))
        .order_by("instance__key", "pk")
        .values_list("instance__key", "run__condition", "state", "payload")
    )
    for instance, condition, state, payload in rows.iterator(chunk_size=_CHUNK):
        for case in cases_of(protocol, condition, state, payloads[instance], payload):
            question = found.setdefault(case.pair, OpenQuestion(case))
            question.outputs += 1
            if instance not in question.instances:
                question.instances.append(instance)
    for row in release.settlements.select_related("decided_by", "withdrawn_by").order_by("-pk"):
        if row.pair in found:
            found[row.pair].answers.append(row)
    return list(found.values())


def cases_of(
    protocol: Protocol, condition: str, state: str, instance: Mapping[str, Any], output: Mapping[str, Any]
) -> Iterable[OpenCase]:
    """The open cases of one output, each once: those of its measures, then that of the type of a success."""
    found: dict[str, OpenCase] = {}
    for measure in protocol.measures:
        is_read = state == OutputState.ANSWERED or measure.reads_abstained
        if measure.open_cases is not None and is_read and condition not in measure.not_under:
            found |= {case.pair: case for case in measure.open_cases(instance, output)}
    if protocol.success_types is not None and state == OutputState.ANSWERED:
        found |= {case.pair: case for case in protocol.success_types.open_cases(instance, output)}
    return found.values()


def answers(release: str) -> dict[str, str]:
    """Pair to the verdict that counts, of the release with this name."""
    rows = Settlement.objects.filter(release__name=release, withdrawn_at=None).order_by("pk")
    return dict(rows.values_list("pair", "verdict"))
