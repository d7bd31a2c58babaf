"""The judge's successes that experts read, by the protocol's types of success: how many of each are valid."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmark.condition_tables import Arm
from benchmark.models import Output, OutputState
from benchmark.protocol import LabelledOutput, Metric, SuccessTypes
from benchmark.protocols import get_protocol
from benchmark.settling.case import OpenCase
from benchmark.settling.queue import answers
from benchmark.subjects import Subject
from reports.audit.results import Truth, expert_truth, truth_outputs
from reports.core.datasets import labelled_outputs, tallies
from reports.scores.inputs import Inputs
from reports.scores.judge_scores import is_unavailable
from stats.core.estimate import Estimate, Reason, undefined
from stats.core.intervals import proportion
from stats.scores.means import share_by_cluster


@dataclass(frozen=True, kw_only=True)
class SuccessTypeRates:
    """Successes of one type among all outputs that count, and among the successes whose type is known."""

    rate: Estimate
    share: Estimate


@dataclass(frozen=True, kw_only=True)
class SuccessType:
    """Audited successes of one type, and how many of them are valid."""

    type: str
    title: str
    audited: int
    valid: int
    validity: Estimate


def types_of_successes(inputs: Inputs) -> dict[str, str]:
    """Subject to type, of every output that the judge found successful and an expert read; at most two queries.

    Empty where the protocol knows no types.
    """
    protocol = get_protocol(inputs.protocol)
    types = protocol.success_types
    if types is None:
        return {}
    [metric] = [metric for metric in protocol.metrics if metric.key == types.metric]
    outputs = labelled_outputs(inputs.outputs, tallies(inputs.votes), inputs.reached)
    read = truth_outputs(outputs, expert_truth(inputs.labels, abstained="uncertain"), metric)
    successes = {subject for subject in read if metric.success(outputs[subject])}
    return kinds_of(
        inputs.release, (inputs.track, inputs.condition), types, {key: outputs[key] for key in successes}
    )


def kinds_of(
    release: str, arm: Arm, types: SuccessTypes, successes: Mapping[str, LabelledOutput]
) -> dict[str, str]:
    """Subject to type for these answered outputs of one track and condition, with what people said about open cases;
    at most two queries."""
    track, condition = arm
    rows = (
        Output.objects.filter(
            run__release__name=release,
            run__track=track,
            run__condition=condition,
            state=OutputState.ANSWERED,
            instance__key__in={output.instance for output in successes.values()},
        )
        .values_list("instance__key", "run__system__slug", "attempt", "instance__payload", "payload")
        .iterator()
    )
    found = {}
    opened: dict[str, Sequence[OpenCase]] = {}
    for instance, system, attempt, asked, answered in rows:
        subject = str(Subject(instance, system, attempt, track, condition))
        if subject in successes:
            found[subject] = types.key_of(asked, answered)
            if found[subject] == types.undecided:
                opened[subject] = types.open_cases(asked, answered)
    said = answers(release) if any(opened.values()) else {}
    for subject, cases in opened.items():
        for case in cases:
            if case.pair in said:
                found[subject] = types.settled[said[case.pair]]
    return found


def successes_of_type(
    kind: str,
    types: SuccessTypes,
    release: str,
    arm: Arm,
    outputs: Mapping[str, LabelledOutput],
    metric: Metric,
) -> dict[str, SuccessTypeRates]:
    """For every system of one track and condition its successes of type `kind`: `rate` among all outputs that count,
    `share` among the successes whose type is known. Both have bounds where some are undecided, and take attempts at one
    problem together, as the metric does. At most two queries.

    `outputs` are by subject. A system of which no output counts is absent.
    """
    counted = {
        subject: output
        for subject, output in outputs.items()
        if output.state != "answered" or not is_unavailable(metric, output)
    }
    won = {
        subject: output
        for subject, output in counted.items()
        if output.state == "answered" and metric.success(output)
    }
    found = kinds_of(release, arm, types, won)
    by_system: dict[str, list[str]] = defaultdict(list)
    for subject, output in counted.items():
        by_system[output.system].append(subject)

    def share(subjects: Sequence[str]) -> Estimate:
        return share_by_cluster(
            [found.get(subject) == kind for subject in subjects],
            [outputs[subject].instance for subject in subjects],
        )

    rates = {}
    for system, own in by_system.items():
        number = Counter(found[subject] for subject in own if subject in found)
        undecided = number[types.undecided]
        known = [subject for subject in own if found.get(subject, types.undecided) != types.undecided]
        of_all = share(own)
        of_successes = share(known) if known else undefined("wilson", Reason.ZERO_DENOM, n=0)
        if undecided:
            low, high = number[kind], number[kind] + undecided
            of_all = replace(of_all, bounds=(low / len(own), high / len(own)))
            if known:
                of_successes = replace(of_successes, bounds=(low / number.total(), high / number.total()))
        rates[system] = SuccessTypeRates(rate=of_all, share=of_successes)
    return rates


def success_types_rows(
    types: SuccessTypes,
    kinds: Mapping[str, str],
    metric: Metric,
    outputs: Mapping[str, LabelledOutput],
    truth: Truth,
) -> list[SuccessType]:
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
        SuccessType(
            type=key,
            title=title,
            audited=audited[key],
            valid=valid[key],
            validity=proportion(valid[key], audited[key]),
        )
        for key, title in types.titles.items()
        if audited[key]
    ]
