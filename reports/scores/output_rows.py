"""The outputs behind a score, one row each: the judge's labels, its class, and what an adjudicator decided or most
experts said. No rows of the database here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmark.protocols import get_protocol
from reports.audit.results import expert_truth
from reports.core.datasets import labelled_outputs, tallies
from reports.scores.inputs import Inputs


@dataclass(frozen=True)
class ScoredOutput:
    """One output; `judge` and `experts` map predicates and questions to values ("" where nothing is known)."""

    subject: str
    system: str
    instance: str
    domain: str
    attempt: int
    state: str
    bucket: str
    judge: Mapping[str, str]
    experts: Mapping[str, str]


def scored_outputs(inputs: Inputs) -> Iterator[ScoredOutput]:
    """Every output of the track, by system and instance. `bucket` is empty when no judge has spoken."""
    protocol = get_protocol(inputs.protocol)
    labelled = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    truth = expert_truth(inputs.labels)
    for decision in inputs.decisions:
        if not decision.step:
            truth.setdefault(decision.subject, {})[decision.question] = decision.value
    for row in inputs.outputs:
        output = labelled[row.subject]
        yield ScoredOutput(
            subject=row.subject,
            system=row.system,
            instance=row.instance,
            domain=row.domain,
            attempt=row.attempt,
            state=row.state,
            bucket=protocol.bucket(output) if inputs.judge else "",
            judge={key: value or output.states.get(key, "") for key, value in output.labels.items()},
            experts=truth.get(row.subject, {}),
        )


def behind(
    outputs: Iterator[ScoredOutput], *, system: str = "", bucket: str = "", domain: str = ""
) -> list[ScoredOutput]:
    """Those of one system, class or domain; an empty argument does not filter."""
    return [
        output
        for output in outputs
        if system in ("", output.system) and bucket in ("", output.bucket) and domain in ("", output.domain)
    ]
