"""The judge's successes that experts read, by the protocol's types of success: how many of each are valid."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from benchmark.models import Output, OutputState
from benchmark.protocol import LabelledOutput, Metric, SuccessTypes
from benchmark.protocols import get_protocol
from benchmark.subjects import Subject
from reports.audits import Truth, expert_truth, truth_outputs
from reports.datasets import labelled_outputs, tallies
from reports.inputs import Inputs
from stats.intervals import proportion


def types_of_successes(inputs: Inputs) -> dict[str, str]:
    """Subject to type, of every output that the judge found successful and an expert read; one query.

    Empty where the protocol knows no types.
    """
    protocol = get_protocol(inputs.protocol)
    types = protocol.success_types
    if types is None:
        return {}
    [metric] = [metric for metric in protocol.metrics if metric.key == types.metric]
    outputs = labelled_outputs(inputs.outputs, tallies(inputs.votes))
    read = truth_outputs(outputs, expert_truth(inputs.labels), metric)
    successes = {subject for subject in read if metric.success(outputs[subject])}
    rows = (
        Output.objects.filter(
            run__release__name=inputs.release,
            run__track=inputs.track,
            run__condition=inputs.condition,
            state=OutputState.ANSWERED,
            instance__key__in={outputs[subject].instance for subject in successes},
        )
        .values_list("instance__key", "run__system__slug", "attempt", "instance__payload", "payload")
        .iterator()
    )
    found = {}
    for instance, system, attempt, asked, answered in rows:
        subject = str(Subject(instance, system, attempt, inputs.track, inputs.condition))
        if subject in successes:
            found[subject] = types.key_of(asked, answered)
    return found


def success_types_rows(
    types: SuccessTypes,
    kinds: Mapping[str, str],
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
) -> list[dict[str, Any]]:
    """For each type its title, how many were audited, how many are valid, and their share with Wilson's interval.

    Counts are those of the sample, without the weights of the design. Where the experts are divided, a success is
    not valid.
    """
    audited: Counter[str] = Counter()
    valid: Counter[str] = Counter()
    for subject, expert in truth_outputs(outputs, truth, metric).items():
        if subject in kinds and metric.success(outputs[subject]):
            audited[kinds[subject]] += 1
            valid[kinds[subject]] += metric.success(expert) and expert.labels.get(types.veto) != "no"
    return [
        {
            "type": key,
            "title": title,
            "audited": audited[key],
            "valid": valid[key],
            "validity": proportion(valid[key], audited[key]).as_json(),
        }
        for key, title in types.titles.items()
        if audited[key]
    ]
